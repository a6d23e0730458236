"""Requantization as LiteRT computes it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.expansion.expander import Expander, integer_of, signed_type
from qconvert.expansion.halves import has_halves, largest_sum, rounded_away
from qconvert.expansion.registry import expands, follows_of, rounding_of
from qconvert.ir import Arithmetic, UniformQuantizedType, quantized
from qconvert.numerics import Rounding, ZeroPoints, round_half_away

_BYTE = 8


@expands(stablehlo.UniformQuantizeOp)
def requantize(op: stablehlo.UniformQuantizeOp, build: Expander) -> SSAValue:
    """Rescale, with a factor for each channel if channels have scales of their own.

    What LiteRT rounds once are the sums of FULLY_CONNECTED, and in f32 the bytes that CONCATENATION rescales.
    """
    source, target = quantized(op.operand), signed_type(op.result)
    assert source is not None
    zero_points = ZeroPoints(0 if source.is_per_axis else source.signed.zero_point, target.zero_point)
    factor = quotient(follows_of(op), source.scales, target.scale)
    is_once = rounding_of(op) is Rounding.SINGLE_ROUND
    if is_once and follows_of(op).multiplier_float_width == 32:
        return build.looked_up(build[op.operand], _in_floats(source, target))
    if is_once and has_halves(factor, largest_sum(op.operand)):
        return rounded_away(build, build[op.operand], factor, target)
    made = build.rescale(build[op.operand], factor, integer_of(target), zero_points, rounding_of(op))
    return build.clamp(made, target.storage.minimum, target.storage.maximum)


def _in_floats(source: UniformQuantizedType, target: UniformQuantizedType) -> NDArray[np.int8]:
    """Return the results of all bytes as CONCATENATION of uint8 computes them in f32, halves away from zero."""
    given, made = source.unsigned, target.unsigned
    scale = np.float32(given.scale) * (np.float32(1) / np.float32(made.scale))
    bias = np.float32(-given.zero_point) * scale
    rounded = round_half_away(np.arange(1 << _BYTE, dtype=np.float32) * scale + bias).astype(np.int64)
    half = 1 << (_BYTE - 1)
    return (np.clip(rounded + made.zero_point, 0, (1 << _BYTE) - 1) - half).astype(np.int8)


def quotient(follows: Arithmetic, dividend: Any, divisor: Any) -> Any:
    """Return a quotient of scales in the float type that the arithmetic names, as a float64."""
    dtype = np.float32 if follows.multiplier_float_width == 32 else np.float64
    with np.errstate(over="ignore"):  # RESCALE refuses such scales
        return (np.asarray(dividend, dtype) / np.asarray(divisor, dtype)).astype(np.float64)
