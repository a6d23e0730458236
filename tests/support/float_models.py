"""Float models, from quantized ones whose activations are left as they are and whose weights are dequantized."""

from __future__ import annotations

from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from qconvert import load
from qconvert.dialects import stablehlo
from qconvert.interpreter import evaluate_op
from qconvert.ir.types import element_type
from qconvert.passes.cleanup.fold import Fold
from qconvert.rewriting.base import run_passes
from qconvert.rewriting.edits import erase_dead, replace


def floated(path: Path) -> ModuleOp:
    """A model's module without quantization; constants are folded."""
    module = load(path).module.clone()
    run_passes(module, [Fold()])
    for op in [op for op in module.walk() if isinstance(op, stablehlo.UniformDequantizeOp)]:
        maker = op.operand.owner
        if isinstance(maker, stablehlo.UniformQuantizeOp):
            replace(op, maker.operand)
        elif isinstance(maker, stablehlo.ConstantOp):
            (array,) = evaluate_op(op, [maker.array])
            constant = stablehlo.ConstantOp.of(array, element_type(op.result))
            constant.location = maker.location
            block = op.parent
            assert block is not None
            block.insert_op_before(constant, op)
            replace(op, constant.output)
    erase_dead(list(module.walk()))
    return module
