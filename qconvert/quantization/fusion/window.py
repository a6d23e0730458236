"""Pools. Input: the operand."""

from __future__ import annotations

from qconvert.dialects import composite, stablehlo
from qconvert.quantization.fusion.kernel_names import kernel_of
from qconvert.quantization.fusion.pattern import Pattern
from qconvert.quantization.fusion.reduction import DIVIDED, combines_with

_WINDOW = (stablehlo.ReduceWindowOp,)

PATTERNS = (
    Pattern("max_pool", _WINDOW, combines_with(stablehlo.MaximumOp), keeps_constants=True),
    Pattern("average_pool", _WINDOW, combines_with(stablehlo.AddOp), (DIVIDED,), keeps_constants=True),
    Pattern("sum_pool", _WINDOW, combines_with(stablehlo.AddOp), keeps_constants=True),
    *(Pattern(kernel_of(kind), (kind,)) for kind in composite.POOLS),
)
