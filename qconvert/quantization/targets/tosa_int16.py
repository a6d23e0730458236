"""TOSA's 16-bit extension: activations of 16 bits without zero points, weights of 8, sums in i48.

Source: TOSA specification 1.0, extension EXT-INT16: CONV2D takes int16 activations with zero point 0 and int8 weights
and accumulates in int48, MATMUL takes int16 on both sides. The bias, i48 in TOSA, has the 32 bits that a quantized type
can have. Softmax is of 8 bits, and so are products of two activations, whose sums would leave those 32 bits: their
inputs are rescaled.
"""

from __future__ import annotations

from qconvert.quantization.target import Target
from qconvert.quantization.targets.kernels import (
    ACTIVATION,
    ACTIVATION_16,
    BINARY,
    CONVOLUTIONS,
    MOVEMENTS,
    TABLES,
    contractions,
    fixed,
    free,
    reaching,
)

TOSA_INT16 = Target(
    "tosa-int16",
    (
        *contractions((*CONVOLUTIONS, "fully_connected"), ACTIVATION_16),
        *free(("batch_matmul",), ACTIVATION, inputs=2),
        *free(BINARY, ACTIVATION_16, inputs=2),
        fixed("logistic", ACTIVATION_16, 1 / 32768, 0),
        fixed("softmax", ACTIVATION, 1 / 256, -128),
        fixed("tanh", ACTIVATION_16, 1 / 32768, 0),
        *reaching(MOVEMENTS, ACTIVATION_16),
        *free(("prelu",), ACTIVATION_16, inputs=2),
        *free((*TABLES, "mean", "sum", "sum_pool"), ACTIVATION_16),
    ),
)
