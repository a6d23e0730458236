"""LiteRT's 8-bit kernels.

Source: "LiteRT 8-bit quantization specification", section "int8 quantized operator specifications"
(ai.google.dev/edge/litert/models/quantization_spec). LiteRT has further kernels, all listed in
``lite/core/kernels/register.cc``: TRANSPOSE_CONV as CONV_2D, BATCH_MATMUL, functions of one tensor by table
(LEAKY_RELU, PRELU, ELU, GELU, HARD_SWISH, EXP, LOG, RSQRT, ABS) and SQUARED_DIFFERENCE, each with scales of their own,
and REDUCE_MAX, REDUCE_MIN, SELECT, REVERSE and BROADCAST_TO, which keep their input's scale.
"""

from __future__ import annotations

from qconvert.quantization.target import Target
from qconvert.quantization.targets.catalog import shipped
from qconvert.quantization.targets.kernels import (
    ACTIVATION,
    BINARY,
    CONVOLUTIONS,
    MOVEMENTS,
    contractions,
    fixed,
    free,
    reaching,
)
from qconvert.quantization.targets.litert_specification import litert_checks

FIXED = {
    "logistic": (1 / 256, -128),
    "softmax": (1 / 256, -128),
    "tanh": (1 / 128, 0),
    "log_softmax": (16 / 256, 127),
}
"""The scale and zero point of results that the kernels fix."""

_FUNCTIONS = (
    "relu",
    "clamp",
    "leaky_relu",
    "elu",
    "gelu",
    "hard_swish",
    "exponential",
    "log",
    "rsqrt",
    "abs",
    "mean",
    "sum",
)

TFLITE_INT8 = shipped(
    Target(
        "tflite-int8",
        (
            *contractions((*CONVOLUTIONS, "fully_connected"), ACTIVATION),
            *free(("batch_matmul",), ACTIVATION, inputs=2),
            *free(BINARY, ACTIVATION, inputs=2),
            *(fixed(name, ACTIVATION, *parameters) for name, parameters in FIXED.items()),
            *reaching(MOVEMENTS, ACTIVATION),
            *free(("prelu",), ACTIVATION, inputs=2),
            *free(_FUNCTIONS, ACTIVATION),
        ),
        checks=(litert_checks,),
    )
)
