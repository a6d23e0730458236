"""Requantization by FULLY_CONNECTED: rounded once, halves away from zero.

TOSA's RESCALE rounds halves up. Only few factors have halves at all: their multiplier ends with so many zero bits that
an integer of the sums times it is an odd multiple of one half. The two differ on negative sums then, which are
rescaled as their magnitudes:

::

    sums ── MAXIMUM 0 ── RESCALE ──────────────┐
       └─── MINIMUM 0 ── 0 - .. ── RESCALE ── SUB ── RESCALE to the zero point
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import ArrayLike
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import constant_array
from qconvert.expansion.expander import Expander
from qconvert.ir import UniformQuantizedType, i32, quantized, shape
from qconvert.numerics import multiplier_and_shift

_BEYOND = 1 << 31


def has_halves(factor: ArrayLike, largest: int) -> bool:
    """Return True if an integer of at most ``largest`` in magnitude, times a factor, is halfway between two integers.

    A multiplier is an odd number times ``2^zeros``: a half needs a multiple of ``2^(shift - zeros - 1)``.
    """
    multiplier, shift = (part.astype(np.int64) for part in multiplier_and_shift(np.atleast_1d(factor)))
    zeros = np.frexp((multiplier & -multiplier).astype(np.float64))[1] - 1
    places = np.where(multiplier > 0, shift - zeros - 1, 63)
    return bool((places <= int(largest).bit_length() - 1).any())


def largest_sum(value: SSAValue) -> int:
    """Return a bound of the magnitude of sums of products, with or without a constant bias; that of 32 bits else."""
    owner, bias = value.owner, 0
    if isinstance(owner, stablehlo.AddOp):
        held = constant_array(owner.rhs)
        if held is None:
            return _BEYOND
        owner, bias = owner.lhs.owner, int(np.abs(held.astype(np.int64)).max(initial=0))
    if not isinstance(owner, stablehlo.DotGeneralOp):
        return _BEYOND
    depth = prod(shape(owner.lhs)[i] for i in owner.numbers.lhs_contracting_dimensions)
    elements = [quantized(operand) for operand in (owner.lhs, owner.rhs)]
    widths = [_BEYOND if element is None else 1 << element.storage.width for element in elements]
    return min(_BEYOND, depth * widths[0] * widths[1] + bias)


def rounded_away(build: Expander, sums: SSAValue, factor: ArrayLike, target: UniformQuantizedType) -> SSAValue:
    """Return the storage integers of sums in i32 times a factor, rounded once, halves away from zero."""
    zero = build.filled(0, sums)
    above = build.rescale(build.add(tosa.MaximumOp(sums, zero)), factor, i32)
    negated = build.add(tosa.SubOp(zero, build.add(tosa.MinimumOp(sums, zero))))
    made = build.add(tosa.SubOp(above, build.rescale(negated, factor, i32)))
    return build.requantized(made, 1.0, target)
