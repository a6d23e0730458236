"""Arm's Ethos-U: the kernels of TOSA's integer profile that Vela 5.2 compiles, with weights in the program.

Ethos-U85 has them all. Ethos-U55 and U65 lack SELECT, most RESIZEs, and functions of one 16-bit tensor that are not
clamps: ``qconvert convert --npu`` and ``inspect --npu`` name such nodes.
"""

from __future__ import annotations

from typing import get_args

from qconvert.dialects import composite
from qconvert.quantization.fusion.kernel_names import kernel_of
from qconvert.quantization.rules import free_scale
from qconvert.quantization.signature import PortType, Signature
from qconvert.quantization.target import Kernel, Target
from qconvert.quantization.targets.catalog import shipped
from qconvert.quantization.targets.kernels import ACTIVATION, ACTIVATION_16, free
from qconvert.quantization.targets.tosa import TOSA_INT8, TOSA_INT16

_NORMALIZATIONS = tuple(map(kernel_of, get_args(composite.ByVariance)))
_FLOAT = PortType(is_float=True)


def _whole(name: str, target: Target, activation: PortType, *more: Kernel) -> Target:
    """Return a target with the kernels of another one, and normalizations, whose factors and summands are constants."""
    constants = Signature((activation, _FLOAT, _FLOAT), (activation,), optional=2)
    normalizations = (Kernel(each, constants, free_scale) for each in _NORMALIZATIONS)
    kernels = (*target.kernels, *normalizations, *more)
    return shipped(Target(name, kernels, integers_only=True, accelerator="ethos-u"))


ETHOS_U = _whole("ethos-u", TOSA_INT8, ACTIVATION, *free(("l2_normalization",), ACTIVATION))
ETHOS_U_INT16 = _whole("ethos-u-int16", TOSA_INT16, ACTIVATION_16)
