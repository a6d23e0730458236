"""Linear interpolation along one or two dimensions as RESIZE.

Positions in the operand are exact fractions with one denominator for each dimension. Integers are weighted exactly and
rounded once.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.backends.tosa.lowering import Lowering, lowers
from qconvert.backends.tosa.slicing import samples
from qconvert.dialects import composite, stablehlo, tosa
from qconvert.expansion.builder import i48
from qconvert.expansion.expander import per_tensor, tosa_element
from qconvert.expansion.resize import as_image, as_result, is_repeated, repeated
from qconvert.ir import element_type, i32, is_float, shape
from qconvert.support.errors import ConversionError

_UNCHANGED = tosa.Sampling(1, 1, 0, 0)


@lowers(composite.ResizeOp)
def resize(op: composite.ResizeOp, lower: Lowering) -> SSAValue:
    """Lower to RESIZE of (batch, height, width, features); integers are rescaled after it.

    Raises ConversionError for three dimensions and more, and for positions that RESIZE cannot express.
    """
    element = element_type(op.operand)
    if element == element_type(op.result) and not is_float(element) and is_repeated(op):
        return as_result(op, lower, repeated(op, lower, as_image(op, lower)))
    rows, columns = samplings(op)
    made = lower.add(tosa.ResizeOp(as_image(op, lower), *samples(lower, rows, columns), tosa.ResizeMode.BILINEAR))
    if not is_float(element_type(made)):
        made = _averages(op, lower, made, rows.unit * columns.unit)
    return as_result(op, lower, made)


def _averages(op: composite.ResizeOp, lower: Lowering, sums: SSAValue, weight: int) -> SSAValue:
    """Return sums of ``weight`` times storage integers in the result's quantized type."""
    source, target = per_tensor(op.operand), per_tensor(op.result)
    if element_type(sums) == i48:
        sums = lower.rescale(sums, 1.0, i32)
    if source == target:
        held = tosa_element(target)
        assert isinstance(held, IntegerType)
        return lower.rescale(sums, 1 / weight, held)
    if source.zero_point:
        sums = lower.add(tosa.SubOp(sums, lower.filled(source.zero_point * weight, sums)))
    return lower.stored(sums, source.scale / (target.scale * weight), target)


def samplings(op: composite.ResizeOp) -> tuple[tosa.Sampling, tosa.Sampling]:
    """Return the samplings along the first and the second resized dimension.

    Raises ConversionError if RESIZE cannot express them.
    """
    axes = stablehlo.as_tuple(op.axes)
    if len(axes) > 2:
        raise ConversionError(f"RESIZE interpolates along two dimensions, found {len(axes)}")
    found = [
        _sampling(op.coordinates.data, scale, shape(op.operand)[axis], shape(op.result)[axis])
        for axis, scale in zip(axes, op.factors, strict=True)
    ]
    return (found[0], found[1]) if len(found) == 2 else (found[0], _UNCHANGED)


def _sampling(mode: composite.Coordinates, scale: float, original: int, resized: int) -> tosa.Sampling:
    """Return the positions of ``original_coordinates`` in ``qconvert.dialects.composite.resize`` as fractions."""
    unit, step, offset = (1, 1, 0) if scale == 1 else _positions(mode, scale, original, resized)
    divisor = gcd(unit, step, offset)
    unit, step, offset = unit // divisor, step // divisor, offset // divisor
    return tosa.Sampling(unit, step, offset, (resized - 1) * step + offset - (original - 1) * unit)


def _positions(mode: composite.Coordinates, scale: float, original: int, resized: int) -> tuple[int, int, int]:
    """Return unit, step and offset: result position ``i`` is ``(i * step + offset) / unit``."""
    up, down = _ratio(scale, original, resized).as_integer_ratio()
    if resized == 1 and mode in (composite.Coordinates.ALIGN_CORNERS, composite.Coordinates.PYTORCH_HALF_PIXEL):
        return 1, 1, 0
    if mode is composite.Coordinates.ALIGN_CORNERS:
        return resized - 1, original - 1, 0
    if mode is composite.Coordinates.ASYMMETRIC:
        return up, down, 0
    if mode is composite.Coordinates.TF_HALF_PIXEL_FOR_NN:
        return 2 * up, 2 * down, down
    symmetric = up * original - down * resized if mode is composite.Coordinates.HALF_PIXEL_SYMMETRIC else 0
    return 2 * up, 2 * down, down - up + symmetric


def _ratio(scale: float, original: int, resized: int) -> Fraction:
    """Return the fraction that a float32 scale was rounded from.

    Raises ConversionError if its terms are too large for RESIZE.
    """
    for found in (Fraction(resized, original), Fraction(scale).limit_denominator(tosa.LARGEST_NUMERATOR)):
        if np.float32(float(found)) == np.float32(scale):
            return found
    raise ConversionError(f"RESIZE cannot express the scale {scale}")
