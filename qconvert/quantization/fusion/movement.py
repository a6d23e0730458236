"""Movements of elements. Inputs: the moved values; indices and predicates are not floats."""

from __future__ import annotations

from xdsl.ir import Operation

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import MovesElements
from qconvert.quantization.fusion.kernel_names import kernel_of, ops_with
from qconvert.quantization.fusion.pattern import Pattern

_KINDS: tuple[type[Operation], ...] = (*ops_with(MovesElements), stablehlo.SelectOp)

PATTERNS = tuple(Pattern(kernel_of(kind), (kind,), keeps_constants=kind is stablehlo.PadOp) for kind in _KINDS)
