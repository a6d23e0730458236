"""Ops that move elements. Inputs: what is moved, several of a concatenation; indices and predicates are not floats."""

from __future__ import annotations

from qconvert.dialects import stablehlo
from qconvert.quantization.fusion.elementwise import kernel_of
from qconvert.quantization.fusion.pattern import Pattern

_MOVED = (
    stablehlo.ReshapeOp,
    stablehlo.TransposeOp,
    stablehlo.ReverseOp,
    stablehlo.SliceOp,
    stablehlo.GatherOp,
    stablehlo.ConcatenateOp,
    stablehlo.SelectOp,
    stablehlo.BroadcastInDimOp,
)

PATTERNS = (
    Pattern("pad", (stablehlo.PadOp,), keeps_constants=True),
    *(Pattern(kernel_of(kind), (kind,)) for kind in _MOVED),
)
