"""Names of the attributes that ops and functions carry beside their arithmetic."""

from __future__ import annotations

TENSOR = "qconvert.tensor"
"""On the op that defines it: the name in the source model of the quantized tensor an op's first result is."""

HINT = "qconvert.hint"
"""On an op inside a ``quant.region``: what its first result would be quantized as, if a target needs it to be."""

IMPLIED = "qconvert.implied_inputs"
"""On a function: the one value that makes sense of an argument, by its position, where the source's shapes tell."""

RANGES = "qconvert.ranges"
"""On a function: the minimum and maximum, a row for each, that the source notes for values of these names."""
RANGE_NAMES = "qconvert.range_names"
