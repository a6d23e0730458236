"""Inverse square roots in integers: a table of 16 bits and one step of Newton's method.

The radicand is a fraction ``w`` of 31 bits, from 1/16 to 1. The table's index holds 16 bits of ``w``, and TABLE
interpolates. So the first root is off by at most 2^-13 of itself: by the index 2^-14, by interpolation 2^-14.4 and by
the entry 2^-15. The step ``r + r (1 - w r^2) / 2`` turns an error e into 1.5 e^2. With the rounding of the products,
the root is off by less than 2^-24.5 of itself.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.backends.tosa.lowering import Lowering
from qconvert.dialects import tosa
from qconvert.expansion.builder import i16
from qconvert.numerics.interpolated_table import table_between

RADICAND_BITS = 31
"""Number of bits of a radicand behind the point."""

ROOT_BITS = 28
"""Number of bits of a root behind the point: a root is at most 4, and 6 where the radicand is below 1/16."""

_ENTRY_BITS, _SPACING_BITS = 13, 7
"""Number of bits of an entry behind the point, and of those that interpolation adds."""

_SQUARE_BITS = 26
"""Number of bits of a square behind the point, which is below 16."""

_ROOTS = table_between(
    lambda w: 1 / np.sqrt(np.maximum(w, 1 / 512)), np.float64(0), np.float64(1), np.float64(1 << _ENTRY_BITS)
)
"""513 entries of ``1 / sqrt(w)`` for w from 0 to 1; those of 4 and more have the largest integer of 16 bits."""


def inverse_root(lower: Lowering, radicand: SSAValue) -> SSAValue:
    """Return ``1 / sqrt(w)`` with ``ROOT_BITS`` bits behind the point from a ``w`` with ``RADICAND_BITS`` bits.

    A radicand below 1/16 has a root of at least 4 that means nothing, but does not overflow.
    """
    middle = lower.offset(radicand, -(1 << (RADICAND_BITS - 1)))
    index = lower.rescale(middle, 2.0 ** (16 - RADICAND_BITS), i16)
    rough, bits = lower.add(tosa.TableOp(index, lower.constant(_ROOTS, i16))), _ENTRY_BITS + _SPACING_BITS
    square = lower.multiply(rough, rough, shift=2 * bits - _SQUARE_BITS)
    product = lower.multiply(radicand, square, shift=RADICAND_BITS)
    error = lower.add(tosa.SubOp(lower.filled(1 << _SQUARE_BITS, product), product))
    step = lower.multiply(rough, error, shift=bits + _SQUARE_BITS + 1 - ROOT_BITS)
    return lower.add(tosa.AddOp(lower.shift_left(rough, ROOT_BITS - bits), step))
