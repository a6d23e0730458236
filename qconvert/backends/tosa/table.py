"""Functions of one quantized value as TABLE, or as GATHER if TABLE has too few entries or bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.backends.tosa.lowering import Lowering, lowers, lowers_litert
from qconvert.dialects import composite, tosa
from qconvert.expansion.builder import i16
from qconvert.expansion.expander import per_tensor
from qconvert.ir import i8, i32
from qconvert.numerics import ZeroPoints, multiplier_and_shift, rescale_and_clamp
from qconvert.numerics.interpolated_table import STEP_BITS, is_steep

_SPACING = 1 << STEP_BITS
"""Distance of the operands whose results a 16-bit TABLE holds; TABLE interpolates between them."""
_LEAST = -(1 << 15)
_OPERANDS = np.arange(_LEAST, -_LEAST)
_LEAST_EQUAL = 1 - 2**-8
"""Least share of results that a 16-bit TABLE must have, as validation needs it: rounded entries move the results
between them."""


@lowers(composite.LookupOp)
def lookup(op: composite.LookupOp, lower: Lowering) -> SSAValue:
    """Lower to TABLE if every result is within 1 LSB and 99.6% are equal, else to GATHER; 8-bit TABLEs are exact.

    Multiples of the operand or of its magnitude are RESCALEs.

    The results of 0 and of both ends are equal: these operands are frequent, as others saturate to them.
    """
    return _looked_up(op, lower, _LEAST_EQUAL)


@lowers_litert(composite.LookupOp)
def exact_lookup(op: composite.LookupOp, lower: Lowering) -> SSAValue:
    """Lower to TABLE if every result is exact, else to GATHER."""
    return _looked_up(op, lower, 1.0)


def _looked_up(op: composite.LookupOp, lower: Lowering, least_equal: float) -> SSAValue:
    widths = [per_tensor(value).storage.width for value in (op.operand, op.result)]
    values = op.values.array
    if widths == [8, 8]:
        return lower.add(tosa.TableOp(lower[op.operand], lower.constant(values, i8)))
    if widths == [16, 16]:
        if (factor := _factor(values, _OPERANDS)) is not None:
            return lower.rescale(lower[op.operand], factor, i16)
        if (factor := _factor(values, np.abs(_OPERANDS))) is not None:
            magnitude = lower.add(tosa.AbsOp(lower.rescale(lower[op.operand], 1.0, i32)))
            return lower.rescale(magnitude, factor, i16)
        entries = _entries(values)
        apart = np.abs(_interpolated(entries) - values.astype(np.int64))
        frequent = [0, per_tensor(op.operand).zero_point - _LEAST, -1]
        is_close = apart.max() <= 1 and not apart[frequent].any() and np.mean(apart == 0) >= least_equal
        if is_close and not is_steep(entries):
            fine = lower.add(tosa.TableOp(lower[op.operand], lower.constant(entries, i16)))
            return lower.rescale(fine, 1 / _SPACING, i16)
    return lower.gathered(lower[op.operand], values)


def _factor(values: NDArray[np.generic], operands: NDArray[np.int64]) -> float | None:
    """Return the factor by which a RESCALE of ``operands`` gives all results, if there is one.

    A TABLE of such results is not exact: its last entry, the result of 2^15, would often need a 17th bit.
    """
    results = values.astype(np.float64)
    limits = np.iinfo(np.int16)
    inner = (operands != 0) & (results > limits.min) & (results < limits.max)
    if not inner.any():
        return None
    ends = np.stack([(results[inner] - 0.5) / operands[inner], (results[inner] + 0.5) / operands[inner]])
    factor = float(ends.min(0).max() + ends.max(0).min()) / 2
    if not 2.0**-15 < factor < 2.0**15:
        return None
    rescaled = rescale_and_clamp(operands, *multiplier_and_shift(factor), ZeroPoints(), (limits.min, limits.max))
    return factor if np.array_equal(rescaled, results) else None


_SEARCHED = 3
"""Range, around its linear extrapolation, in which the last entry is searched."""


def _entries(values: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return the 513 entries for 65,536 results: every 128th of them, and an entry that fits the last 128 best."""
    every = values.astype(np.int64)
    rise = int(every[-1] - every[-_SPACING])
    straight = int(every[-_SPACING]) + round(rise * _SPACING / (_SPACING - 1))
    ends = np.clip(straight + np.arange(-_SEARCHED, _SEARCHED + 1), -(1 << 15), (1 << 15) - 1)
    apart = [np.abs(_interpolated(np.array([every[-_SPACING], end])) - every[-_SPACING:]).sum() for end in ends]
    return np.append(every[::_SPACING], ends[int(np.argmin(apart))])


def _interpolated(entries: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the results of TABLE and the RESCALE after it for every 16-bit integer, in order."""
    places = np.arange(_SPACING)
    fine = (entries[:-1, None] * _SPACING + np.diff(entries)[:, None] * places).reshape(-1)
    rounded: NDArray[np.int64] = (fine + _SPACING // 2) // _SPACING
    return rounded
