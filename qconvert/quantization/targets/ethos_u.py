"""Arm's Ethos-U: the kernels of TOSA's integer profile that Vela 5.2 compiles, with weights in the program.

Ethos-U85 has them all. Ethos-U55 and U65 lack SELECT, most RESIZEs, and functions of one 16-bit tensor that are not
clamps: ``qconvert convert --npu`` and ``inspect --npu`` name such nodes.
"""

from __future__ import annotations

from qconvert.quantization.target import Target
from qconvert.quantization.targets.catalog import shipped
from qconvert.quantization.targets.tosa import TOSA_INT8, TOSA_INT16

_LACKING = ("prelu", "squared_difference")
"""Kernels of the targets for TOSA that compute in floats in TOSA."""


def _whole(name: str, target: Target) -> Target:
    kernels = tuple(kernel for kernel in target.kernels if kernel.name not in _LACKING)
    return shipped(Target(name, kernels, integers_only=True))


ETHOS_U = _whole("ethos-u", TOSA_INT8)
ETHOS_U_INT16 = _whole("ethos-u-int16", TOSA_INT16)
