"""qconvert's own attributes, removed before a module is written."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.rewriting import Pass, PassResult, no_op

_PREFIX = "qconvert."


def _has_own_attributes(op: Operation) -> bool:
    return any(name.startswith(_PREFIX) for name in op.attributes)


NO_OWN_ATTRIBUTES = no_op("no attribute of qconvert's own", _has_own_attributes)


class StripAttributes(Pass):
    """Remove the attributes that other formats do not know: arithmetic and names of the source's tensors.

    ::

        uniform_quantize %x {qconvert.arithmetic = ..., qconvert.tensor = "y"}

        uniform_quantize %x
    """

    name = "strip-qconvert-attributes"
    ensures = (NO_OWN_ATTRIBUTES,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every op."""
        changed = False
        for op in module.walk():
            for name in [name for name in op.attributes if name.startswith(_PREFIX)]:
                del op.attributes[name]
                changed = True
        return PassResult(changed)
