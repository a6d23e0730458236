"""TOSA's 8-bit profile and its 16-bit extension: everything is rescaled by RESCALE or looked up in a TABLE.

Source: TOSA specification 1.0, operators CONV2D, MATMUL, RESCALE and TABLE, extension EXT-INT16. TOSA itself prescribes
no scales. Functions whose result is always in one range get this range, so that nothing saturates whatever calibration
observed.
"""

from __future__ import annotations

from qconvert.quantization.signature import PortType
from qconvert.quantization.target import Kernel, Target
from qconvert.quantization.targets.catalog import shipped
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


def _kernels(activation: PortType, logistic: Kernel, tanh: Kernel) -> tuple[Kernel, ...]:
    """Return the kernels for one width of activations; matrix products of two activations and softmax have 8 bits."""
    return (
        *contractions((*CONVOLUTIONS, "fully_connected"), activation),
        *free(("batch_matmul",), ACTIVATION, inputs=2),
        *free(BINARY, activation, inputs=2),
        logistic,
        fixed("softmax", ACTIVATION, 1 / 256, -128),
        tanh,
        *reaching(MOVEMENTS, activation),
        *free(("prelu",), activation, inputs=2),
        *free((*TABLES, "mean", "sum", "sum_pool"), activation),
    )


TOSA_INT8 = shipped(
    Target(
        "tosa-int8",
        _kernels(ACTIVATION, fixed("logistic", ACTIVATION, 1 / 256, -128), fixed("tanh", ACTIVATION, 1 / 128, 0)),
    )
)
"""The 8-bit profile, with sums in i32."""

TOSA_INT16 = shipped(
    Target(
        "tosa-int16",
        _kernels(
            ACTIVATION_16, fixed("logistic", ACTIVATION_16, 1 / 32768, 0), fixed("tanh", ACTIVATION_16, 1 / 32768, 0)
        ),
    )
)
"""Activations of 16 bits without zero points, weights of 8, sums in i48.

The bias, i48 in TOSA, has 32 bits, the most that a quantized type can have. Sums of products of two 16-bit activations
would exceed these, so such inputs are rescaled to 8 bits.
"""
