"""TOSA's 8-bit profile: sums in i32, everything else rescaled by RESCALE or looked up in a TABLE.

Source: TOSA specification 1.0, operators CONV2D, MATMUL, RESCALE and TABLE. TOSA itself prescribes no scales; functions
whose result is always in one range are given all of it, so that nothing saturates whatever was seen in calibration.
"""

from __future__ import annotations

from qconvert.quantization.target import Target
from qconvert.quantization.targets.kernels import (
    ACTIVATION,
    BINARY,
    CONVOLUTIONS,
    MOVEMENTS,
    TABLES,
    contractions,
    fixed,
    free,
    reaching,
)

TOSA_INT8 = Target(
    "tosa-int8",
    (
        *contractions((*CONVOLUTIONS, "fully_connected"), ACTIVATION),
        *free(("batch_matmul",), ACTIVATION, inputs=2),
        *free(BINARY, ACTIVATION, inputs=2),
        fixed("logistic", ACTIVATION, 1 / 256, -128),
        fixed("softmax", ACTIVATION, 1 / 256, -128),
        fixed("tanh", ACTIVATION, 1 / 128, 0),
        *reaching(MOVEMENTS, ACTIVATION),
        *free(("prelu",), ACTIVATION, inputs=2),
        *free((*TABLES, "mean", "sum", "sum_pool"), ACTIVATION),
    ),
)
