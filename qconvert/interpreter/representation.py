"""Elementwise ops on how numbers are represented."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from qconvert import numerics
from qconvert.dialects.stablehlo.constraints import bits
from qconvert.dialects.stablehlo.representation import CountLeadingZerosOp, IsFiniteOp, PopcntOp, ReducePrecisionOp
from qconvert.interpreter.elementwise import through_float
from qconvert.interpreter.implementation import Array, implements
from qconvert.ir.types import element_type


def _bits(op: Operation, array: Array) -> Array:
    """The bits of integers as unsigned ones, without those that only hold an element of fewer bits than a byte."""
    width = bits(element_type(op.operands[0]))
    raw = array.astype(np.uint8) if array.dtype == np.bool_ else array.view(f"u{array.itemsize}")
    return np.asarray(raw & raw.dtype.type((1 << width) - 1))


@implements(PopcntOp)
def popcnt(op: Operation, operands: Sequence[Array]) -> Array:
    """The number of ones."""
    return np.asarray(np.bitwise_count(_bits(op, operands[0]))).astype(operands[0].dtype)


@implements(CountLeadingZerosOp)
def count_leading_zeros(op: Operation, operands: Sequence[Array]) -> Array:
    """The number of zeros before the first one: the width less the ones once all bits below the first are set."""
    filled, width = _bits(op, operands[0]), bits(element_type(op.operands[0]))
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < width:
            filled = filled | filled >> filled.dtype.type(shift)
    return np.asarray(width - np.bitwise_count(filled)).astype(operands[0].dtype)


@implements(IsFiniteOp)
def is_finite(op: IsFiniteOp, operands: Sequence[Array]) -> Array:
    """Neither infinite nor NaN; what a quantized element stands for."""
    return through_float(op, operands, np.isfinite)


@implements(ReducePrecisionOp)
def reduce_precision(op: ReducePrecisionOp, operands: Sequence[Array]) -> Array:
    """Rounded to fewer bits and back."""
    return through_float(op, operands, lambda x: numerics.reduce_precision(x, *op.bits))
