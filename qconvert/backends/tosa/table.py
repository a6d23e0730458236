"""Functions of one quantized value as TABLE, or as GATHER where TABLE has too few entries or bits."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.backends.tosa.lowering import Lowering, lowers, lowers_litert
from qconvert.dialects import composite, tosa
from qconvert.expansion.builder import i16
from qconvert.expansion.expander import per_tensor
from qconvert.ir.types import i8, i32, shape

_STEP = 128
"""How far apart the operands are whose results a 16-bit TABLE holds; between them it interpolates."""


@lowers(composite.LookupOp)
def lookup(op: composite.LookupOp, lower: Lowering) -> SSAValue:
    """TABLE where that gives every value to 1 LSB, between 8-bit integers exactly; GATHER elsewhere."""
    return _looked_up(op, lower, 1)


@lowers_litert(composite.LookupOp)
def exact_lookup(op: composite.LookupOp, lower: Lowering) -> SSAValue:
    """TABLE where that gives every value exactly; GATHER elsewhere."""
    return _looked_up(op, lower, 0)


def _looked_up(op: composite.LookupOp, lower: Lowering, most: int) -> SSAValue:
    widths = [per_tensor(value).storage.width for value in (op.operand, op.result)]
    values = op.values.array
    if widths == [8, 8]:
        return lower.add(tosa.TableOp(lower[op.operand], lower.constant(values, i8)))
    if widths == [16, 16]:
        entries = _entries(values)
        if np.abs(_interpolated(entries) - values.astype(np.int64)).max() <= most:
            fine = lower.add(tosa.TableOp(lower[op.operand], lower.constant(entries, i16)))
            return lower.rescale(fine, 1 / _STEP, i16)
    return _gathered(lower, lower[op.operand], values)


_SEARCHED = 3
"""How far from its straight continuation the entry behind the last is looked for."""


def _entries(values: NDArray[np.generic]) -> NDArray[np.int64]:
    """The 513 entries for 65,536 results: every 128th of them, and one to reach the last of them by."""
    every = values.astype(np.int64)
    straight = 2 * every[-1] - every[-_STEP]
    ends = np.clip(straight + np.arange(-_SEARCHED, _SEARCHED + 1), -(1 << 15), (1 << 15) - 1)
    apart = [np.abs(_interpolated(np.array([every[-_STEP], end])) - every[-_STEP:]).sum() for end in ends]
    return np.append(every[::_STEP], ends[int(np.argmin(apart))])


def _interpolated(entries: NDArray[np.int64]) -> NDArray[np.int64]:
    """What TABLE and a RESCALE behind it make of every 16-bit integer, in order."""
    places = np.arange(_STEP)
    fine = (entries[:-1, None] * _STEP + np.diff(entries)[:, None] * places).reshape(-1)
    rounded: NDArray[np.int64] = (fine + _STEP // 2) // _STEP
    return rounded


def _gathered(lower: Lowering, value: SSAValue, values: NDArray[np.generic]) -> SSAValue:
    """Each element's place in the list of all values, counted from the lowest integer, and what stands there."""
    count, sizes = prod(shape(value)), shape(value)
    wide = lower.reshape(lower.add(tosa.CastOp(value, i32)), (1, count))
    places = lower.add(tosa.AddOp(wide, lower.constant(np.full((1, 1), values.size // 2), i32)))
    element = i8 if values.dtype.itemsize == 1 else i16
    listed = lower.constant(values.reshape(1, -1, 1), element)
    return lower.reshape(lower.add(tosa.GatherOp(listed, places)), sizes)
