"""Inverses and inverse square roots in integers: a table of 16 bits and one step of Newton's method.

The operand is a fraction ``w`` of 31 bits. The table's index holds 16 bits of it, and TABLE interpolates.

**1 / w**, for w from 1/2 to 1, is off by at most 2^-14 of itself in the table: by the index 2^-15, by interpolation
2^-16 and by the entry 2^-15. The step ``r (2 - w r)`` squares the error. With the rounding of the products, the inverse
is off by less than 2^-27 of itself.

**1 / sqrt(w)**, for w from 1/16 to 1, is off by at most 2^-13 of itself in the table: by the index 2^-14, by
interpolation 2^-14.4 and by the entry 2^-15. The step ``r + r (1 - w r^2) / 2`` turns an error e into 1.5 e^2. With the
rounding of the products, the root is off by less than 2^-24.5 of itself.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.backends.tosa.lowering import Lowering
from qconvert.dialects import tosa
from qconvert.expansion.builder import i16
from qconvert.numerics.interpolated_table import STEP_BITS, table_between

FRACTION_BITS = 31
"""Number of bits of an operand behind the point."""

INVERSE_BITS = 29
"""Number of bits of an inverse behind the point: an inverse is at most 2."""

ROOT_BITS = 28
"""Number of bits of a root behind the point: a root is at most 4, and 6 where the operand is below 1/16."""

_INVERSE_ENTRY_BITS, _ROOT_ENTRY_BITS = 14, 13
"""Number of bits of an entry behind the point."""

_SQUARE_BITS = 26
"""Number of bits of a square behind the point, which is below 16."""

_ZERO, _ONE = np.float64(0), np.float64(1)
_INVERSES = table_between(lambda w: 1 / np.maximum(w, 1 / 2), -_ONE, _ONE, np.float64(1 << _INVERSE_ENTRY_BITS))
"""513 entries of ``1 / w`` for w from -1 to 1; that of 2, as those below 1/2, is the largest integer of 16 bits."""

_ROOTS = table_between(lambda w: 1 / np.sqrt(np.maximum(w, 1 / 512)), _ZERO, _ONE, np.float64(1 << _ROOT_ENTRY_BITS))
"""513 entries of ``1 / sqrt(w)`` for w from 0 to 1; those of 4 and more have the largest integer of 16 bits."""


def inverse(lower: Lowering, fraction: SSAValue) -> SSAValue:
    """Return ``1 / w`` with ``INVERSE_BITS`` bits behind the point from a ``w`` with ``FRACTION_BITS`` bits."""
    index = lower.rescale(fraction, 2.0 ** (15 - FRACTION_BITS), i16)
    rough, bits = lower.add(tosa.TableOp(index, lower.constant(_INVERSES, i16))), _INVERSE_ENTRY_BITS + STEP_BITS
    product = lower.multiply(fraction, rough, shift=FRACTION_BITS + bits - 30)
    correction = lower.add(tosa.SubOp(lower.filled((1 << 31) - 1, product), product))
    return lower.multiply(rough, correction, shift=bits + 30 - INVERSE_BITS)


def inverse_root(lower: Lowering, fraction: SSAValue) -> SSAValue:
    """Return ``1 / sqrt(w)`` with ``ROOT_BITS`` bits behind the point from a ``w`` with ``FRACTION_BITS`` bits.

    An operand below 1/16 has a root of at least 4 that means nothing, but does not overflow.
    """
    middle = lower.offset(fraction, -(1 << (FRACTION_BITS - 1)))
    index = lower.rescale(middle, 2.0 ** (16 - FRACTION_BITS), i16)
    rough, bits = lower.add(tosa.TableOp(index, lower.constant(_ROOTS, i16))), _ROOT_ENTRY_BITS + STEP_BITS
    square = lower.multiply(rough, rough, shift=2 * bits - _SQUARE_BITS)
    product = lower.multiply(fraction, square, shift=FRACTION_BITS)
    error = lower.add(tosa.SubOp(lower.filled(1 << _SQUARE_BITS, product), product))
    step = lower.multiply(rough, error, shift=bits + _SQUARE_BITS + 1 - ROOT_BITS)
    return lower.add(tosa.AddOp(lower.shift_left(rough, ROOT_BITS - bits), step))
