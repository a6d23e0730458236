"""The ops behind a contraction by a constant: the bias and the rounding of the sums, computed together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from qconvert.dialects import stablehlo
from qconvert.interpreter.contraction import Contraction, accumulator_scale, is_accumulator
from qconvert.interpreter.core import INT32, follows_onnx, is_standard
from qconvert.interpreter.elementwise import adds_integers
from qconvert.interpreter.implementation import Array, Constants
from qconvert.ir import UniformQuantizedType, numpy_dtype, quantized
from qconvert.numerics import SumRounding

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Accumulation:
    """The ops behind the sums of a contraction: the last of ``ops`` gives the result.

    ``bias`` is a column with an element for each feature, or one. Without ``rounding`` the result is the sums.
    """

    ops: tuple[Operation, ...]
    dtype: np.dtype[Any]
    bias: Doubles
    rounding: SumRounding | None

    def store(self, sums: Array, result: Array) -> None:
        """Write the results for sums, a row for each feature, that are integers held as floats."""
        if self.rounding is None:
            np.copyto(result, np.add(sums, self.bias, dtype=np.float64), casting="unsafe")
        else:
            self.rounding.store(sums, result)


_NO_BIAS = np.zeros((1, 1))


def accumulation(
    op: Contraction, constants: Constants, axis: int, bound: int, offset: NDArray[np.int64]
) -> Accumulation | None:
    """Return the ops behind a contraction that take its sums, none of which exceeds ``bound`` in magnitude.

    ``axis`` is the dimension of features in the result, ``offset`` a column of what each feature's sums lack. None
    stands for sums that may leave 32 bits, and for scales along another dimension.
    """
    scale, element = accumulator_scale(op), quantized(op.results[0])
    if scale is None or element is None or scale.size not in (1, scale.shape[axis]):
        return None
    if not is_accumulator(element, scale):
        return _rounded(op, element, (op,), offset.astype(np.float64), scale.reshape(-1, 1), axis)
    ops, added = _with_bias(op, constants, axis)
    if bound + int(np.abs(added).max()) > INT32.max:
        return None
    bias = added + offset
    last, scales = _only_user(ops[-1]), _column(element, element.scales, axis)
    result = quantized(last.results[0]) if isinstance(last, stablehlo.UniformQuantizeOp) else None
    if last is None or result is None or scales is None or not is_standard(last):
        return Accumulation(ops, np.dtype(np.int32), bias, None)
    found = _rounded(last, result, (*ops, last), bias, scales, axis)
    return Accumulation(ops, np.dtype(np.int32), bias, None) if found is None else found


def _rounded(
    op: Operation, element: UniformQuantizedType, ops: tuple[Operation, ...], bias: Doubles, scale: Doubles, axis: int
) -> Accumulation | None:
    """Return the rounding of an op to a type, or None if the type's scales are along another axis."""
    scales, zero_points = (_column(element, values, axis) for values in (element.scales, element.zero_points))
    if scales is None or zero_points is None:
        return None
    storage = element.storage
    rounding = SumRounding(bias, scale, scales, zero_points, storage.minimum, storage.maximum, follows_onnx(op))
    return Accumulation(ops, numpy_dtype(element), bias, rounding)


def _column(element: UniformQuantizedType, values: NDArray[Any], axis: int) -> Doubles | None:
    """Return a type's scales or zero points with an element for each feature, or for all."""
    if not element.is_per_tensor and element.quantization_dimension != axis:
        return None
    return np.asarray(values, np.float64).reshape(-1, 1)


def _with_bias(op: Operation, constants: Constants, axis: int) -> tuple[tuple[Operation, ...], Doubles]:
    """Return an op, with the addition of a constant that has one element for each feature, and the constant."""
    user = _only_user(op)
    if not isinstance(user, stablehlo.AddOp) or not is_standard(user) or not adds_integers(user):
        return (op,), _NO_BIAS
    [array] = [constants.get(operand) for operand in user.operands if operand is not op.results[0]]
    if array is None or any(size > 1 and array.strides[i] for i, size in enumerate(array.shape) if i != axis):
        return (op,), _NO_BIAS
    first = array[tuple(slice(None) if i == axis else 0 for i in range(array.ndim))]
    return (op, user), first.astype(np.float64).reshape(-1, 1)


def _only_user(op: Operation) -> Operation | None:
    """Return the only op that uses an op's result, once and in the same block; None for several."""
    uses = list(op.results[0].uses)
    return uses[0].operation if len(uses) == 1 and uses[0].operation.parent is op.parent else None
