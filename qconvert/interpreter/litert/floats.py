"""LiteRT's operators of floats, as its C++ computes them in float32: for lists of results between integers.

Source: TensorFlow Lite's reference kernels of float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import composite, stablehlo
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.implementation import Array
from qconvert.numerics import c_library

_ALL_ONE, _ONLY_POWER = np.float32(16.619047164916992188), np.float32(-9)
"""The numbers above which LiteRT's logistic function is 1, and below which it is the exponential."""


def _logistic(x: Array) -> Array:
    one = np.float32(1)
    between = one / (one + c_library.exp(-x))
    return np.where(x > _ALL_ONE, one, np.where(x < _ONLY_POWER, c_library.exp(x), between))


def _hard_swish(x: Array) -> Array:
    zero, three, six = map(np.float32, (0, 3, 6))
    return np.asarray(x * np.minimum(six, np.maximum(zero, x + three)) / six)


FUNCTIONS: dict[type[Operation], Callable[..., Any]] = {
    composite.EluOp: lambda x: np.where(x < 0, c_library.expm1(x), x),
    composite.HardSwishOp: _hard_swish,
    stablehlo.Atan2Op: c_library.atan2,
    stablehlo.CosineOp: c_library.cos,
    stablehlo.ExponentialOp: c_library.exp,
    stablehlo.LogOp: c_library.log,
    stablehlo.LogisticOp: _logistic,
    stablehlo.PowerOp: c_library.power,
    stablehlo.SineOp: c_library.sin,
    stablehlo.TanhOp: c_library.tanh,
}


def evaluate_as_litert(op: Operation, operands: Sequence[Array]) -> Array:
    """Return the result of an op; on float32 as LiteRT's operator gives it."""
    function = FUNCTIONS.get(type(op))
    if function is None or any(operand.dtype != np.float32 for operand in operands):
        return evaluate_op(op, operands)[0]
    with np.errstate(all="ignore"):
        return np.asarray(function(*operands))
