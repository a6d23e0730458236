"""CAST and TABLE in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qconvert import numerics
from qconvert.dialects.tosa import conversion as ops
from qconvert.interpreter.implementation import Array, implements_tosa
from qconvert.ir import numpy_dtype, tensor
from qconvert.numerics.interpolated_table import STEP_BITS


@implements_tosa(ops.CastOp)
def cast(op: ops.CastOp, operands: Sequence[Array]) -> Array:
    """Round floats to integers, half to even and saturated; keep the low bits of integers in narrower types."""
    (value,), dtype = operands, numpy_dtype(tensor(op.output).element_type)
    if value.dtype.kind in "iub" or dtype.kind not in "iu":
        return value.astype(dtype)
    return saturated(numerics.round_half_even(value.astype(np.float64)), dtype)


def saturated(value: Array, dtype: np.dtype[Any]) -> Array:
    """Return integers in a narrower type; those beyond it become its limits."""
    limits = np.iinfo(dtype.name)
    return np.clip(value, limits.min, limits.max).astype(dtype)


@implements_tosa(ops.TableOp)
def table(op: ops.TableOp, operands: Sequence[Array]) -> Array:
    """Return the entry of each 8-bit integer; interpolate between two entries for a 16-bit integer."""
    value, entries = operands
    places = value.astype(np.int64) - np.iinfo(value.dtype).min
    if value.dtype == np.int8:
        return np.asarray(entries[places])
    steps = np.diff(entries.astype(np.int64))
    whole, part = places >> STEP_BITS, places & ((1 << STEP_BITS) - 1)
    fine = (entries[whole].astype(np.int64) << STEP_BITS) + steps[whole] * part
    return np.asarray(fine, np.int32)
