"""Requantization as LiteRT computes it."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.expansion.expander import Expander, integer_of, signed_type
from qconvert.expansion.registry import expands, follows_of, rounding_of
from qconvert.ir import Arithmetic, quantized
from qconvert.numerics import ZeroPoints


@expands(stablehlo.UniformQuantizeOp)
def requantize(op: stablehlo.UniformQuantizeOp, build: Expander) -> SSAValue:
    """Rescale, with a factor for each channel if channels have scales of their own."""
    source, target = quantized(op.operand), signed_type(op.result)
    assert source is not None
    zero_points = ZeroPoints(0 if source.is_per_axis else source.signed.zero_point, target.zero_point)
    factor = quotient(follows_of(op), source.scales, target.scale)
    made = build.rescale(build[op.operand], factor, integer_of(target), zero_points, rounding_of(op))
    return build.clamp(made, target.storage.minimum, target.storage.maximum)


def quotient(follows: Arithmetic, dividend: Any, divisor: Any) -> Any:
    """Return a quotient of scales in the float type that the arithmetic names, as a float64."""
    dtype = np.float32 if follows.multiplier_float_width == 32 else np.float64
    with np.errstate(over="ignore"):  # RESCALE refuses such scales
        return (np.asarray(dividend, dtype) / np.asarray(divisor, dtype)).astype(np.float64)
