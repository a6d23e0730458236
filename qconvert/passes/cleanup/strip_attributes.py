"""Attributes of qconvert's own, removed before a module is written."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from qconvert.rewriting.base import Condition, Pass, PassResult

_PREFIX = "qconvert."


def _no_own_attributes(module: ModuleOp) -> bool:
    return not any(name.startswith(_PREFIX) for op in module.walk() for name in op.attributes)


NO_OWN_ATTRIBUTES = Condition("no attribute of qconvert's own", _no_own_attributes)


@dataclass(frozen=True)
class StripAttributes(Pass):
    """Remove what other formats have no word for: whose arithmetic an op follows, names of the source's tensors.

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
