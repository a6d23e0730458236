"""Elementwise arithmetic: operands on a common scale in 32 bits, the integer op, one rescale to the result."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import ArithmeticFamily, Storage, UniformQuantizedType, family, i32, integer_type, quantized, shape
from qconvert.numerics import integer_of_nan
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.rules import (
    Rewrite,
    lowers,
    on_integers,
    one_type,
    per_tensor_types,
)
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.scaling import Step, check_unit, loader, storer
from qconvert.rewriting import INT32_LIMIT, as_element, as_integers, common_scale, computed, magnitude, spare_bits
from qconvert.support.errors import ConversionError

_QUOTIENT_BITS = {8: 21, 16: 13}
"""Fractional bits of a quotient: the largest left shift of an 8-bit or 16-bit dividend within RESCALE's limits."""


def aligners(elements: Sequence[UniformQuantizedType], scale: float) -> list[Step]:
    """Return the loaders of operands at one scale."""
    return [loader(element, element.scale / scale) for element in elements]


def loaded(build: OpBuilder, loads: Sequence[Step], values: Sequence[SSAValue]) -> list[SSAValue]:
    """Return values through their loaders."""
    return [load(build, value) for load, value in zip(loads, values, strict=True)]


def _is_accumulator(op: Operation) -> bool:
    element = quantized(op.results[0])
    return one_type(op) and element is not None and element.storage.width == 32 and element.has_zero_zero_point


@lowers(stablehlo.AddOp, stablehlo.SubtractOp)
def add(op: stablehlo.BinaryOp) -> Rewrite:
    """Add on twice the larger scale, with spare bits; add accumulators of one type directly."""
    if _is_accumulator(op):
        return on_integers(op)
    lhs, rhs, result = per_tensor_types((op.lhs, op.rhs, op.result))
    return aligned(op, [lhs, rhs], result, headroom=2.0)


@lowers(stablehlo.MaximumOp, stablehlo.MinimumOp, stablehlo.ClampOp)
def extreme(op: stablehlo.BinaryOp | stablehlo.ClampOp) -> Rewrite:
    """Compare the integers of operands of one type, as scales are positive.

    Align other operands on the largest scale.
    """
    if one_type(op):
        return on_integers(op)
    *operands, result = per_tensor_types((*op.operands, op.result))
    return aligned(op, operands, result, headroom=1.0)


def aligned(
    op: Operation, operands: list[UniformQuantizedType], result: UniformQuantizedType, headroom: float
) -> Rewrite:
    """Return the op on operands on one scale."""
    scale = common_scale(operands, spare_bits([*operands, result]), headroom=headroom)
    loads, factor = aligners(operands, scale), scale / result.scale
    check_unit(factor)
    store = storer(result, factor, INT32_LIMIT + 1)

    def rewrite(build: OpBuilder) -> SSAValue:
        return store(build, computed(build, op, loaded(build, loads, op.operands), i32))

    return rewrite


@lowers(stablehlo.MultiplyOp)
def multiply(op: stablehlo.BinaryOp) -> Rewrite:
    """Return the exact product of the integers, rescaled."""
    lhs, rhs, result = per_tensor_types((op.lhs, op.rhs, op.result))
    bound = magnitude(lhs) * magnitude(rhs)
    if bound > INT32_LIMIT:
        raise ConversionError(f"a product of {lhs.storage} and {rhs.storage} reaches {bound}, outside 32 bits")
    loads = [loader(lhs), loader(rhs)]
    store = storer(result, lhs.scale * rhs.scale / result.scale, bound + 1)
    return lambda build: store(build, computed(build, op, loaded(build, loads, op.operands), i32))


@lowers(stablehlo.DivideOp)
def divide(op: stablehlo.BinaryOp) -> Rewrite:
    """Return the quotient with fractional bits; its scale is ``s_lhs / (s_rhs * s_result)``.

    A divisor of 0 gives the saturated infinity of a float division, and 0 / 0 gives the integer of NaN.
    """
    lhs, rhs, result = per_tensor_types((op.lhs, op.rhs, op.result))
    bits = _QUOTIENT_BITS[8 if magnitude(lhs) < 1 << 8 else 16]
    loads = [loader(lhs, float(1 << bits)), loader(rhs)]
    factor = lhs.scale / (rhs.scale * result.scale * (1 << bits))
    check_unit(factor)
    store = storer(result, factor, (magnitude(lhs) << bits) + 1)

    def rewrite(build: OpBuilder) -> SSAValue:
        dividend, divisor = loaded(build, loads, op.operands)
        zero = build.filled_like(0, divisor)
        by_zero = build.add(stablehlo.CompareOp(divisor, zero, stablehlo.ComparisonDirection.EQ))
        safe = build.add(stablehlo.SelectOp(by_zero, build.filled_like(1, divisor), divisor))
        quotient = as_integers(build, store(build, computed(build, op, [dividend, safe], i32)))
        chosen = build.add(stablehlo.SelectOp(by_zero, _without_divisor(build, dividend, op, result.storage), quotient))
        return as_element(build, chosen, result)

    return rewrite


def _without_divisor(build: OpBuilder, dividend: SSAValue, op: Operation, storage: Storage) -> SSAValue:
    """Return the largest integer for a positive dividend, the smallest for a negative one, else the integer of NaN."""
    element, zero = integer_type(storage.width, signed=storage.signed), build.filled_like(0, dividend)
    largest, smallest, of_nan = (
        build.filled(end, element, shape(dividend)) for end in (storage.maximum, storage.minimum, _of_nan(op, storage))
    )
    is_negative = build.add(stablehlo.CompareOp(dividend, zero, stablehlo.ComparisonDirection.LT))
    is_positive = build.add(stablehlo.CompareOp(dividend, zero, stablehlo.ComparisonDirection.GT))
    below = build.add(stablehlo.SelectOp(is_negative, smallest, of_nan))
    return build.add(stablehlo.SelectOp(is_positive, largest, below))


def _of_nan(op: Operation, storage: Storage) -> int:
    return storage.minimum if family(op) is ArithmeticFamily.ONNX else integer_of_nan(storage.minimum, storage.maximum)


@lowers(stablehlo.AbsOp, stablehlo.NegateOp)
def unary(op: stablehlo.UnaryOp) -> Rewrite:
    """Return the op on the integers less their zero point."""
    operand, result = per_tensor_types((op.operand, op.result))
    load, store = loader(operand), storer(result, operand.scale / result.scale, magnitude(operand) + 1)
    return lambda build: store(build, computed(build, op, [load(build, op.operand)], i32))


@lowers(stablehlo.CompareOp)
def compare(op: stablehlo.CompareOp) -> Rewrite:
    """Compare the integers of operands of one type; align other operands on the larger scale, with spare bits."""
    lhs, rhs = per_tensor_types((op.lhs, op.rhs))
    scale = common_scale([lhs, rhs], spare_bits([lhs, rhs]))
    loads = [as_integers, as_integers] if lhs == rhs else aligners([lhs, rhs], scale)

    def rewrite(build: OpBuilder) -> SSAValue:
        a, b = loaded(build, loads, op.operands)
        return build.add(stablehlo.CompareOp(a, b, op.comparison_direction.data))

    return rewrite


@lowers(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp) -> Rewrite:
    """Select between integers of one type."""
    if not one_type(op):
        raise ConversionError("the values to choose from differ in type")
    return on_integers(op)
