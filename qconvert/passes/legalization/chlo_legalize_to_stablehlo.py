"""chlo's ops become StableHLO's ops and qconvert's composites."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects.chlo.base import ChloOp
from qconvert.ir import describe, place
from qconvert.rewriting import Pass, PassResult, builder_before, no_op, replace
from qconvert.support.errors import ConversionError


class ChloLegalizeToStableHlo(Pass):
    """Replace every op of chlo by what it is written as.

    ::

        chlo.broadcast_add %x, %y : (tensor<3x4xf32>, tensor<4xf32>)

        add %x, broadcast_in_dim %y
    """

    name = "chlo-legalize-to-stablehlo"
    ensures = (no_op("no op of chlo", lambda op: isinstance(op, ChloOp)),)

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every op once; raises ConversionError naming an op that cannot be written."""
        found = [op for op in module.walk() if isinstance(op, ChloOp)]
        for op in found:
            try:
                replace(op, *op.legalize(builder_before(op)))
            except ConversionError as error:
                raise error.located(node=describe(op), op=op.name, file=place(op)) from error
        return PassResult(bool(found))
