"""Softmax and normalizations. Inputs: the operand, then scale and bias where there are any."""

from __future__ import annotations

from qconvert.dialects import composite
from qconvert.quantization.fusion.kernel_names import kernel_of
from qconvert.quantization.fusion.pattern import Pattern

PATTERNS = tuple(Pattern(kernel_of(kind), (kind,)) for kind in composite.NORMALIZATIONS)
