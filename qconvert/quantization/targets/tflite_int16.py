"""LiteRT's kernels of 16-bit activations and 8-bit weights.

Source: LiteRT's ``lite/core/kernels/register.cc`` and the kernels' checks of types: zero points are 0, LOGISTIC, TANH
and SOFTMAX have results at 1 / 32768. Products of two activations have 8 bits, as in the target ``tosa-int16``: sums of
products of 16 bits exceed the 32 bits of an accumulator.
"""

from __future__ import annotations

from qconvert.quantization.target import Target
from qconvert.quantization.targets.catalog import shipped
from qconvert.quantization.targets.kernels import (
    ACTIVATION,
    ACTIVATION_16,
    BINARY,
    CONVOLUTIONS,
    MOVEMENTS,
    contractions,
    fixed,
    free,
    reaching,
)
from qconvert.quantization.targets.tflite_int8 import FIXED

_LACKING = ("log_softmax", "squared_difference")
"""Kernels that have 8-bit types only."""
_FUNCTIONS = ("relu", "clamp", "leaky_relu", "exponential", "abs", "mean", "sum")

TFLITE_INT16 = shipped(
    Target(
        "tflite-int16",
        (
            *contractions((*CONVOLUTIONS, "fully_connected"), ACTIVATION_16),
            *free(("batch_matmul",), ACTIVATION, inputs=2),
            *free([name for name in BINARY if name not in _LACKING], ACTIVATION_16, inputs=2),
            *(fixed(name, ACTIVATION_16, 1 / 32768, 0) for name in FIXED if name not in _LACKING),
            *reaching(MOVEMENTS, ACTIVATION_16),
            *free(_FUNCTIONS, ACTIVATION_16),
        ),
    )
)
