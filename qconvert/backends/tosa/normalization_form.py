"""Normalizations by mean and variance as what is done to the rows of a matrix of integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import frexp, prod, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import composite
from qconvert.dialects.constants import constant_array
from qconvert.expansion.expander import per_tensor
from qconvert.interpreter.exact import real_numbers
from qconvert.ir import UniformQuantizedType, shape
from qconvert.numerics import unrepeated
from qconvert.rewriting import dequantized, magnitude
from qconvert.support.errors import ConversionError

Normalization: TypeAlias = composite.ByVariance | composite.L2NormalizationOp
Numbers: TypeAlias = NDArray[np.float64]

RESULT_BITS = 29
"""Number of bits of a result that is stored in 32 bits, which RESCALE takes with all multipliers."""

_MOST_GAINS = {8: 1 << 18, 16: 1 << 21, 32: (1 << RESULT_BITS) + 1}
"""The largest gain in LSB of the result, by the number of its bits."""

_SUM_BITS = 31
_MOST_WIDE = 1 << 14
"""The longest row of integers whose squares, of more than 31 bits, are summed in two parts."""

_MANTISSA_BITS, _LEAST_EXPONENT = 30, -28
_TINY = 2.0**-60


@dataclass(frozen=True)
class Form:
    """A normalization of the rows of a matrix, which is the operand with its dimensions in an ``order``.

    ``factor`` multiplies p and ``bias`` is added, both in LSB of the result; they broadcast to the matrix. K is
    ``epsilon``. The sum of a row's squares has more than 31 bits if it ``is_wide``.
    """

    order: tuple[int, ...]
    rows: int
    count: int
    centres: bool
    is_wide: bool
    epsilon: float
    factor: Numbers
    bias: Numbers

    @property
    def gain(self) -> float:
        """The largest ``G + B``."""
        return float(np.abs(self.factor).max() + np.abs(self.bias).max())

    @property
    def mantissa(self) -> tuple[int, int]:
        """K as an integer of 30 bits and the number of its bits behind the point; a tiny number stands for 0."""
        mantissa, exponent = frexp(max(self.epsilon, _TINY))
        return int(mantissa * (1 << _MANTISSA_BITS)), _MANTISSA_BITS - exponent


def integer_form(op: Normalization) -> Form:
    """Return the form of a quantized op in integers; raises ConversionError as :func:`form_between` does."""
    return form_between(op, per_tensor(op.operand), per_tensor(op.result))


def form_between(op: Normalization, source: UniformQuantizedType, target: UniformQuantizedType) -> Form:
    """Return the form of an op in integers of two types.

    Raises ConversionError for operands of other types than 8 and 16 bits, computed scales, long rows and large factors.
    """
    if not source.is_per_tensor or source.storage.width not in (8, 16) or target.storage.width not in _MOST_GAINS:
        raise ConversionError(f"normalizations of 8- and 16-bit integers are supported, found {source} to {target}")
    if isinstance(op, composite.L2NormalizationOp):
        form = _along_axis(op, source, target)
    else:
        form = _by_variance(op, source, target)
    is_fine = form.gain <= _MOST_GAINS[target.storage.width] and form.mantissa[1] >= _LEAST_EXPONENT
    if not is_fine or not np.isfinite(form.epsilon):
        raise ConversionError("its numbers are too large for integers of 32 bits")
    return form


def _along_axis(op: composite.L2NormalizationOp, source: UniformQuantizedType, target: UniformQuantizedType) -> Form:
    """Return the form of a division by the root of a sum of squares, which is 0 or at least the scale."""
    if op.floor.value.data > source.scale**2:
        raise ConversionError(
            f"the smallest sum of squares is {op.floor.value.data:g}, more than the square of the scale"
        )
    sizes, axis = shape(op.operand), op.axis.value.data
    order = (*(i for i in range(len(sizes)) if i != axis), axis)
    factor = np.full((1, 1), 1 / target.scale)
    is_wide = _is_wide(sizes[axis], magnitude(source))
    rows = prod(sizes) // sizes[axis]
    return Form(order, rows, sizes[axis], False, is_wide, 0.0, factor, np.zeros((1, 1)))


def _by_variance(op: composite.ByVariance, source: UniformQuantizedType, target: UniformQuantizedType) -> Form:
    """Return the form of a normalization by the variance, or by the mean of squares."""
    sizes = shape(op.operand)
    axis = 2 if isinstance(op, composite.InstanceNormalizationOp) else op.axis.value.data
    rows, count = prod(sizes[:axis]), prod(sizes[axis:])
    centres = not isinstance(op, composite.RmsNormalizationOp)
    span = source.storage.maximum - source.storage.minimum + 1
    is_wide = _is_wide(count, span / 2 if centres else magnitude(source))
    scale, *bias = (_parameter(op, value, axis) / target.scale for value in op.operands[1:])
    return Form(
        tuple(range(len(sizes))),
        rows,
        count,
        centres,
        is_wide,
        op.epsilon.value.data * count / source.scale**2,
        scale * sqrt(count),
        bias[0] if bias else np.zeros((1, 1)),
    )


def _is_wide(count: int, largest: float) -> bool:
    """Return True if squares of integers, or their mean, up to the square of ``largest`` have a sum above 31 bits.

    Raises ConversionError if two parts of the sum do not fit either.
    """
    if count * largest**2 < 1 << _SUM_BITS:
        return False
    if count > _MOST_WIDE:
        raise ConversionError(
            f"the sum of the squares of {count} integers up to {largest:.0f} is too large for 32-bit integers"
        )
    return True


def _parameter(op: composite.ByVariance, value: SSAValue, axis: int) -> Numbers:
    """Return a constant scale or bias as a matrix with size 1 where it is repeated.

    Raises ConversionError for a computed one.
    """
    value, sizes = dequantized(value) or value, shape(op.operand)
    array = constant_array(value)
    if array is None:
        raise ConversionError("its scale and bias must be constants")
    real = unrepeated(np.asarray(real_numbers(value, array), np.float64))
    in_front = 1 if isinstance(op, composite.InstanceNormalizationOp) else len(sizes) - real.ndim
    own = (*(1,) * in_front, *real.shape)
    own = (*own, *(1,) * (len(sizes) - len(own)))
    rows, columns = (_filled(own[part], sizes[part]) for part in (slice(axis), slice(axis, None)))
    return np.broadcast_to(real.reshape(own), (*rows, *columns)).reshape(prod(rows), prod(columns))


def _filled(own: Sequence[int], whole: Sequence[int]) -> Sequence[int]:
    """Return the sizes of a parameter along some dimensions: the whole sizes, or 1 if it is repeated along all."""
    return whole if any(size > 1 for size in own) else own
