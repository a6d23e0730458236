"""The mark of a module that is qconvert's IR, which keeps all weights of ONNX and TFLite, and no StableHLO."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.verify import verify_contraction

_IR_MARK = "qconvert.ir"
"""The attribute of a module that is the IR, although no other attribute and no op shows it."""


def mark_ir(module: ModuleOp) -> None:
    """Mark a module, in place, if it would be refused as StableHLO because of weights that the IR allows."""
    if not is_ir(module) and not all(map(_has_valid_weights, module.walk())):
        module.attributes[_IR_MARK] = UnitAttr()


def _has_valid_weights(op: Operation) -> bool:
    """Return whether the weights of an op are quantized as StableHLO's constraints ask."""
    try:
        verify_contraction(op)
    except VerifyException:
        return False
    return True


def is_ir(module: ModuleOp) -> bool:
    """Return True if an op or an attribute is one of qconvert's own."""
    return any(name.startswith("qconvert.") for op in module.walk() for name in (op.name, *op.attributes))
