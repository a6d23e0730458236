"""Matrix products as one MATMUL, and products of 16-bit integers as LiteRT computes them."""

from __future__ import annotations

from math import prod

from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.expansion.builder import i16
from qconvert.expansion.expander import Expander, per_tensor, signed_type
from qconvert.expansion.registry import expands, rounding_of
from qconvert.ir import described, element_type, is_float, quantized, shape
from qconvert.numerics import ZeroPoints, reduced_factor
from qconvert.support.errors import ConversionError


@expands(stablehlo.DotGeneralOp)
def wide_product(op: stablehlo.DotGeneralOp, build: Expander) -> SSAValue:
    """Multiply 16-bit matrices into i48, and RESCALE with a multiplier of 16 bits."""
    lhs, rhs, target = per_tensor(op.lhs), per_tensor(op.rhs), signed_type(op.results[0])
    factor = reduced_factor(lhs.scale * rhs.scale / target.scale)
    return build.requantized(matrix_product(op, build), factor, target, rounding_of(op))


def matrix_product(op: stablehlo.DotGeneralOp, build: Expander) -> SSAValue:
    """Return the accumulator of a MATMUL of (batch, rows, depth) by (batch, depth, columns), of equal widths."""
    numbers = op.numbers
    lhs, rhs = build.whole(op.lhs), build.whole(op.rhs)
    lhs_free, rhs_free = numbers.lhs_free(len(shape(lhs))), numbers.rhs_free(len(shape(rhs)))
    batch = prod(shape(lhs)[i] for i in numbers.lhs_batching_dimensions)
    rows, columns = prod(shape(lhs)[i] for i in lhs_free), prod(shape(rhs)[i] for i in rhs_free)
    depth = prod(shape(lhs)[i] for i in numbers.lhs_contracting_dimensions)
    lhs_order = (*numbers.lhs_batching_dimensions, *lhs_free, *numbers.lhs_contracting_dimensions)
    rhs_order = (*numbers.rhs_batching_dimensions, *numbers.rhs_contracting_dimensions, *rhs_free)
    left = build.reshape(build.transpose(lhs, lhs_order), (batch, rows, depth))
    right = build.reshape(build.transpose(rhs, rhs_order), (batch, depth, columns))
    matrices, points = [left, right], [zero_point_of(op.lhs), zero_point_of(op.rhs)]
    if i16 in map(element_type, matrices):
        matrices, points = [_wide(*pair, build) for pair in zip(matrices, points, strict=True)], [0, 0]
    zero_points = [build.zero_point(point, element_type(each)) for point, each in zip(points, matrices, strict=True)]
    made = build.add(tosa.MatMulOp((*matrices, *zero_points)))
    return build.reshape(of_element(made, element_type(op.results[0]), build), shape(op.results[0]))


def _wide(matrix: SSAValue, zero_point: int, build: Expander) -> SSAValue:
    """Return a matrix in 16 bits less its zero point: MATMUL takes matrices of one width, wide ones without a point."""
    if element_type(matrix) != i16:
        return (
            build.rescale(matrix, 1.0, i16, ZeroPoints(zero_point))
            if zero_point
            else build.add(tosa.CastOp(matrix, i16))
        )
    if zero_point:
        raise ConversionError(
            "MATMUL supports no zero point of 16-bit matrices", hint="Quantize the 16-bit matrix symmetrically"
        )
    return matrix


def of_element(value: SSAValue, element: Attribute, build: Expander) -> SSAValue:
    """Return floats in another float type; sums of bf16 and of floats of 8 bits are in a wider type. Others stay."""
    differs = is_float(element) and is_float(element_type(value)) and element != element_type(value)
    return build.add(tosa.CastOp(value, element)) if differs else value


def zero_point_of(value: SSAValue) -> int:
    """Return the zero point of an operand, 0 for floats.

    Raises ConversionError if slices have different zero points.
    """
    element = quantized(value)
    if element is None:
        return 0
    first, *others = set(element.signed.data.zero_points)
    if others:
        raise ConversionError(f"TOSA supports one zero point for all weights, found {described(element)}")
    return first
