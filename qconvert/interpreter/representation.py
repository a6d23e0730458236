"""Elementwise ops on the representation of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.interpreter.elementwise import through_float
from qconvert.interpreter.implementation import Array, implements
from qconvert.ir import element_type


def _bits(op: Operation, array: Array) -> Array:
    """Return the bits of integers as unsigned ones; bytes that hold narrower elements lose their unused bits."""
    width = stablehlo.bits(element_type(op.operands[0]))
    raw = array.astype(np.uint8) if array.dtype == np.bool_ else array.view(f"u{array.itemsize}")
    return np.asarray(raw & raw.dtype.type((1 << width) - 1))


@implements(stablehlo.PopcntOp)
def popcnt(op: Operation, operands: Sequence[Array]) -> Array:
    """Return the number of ones."""
    return np.asarray(np.bitwise_count(_bits(op, operands[0]))).astype(operands[0].dtype)


@implements(stablehlo.CountLeadingZerosOp)
def count_leading_zeros(op: Operation, operands: Sequence[Array]) -> Array:
    """Return the number of zeros before the first one.

    All bits below the first one are set. The result is the width minus the number of ones.
    """
    filled, width = _bits(op, operands[0]), stablehlo.bits(element_type(op.operands[0]))
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < width:
            filled = filled | filled >> filled.dtype.type(shift)
    return np.asarray(width - np.bitwise_count(filled)).astype(operands[0].dtype)


@implements(stablehlo.IsFiniteOp)
def is_finite(op: stablehlo.IsFiniteOp, operands: Sequence[Array]) -> Array:
    """Return True for elements that are neither infinite nor NaN; quantized elements are dequantized first."""
    return through_float(op, operands, np.isfinite)


@implements(stablehlo.ReducePrecisionOp)
def reduce_precision(op: stablehlo.ReducePrecisionOp, operands: Sequence[Array]) -> Array:
    """Round to fewer bits and convert back."""
    return through_float(op, operands, lambda x: numerics.reduce_precision(x, *op.bits))
