"""Clamps behind an operator that become the activation fused into it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tflite
from xdsl.ir import Attribute, SSAValue

from qconvert.backends.tflite.graph import Tensor
from qconvert.backends.tflite.lowering import by_width
from qconvert.dialects import stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.ir import UniformQuantizedType, element_type, is_float, numpy_dtype
from qconvert.numerics import activation_bound, largest_finite
from qconvert.rewriting import clamp_behind

_BOUNDS: dict[int, tuple[float, float]] = {
    tflite.ActivationFunctionType.RELU: (0.0, np.inf),
    tflite.ActivationFunctionType.RELU6: (0.0, 6.0),
    tflite.ActivationFunctionType.RELU_N1_TO_1: (-1.0, 1.0),
}

CLAMPS: dict[int, int] = {
    tflite.ActivationFunctionType.RELU: tflite.BuiltinOperator.RELU,
    tflite.ActivationFunctionType.RELU6: tflite.BuiltinOperator.RELU6,
    tflite.ActivationFunctionType.RELU_N1_TO_1: tflite.BuiltinOperator.RELU_N1_TO_1,
}
"""The operators of the same functions."""


def relu_version(function: int, output: Tensor) -> int:
    """Return the version of an operator of CLAMPS."""
    return 1 if function == tflite.ActivationFunctionType.RELU_N1_TO_1 else by_width(output, 2, 2)


class Fused(NamedTuple):
    """The activation behind a value, a number of ActivationFunctionType, and the value that it returns."""

    function: int
    value: SSAValue


def fused_activation(value: SSAValue) -> Fused:
    """Return the activation that is the only use of a value, else none and the value itself."""
    clamp = clamp_behind(value)
    function = None if clamp is None else function_of(clamp)
    if clamp is None or function is None:
        return Fused(tflite.ActivationFunctionType.NONE, value)
    return Fused(function, clamp.result)


def function_of(clamp: stablehlo.ClampOp) -> int | None:
    """Return the ActivationFunctionType that limits values as a clamp does, None if there is none."""
    low, high, element = _level(clamp.min), _level(clamp.max), element_type(clamp.result)
    if low is None or high is None or (isinstance(element, UniformQuantizedType) and not element.is_per_tensor):
        return None
    for function, bounds in _BOUNDS.items():
        if (low, high) == tuple(_limits(element, bounds)):
            return function
    return None


def idle_function(element: UniformQuantizedType) -> int | None:
    """Return an ActivationFunctionType that limits none of a type's values, None if there is none."""
    ends = element.storage.minimum, element.storage.maximum
    return next((function for function, bounds in _BOUNDS.items() if tuple(_limits(element, bounds)) == ends), None)


def _level(value: SSAValue) -> float | None:
    """Return the one number that a constant repeats."""
    array = constant_array(value)
    return None if array is None or not array.size or array.min() != array.max() else float(array.flat[0])


def limits_nothing(bound: SSAValue, element: Attribute, *, is_least: bool) -> bool:
    """Return True for a clamp's lower bound at the least integer of the storage, or an upper one at the largest."""
    if not isinstance(element, UniformQuantizedType) or element_type(bound) != element:
        return False
    return _level(bound) == (element.storage.minimum if is_least else element.storage.maximum)


def _limits(element: Attribute, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return the two bounds as a clamp has them: storage integers if the values are quantized."""
    if not isinstance(element, UniformQuantizedType):
        return bounds[0], min(bounds[1], largest_finite(numpy_dtype(element))) if is_float(element) else bounds[1]
    storage = element.storage
    low, high = (activation_bound(element.scale, element.zero_point, bound) for bound in bounds)
    return max(storage.minimum, low), min(storage.maximum, high)
