"""Matrix products as one MATMUL, and products of 16-bit integers as LiteRT computes them."""

from __future__ import annotations

from math import prod

from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.expansion.builder import i16
from qconvert.expansion.expander import Expander, per_tensor, signed_type
from qconvert.expansion.registry import expands, rounding_of
from qconvert.ir import element_type, i8, is_float, quantized, shape
from qconvert.numerics import reduced_factor
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
    if i16 in (element_type(left), element_type(right)) and (zero_point_of(op.lhs) or zero_point_of(op.rhs)):
        raise ConversionError("MATMUL supports no zero point of 16-bit matrices")
    if {element_type(left), element_type(right)} == {i8, i16}:
        left, right = (_widened(matrix, build) for matrix in (left, right))
    zero_points = (
        build.zero_point(zero_point_of(op.lhs), element_type(left)),
        build.zero_point(zero_point_of(op.rhs), element_type(right)),
    )
    made = build.add(tosa.MatMulOp((left, right, *zero_points)))
    return build.reshape(of_element(made, element_type(op.results[0]), build), shape(op.results[0]))


def _widened(matrix: SSAValue, build: Expander) -> SSAValue:
    """Return a matrix in 16 bits: MATMUL takes matrices of one width."""
    return matrix if element_type(matrix) == i16 else build.add(tosa.CastOp(matrix, i16))


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
        raise ConversionError(f"TOSA supports one zero point for all weights, found {element}")
    return first
