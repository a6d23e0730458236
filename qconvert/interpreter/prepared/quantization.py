"""``uniform_quantize`` of 8-bit integers by a table, and ``uniform_dequantize`` of a type of one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qconvert.dialects import stablehlo
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.implementation import Array, Constants, Prepared, prepares
from qconvert.ir import numpy_dtype, quantized

_SMALL = 1 << 9
"""Fewer elements are looked up by an index; more by the translation of bytes, which is the fastest."""


@prepares(stablehlo.UniformQuantizeOp)
def uniform_quantize(op: stablehlo.UniformQuantizeOp, constants: Constants) -> Prepared | None:
    """Prepare the results of all integers of an 8-bit type of one scale."""
    element = quantized(op.operand)
    if element is None or not element.is_per_tensor or numpy_dtype(element).itemsize != 1:
        return None
    result = quantized(op.result)
    if result is None or not result.is_per_tensor:
        return None
    every = np.arange(256, dtype=np.uint8).view(numpy_dtype(element))
    (table,) = evaluate_op(op, [every])
    difference = every.astype(np.int64) - table
    if table.itemsize > 1 and (difference == difference[0]).all():
        return Prepared((op,), (op.operand,), _Shift(table.dtype, table.dtype.type(difference[0])), 0)
    return Prepared((op,), (op.operand,), _Table(table), table.nbytes)


@dataclass(frozen=True)
class _Shift:
    """The same integers in a wider type, less a zero point."""

    dtype: np.dtype[np.generic]
    zero_point: np.generic

    def __call__(self, operands: Sequence[Array]) -> Array:
        """Return the integers."""
        return np.asarray(np.subtract(operands[0], self.zero_point, dtype=self.dtype))


@dataclass(frozen=True)
class _Table:
    """The results of all bytes."""

    table: Array

    def __call__(self, operands: Sequence[Array]) -> Array:
        """Return the entries of an array's bytes."""
        (array,) = operands
        if self.table.itemsize > 1 or array.size < _SMALL:
            return np.asarray(self.table[array.view(np.uint8)])
        found = array.tobytes().translate(self.table.tobytes())
        return np.frombuffer(found, self.table.dtype).reshape(array.shape)


@prepares(stablehlo.UniformDequantizeOp)
def uniform_dequantize(op: stablehlo.UniformDequantizeOp, constants: Constants) -> Prepared | None:
    """Prepare the scale of integers of at most 16 bits, whose differences from a zero point are exact in float32."""
    element = quantized(op.operand)
    if element is None or not element.is_per_tensor or element.storage.width > 16:
        return None
    if numpy_dtype(element.expressed_type) != np.float32:
        return None
    compute = _Scaling(np.float32(element.zero_point), np.float32(element.scale))
    return Prepared((op,), (op.operand,), compute, 0)


@dataclass(frozen=True)
class _Scaling:
    """The product of integers less a zero point and a scale."""

    zero_point: np.float32
    scale: np.float32

    def __call__(self, operands: Sequence[Array]) -> Array:
        """Return the floats."""
        real = np.asarray(np.subtract(operands[0], self.zero_point, dtype=np.float32))
        return np.multiply(real, self.scale, out=real)
