"""Ops that move elements or only pass them on, reductions among them: the same on storage integers."""

from __future__ import annotations

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.passes.legalize_quant_to_math.rules import Site, lowers, on_storage


@lowers(
    CallOp,
    stablehlo.BroadcastInDimOp,
    stablehlo.ConcatenateOp,
    stablehlo.GatherOp,
    stablehlo.PadOp,
    stablehlo.ReduceOp,
    stablehlo.ReduceWindowOp,
    stablehlo.ReshapeOp,
    stablehlo.ReverseOp,
    stablehlo.SliceOp,
    stablehlo.TransposeOp,
)
def movement(op: Operation, site: Site) -> tuple[SSAValue, ...]:
    """Integers keep their meaning wherever they go; ops in regions are rewritten by their own rules."""
    return on_storage(op, site)
