"""The real values that quantized elementwise ops round, in float64 and in the floats of their own arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.interpreter.core import dequantize, follows_onnx
from qconvert.interpreter.elementwise import BINARY, UNARY
from qconvert.interpreter.implementation import Array
from qconvert.ir import UniformQuantizedType, numpy_dtype, quantized, quantized_element, tensor


def exact_function(op: Operation) -> Callable[..., Any] | None:
    """Return the function of real values whose result an elementwise op rounds, or None for another op."""
    if isinstance(op, stablehlo.UniformQuantizeOp):
        return np.positive
    return UNARY.get(type(op)) or BINARY.get(type(op))


def real_numbers(value: SSAValue, array: Array) -> Array:
    """Return the real values of a quantized operand in float64, where products of 8-bit integers and scales are exact.

    The elements of other operands are returned unchanged.
    """
    element = quantized(value)
    if element is None:
        return array
    zero_points = element.broadcast(element.zero_points, array.shape)
    return np.asarray((array.astype(np.float64) - zero_points) * element.broadcast(scales_of(element), array.shape))


def float_quotients(op: Operation, operands: Sequence[Array]) -> Array:
    """Return the numbers that an elementwise op rounds to integers, as it computes them in floats of its own type.

    They contain the zero point in StableHLO's order of rounding, and do not contain it in ONNX's.
    """
    function = exact_function(op)
    assert function is not None
    with np.errstate(all="ignore"):
        return rounded_quotients(op, np.asarray(function(*map(dequantize, operands, map(tensor, op.operands)))))


def rounded_quotients(op: Operation, real: Array) -> Array:
    """Return the numbers that an op rounds to integers, given its real results in floats of its own type."""
    element = quantized_element(op.results[0])
    with np.errstate(all="ignore"):
        quotients = real / element.broadcast(scales_of(element), real.shape).astype(real.dtype)
        if follows_onnx(op):
            return np.asarray(quotients)
        zero_points = element.broadcast(element.zero_points, real.shape)
        return np.asarray(quotients + zero_points.astype(real.dtype))


def scales_of(element: UniformQuantizedType) -> NDArray[np.float64]:
    """Return the scales as the expressed type holds them: ops compute with these."""
    return element.scales.astype(numpy_dtype(element.expressed_type)).astype(np.float64)
