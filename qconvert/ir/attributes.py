"""Names of the attributes that ops and functions carry beside their arithmetic."""

from __future__ import annotations

TENSOR = "qconvert.tensor"
"""On the op that defines a quantized tensor as its first result: the tensor's name in the source model."""

HINT = "qconvert.hint"
"""On an op inside a ``quant.region``: the quantization of its first result, for a target that needs it quantized."""

IMPLIED = "qconvert.implied_inputs"
"""On a function: the only useful value of an argument, by its position, if the source's shapes imply it."""

RANGES = "qconvert.ranges"
"""On a function: the minima and maxima, one row each, that the source states for the values in ``RANGE_NAMES``."""
RANGE_NAMES = "qconvert.range_names"

WEIGHTS_FILE = "weights.file"
WEIGHTS_CHECKSUM = "weights.checksum"
"""On a module: the name of the safetensors file with the data of arguments, and the SHA-256 of that file's data."""

WEIGHTS_TENSOR = "weights.tensor"
"""On an argument of ``@main``: the name of the tensor in the safetensors file that is to be given for it."""
