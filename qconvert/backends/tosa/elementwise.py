"""Elementwise arithmetic on quantized values: operands in i32 at a common scale, the op, one RESCALE to the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert import numerics
from qconvert.backends.tosa.conversion import narrowed, widened
from qconvert.backends.tosa.lowering import Lowering, lowers
from qconvert.dialects import composite, stablehlo, tosa
from qconvert.dialects.constants import constant_array
from qconvert.expansion.expander import is_unsigned, per_tensor
from qconvert.ir import (
    UniformQuantizedType,
    described,
    element_type,
    i8,
    i32,
    is_float,
    numpy_dtype,
    quantized,
    quantized_element,
    shape,
)
from qconvert.rewriting import common_scale, magnitude, spare_bits_in_tosa
from qconvert.support.errors import ConversionError

HEADROOM = 2.0
"""The headroom of a common scale, on which the sum of two values fits i32."""

_MOST_LOST = 2.0**-6
"""The largest error in LSB of a product of 32-bit operands that is still a tie."""

_BINARY: dict[type[Operation], type[tosa.BinaryOp]] = {
    stablehlo.AddOp: tosa.AddOp,
    stablehlo.SubtractOp: tosa.SubOp,
    stablehlo.MaximumOp: tosa.MaximumOp,
    stablehlo.MinimumOp: tosa.MinimumOp,
}


def at_scale(lower: Lowering, value: SSAValue, scale: float) -> SSAValue:
    """Return the i32 integers of a quantized value at another scale, without zero point."""
    element = per_tensor(value)
    factor = element.scale / scale
    array = constant_array(value)
    if array is not None:
        centred = numerics.unrepeated(array).astype(np.int64) - element.zero_point
        multiplier, shift = numerics.multiplier_and_shift(factor)
        return lower.constant(numerics.apply_rescale(centred, multiplier, shift).astype(np.int32), i32)
    if element.storage.width == 8:
        return lower.rescale(lower[value], factor, i32, numerics.ZeroPoints(element.zero_point))
    centred_value = lower.centred(value)
    return centred_value if factor == 1 else lower.rescale(centred_value, factor, i32)


def _aligned(lower: Lowering, values: Sequence[SSAValue]) -> tuple[float, list[SSAValue]]:
    """Return a common scale, on which sums of two values fit i32, and the values at this scale."""
    types = [per_tensor(value) for value in values]
    scale = common_scale(types, spare_bits_in_tosa(types), headroom=HEADROOM * lower.coarseness)
    return scale, [at_scale(lower, value, scale) for value in values]


@lowers(*_BINARY)
def binary(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """Lower to ADD, SUB, MAXIMUM or MINIMUM; plain integers below 32 bits are computed in i32 and wrap."""
    kind = _BINARY[type(op)]
    result = quantized(op.result)
    if result is None:
        made = lower.add(kind(widened(lower, op.lhs), widened(lower, op.rhs)))
        return narrowed(lower, made, element_type(op.result))
    if result.storage.width == 32:
        return _accumulators(op, lower, kind)
    scale, operands = _aligned(lower, (op.lhs, op.rhs))
    return lower.stored(lower.add(kind(*operands)), scale / result.scale, result)


def _accumulators(op: stablehlo.BinaryOp, lower: Lowering, kind: type[tosa.BinaryOp]) -> SSAValue:
    """Lower 32-bit integers of one type without a rescale; a sum has the zero point once."""
    types = dict.fromkeys(element_type(value) for value in (op.lhs, op.rhs, op.result))
    if len(types) > 1:
        found = " and ".join(map(described, types))
        raise ConversionError(
            f"TOSA combines 32-bit integers of one type, found {found}", hint="Requantize them to one scale"
        )
    made, element = lower.add(kind(lower[op.lhs], lower[op.rhs])), quantized_element(op.result)
    counted = {tosa.AddOp: 2, tosa.SubOp: 0}.get(kind, 1)
    if not element.has_zero_zero_point:
        made = lower.offset(made, (1 - counted) * per_tensor(op.result).zero_point)
    return lower.clamp(made, element.storage.minimum, element.storage.maximum)


@lowers(stablehlo.MultiplyOp)
def multiply(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """Lower to MUL of the integers minus their zero points; MUL's shift keeps products of 16-bit values in i32."""
    result = quantized(op.result)
    if result is None:
        made = lower.multiply(widened(lower, op.lhs), widened(lower, op.rhs))
        return narrowed(lower, made, element_type(op.result))
    lhs, rhs = per_tensor(op.lhs), per_tensor(op.rhs)
    shift = product_shift((lhs, rhs))
    if max(lhs.storage.width, rhs.storage.width) > 16 and product_error((lhs, rhs), result) > _MOST_LOST:
        raise ConversionError(
            f"TOSA's MUL drops {shift} bits of a product of 32-bit operands, found a result that needs them",
            hint="Quantize the operands to 16 bits",
        )
    operands = [at_scale(lower, value, per_tensor(value).scale) for value in (op.lhs, op.rhs)]
    product = lower.add(tosa.MulOp(operands[0], operands[1], lower.zero_point(shift, i8)))
    largest = magnitude(lhs) * magnitude(rhs) >> shift
    return lower.stored(product, lhs.scale * rhs.scale * 2.0**shift / result.scale, result, largest)


def product_shift(operands: Sequence[UniformQuantizedType]) -> int:
    """Return the number of bits by which the product of two operands exceeds i32."""
    return max(0, prod(map(magnitude, operands)).bit_length() - 31)


def product_error(operands: Sequence[UniformQuantizedType], result: UniformQuantizedType) -> float:
    """Return the error of MUL's shift in LSB of the result: it rounds once. It is 0 if there is no shift."""
    shift = product_shift(operands)
    return 0.5 * 2.0**shift * prod(operand.scale for operand in operands) / result.scale if shift else 0.0


@lowers(stablehlo.ClampOp)
def clamp(op: stablehlo.ClampOp, lower: Lowering) -> SSAValue:
    """Lower to CLAMP of storage integers or floats between two constants."""
    bounds = [constant_array(value) for value in (op.min, op.max)]
    scalars = [array.reshape(-1)[0].item() for array in bounds if array is not None and array.size == 1]
    elements = {element_type(value) for value in (op.min, op.operand, op.max, op.result)}
    if len(scalars) < 2 or len(elements) > 1 or any(map(is_unsigned, elements)):
        return _between_tensors(op, lower)
    return lower.clamp(lower[op.operand], *scalars)


def _between_tensors(op: stablehlo.ClampOp, lower: Lowering) -> SSAValue:
    """Lower to MAXIMUM and MINIMUM of floats, or of i32 at the finest scale that does not overflow."""
    values, result = (op.min, op.operand, op.max), quantized(op.result)
    if result is None:
        scale, (low, held, high) = 1.0, (widened(lower, value) for value in values)
    else:
        scale, (low, held, high) = _aligned(lower, values)
    low, high = (of_rank(lower, value, len(shape(op.result))) for value in (low, high))
    made = lower.add(tosa.MinimumOp(lower.add(tosa.MaximumOp(held, low)), high))
    if result is None:
        return narrowed(lower, made, element_type(op.result))
    return lower.stored(made, scale / result.scale, result)


def of_rank(lower: Lowering, value: SSAValue, rank: int) -> SSAValue:
    """Return a scalar with ``rank`` dimensions of size 1."""
    return value if shape(value) or not rank else lower.reshape(value, (1,) * rank)


_FLOAT_UNARY: dict[type[Operation], Callable[[SSAValue], Operation]] = {
    stablehlo.AbsOp: tosa.AbsOp,
    stablehlo.CeilOp: tosa.CeilOp,
    stablehlo.CosineOp: tosa.CosOp,
    stablehlo.ExponentialOp: tosa.ExpOp,
    stablehlo.FloorOp: tosa.FloorOp,
    stablehlo.LogOp: tosa.LogOp,
    stablehlo.LogisticOp: tosa.SigmoidOp,
    stablehlo.RsqrtOp: tosa.RsqrtOp,
    stablehlo.SineOp: tosa.SinOp,
    stablehlo.TanhOp: tosa.TanhOp,
}


@lowers(composite.ErfOp)
def erf(op: composite.ErfOp, lower: Lowering) -> SSAValue:
    """Lower to ERF of a float."""
    return lower.add(tosa.ErfOp(lower[op.operand]))


def _one(lower: Lowering, value: SSAValue) -> SSAValue:
    """Return a float constant 1 of a value's rank."""
    return lower.filled(1.0, value, element_type(value))


_WHOLE_FROM = 2.0**23
"""The magnitude from which every float32 is an integer."""


def _rounded(lower: Lowering, value: SSAValue) -> SSAValue:
    """Round floats half to even by CAST to i32 and back; large values, infinities and NaN stay as they are."""
    element = element_type(value)
    limit = lower.filled(_WHOLE_FROM, value, element)
    is_small = lower.add(tosa.GreaterOp(limit, lower.add(tosa.AbsOp(value))))
    rounded = lower.add(tosa.CastOp(lower.add(tosa.CastOp(value, i32)), element))
    return lower.add(tosa.SelectOp(is_small, rounded, value))


def _rounded_away(lower: Lowering, value: SSAValue) -> SSAValue:
    """Round floats half away from zero: FLOOR of the sum with the float below 0.5, for negative ones CEIL likewise.

    The sum with 0.5 itself would reach 1 from the float below 0.5.
    """
    element = element_type(value)
    half = float(np.nextafter(np.asarray(0.5, numpy_dtype(element)), np.asarray(0, numpy_dtype(element))))
    below, above = (lower.add(tosa.AddOp(value, lower.filled(side, value, element))) for side in (-half, half))
    is_negative = lower.add(tosa.GreaterOp(lower.filled(0, value, element), value))
    return lower.add(tosa.SelectOp(is_negative, lower.add(tosa.CeilOp(below)), lower.add(tosa.FloorOp(above))))


def _exponential_minus_one(lower: Lowering, value: SSAValue) -> SSAValue:
    """TOSA has no such op; near 0 the absolute error is one ulp of 1."""
    return lower.add(tosa.SubOp(lower.add(tosa.ExpOp(value)), _one(lower, value)))


def _log_plus_one(lower: Lowering, value: SSAValue) -> SSAValue:
    return lower.add(tosa.LogOp(lower.add(tosa.AddOp(value, _one(lower, value)))))


def _sign(lower: Lowering, value: SSAValue) -> SSAValue:
    """Select 1 or -1; zeros and NaN stay as they are."""
    element = element_type(value)
    zero = lower.filled(0, value, element)
    is_positive, is_negative = lower.add(tosa.GreaterOp(value, zero)), lower.add(tosa.GreaterOp(zero, value))
    below = lower.add(tosa.SelectOp(is_negative, lower.filled(-1, value, element), value))
    return lower.add(tosa.SelectOp(is_positive, _one(lower, value), below))


def _tangent(lower: Lowering, value: SSAValue) -> SSAValue:
    return lower.multiply(lower.add(tosa.SinOp(value)), lower.add(tosa.ReciprocalOp(lower.add(tosa.CosOp(value)))))


_IN_STEPS: dict[type[Operation], Callable[[Lowering, SSAValue], SSAValue]] = {
    stablehlo.ExponentialMinusOneOp: _exponential_minus_one,
    stablehlo.LogPlusOneOp: _log_plus_one,
    stablehlo.NegateOp: lambda lower, value: lower.multiply(value, lower.filled(-1.0, value, element_type(value))),
    stablehlo.RoundNearestAfzOp: _rounded_away,
    stablehlo.RoundNearestEvenOp: _rounded,
    stablehlo.SignOp: _sign,
    stablehlo.SqrtOp: lambda lower, value: lower.add(tosa.ReciprocalOp(lower.add(tosa.RsqrtOp(value)))),
    stablehlo.TanOp: _tangent,
}
"""Functions of floats that take several ops."""


@lowers(*_FLOAT_UNARY, *_IN_STEPS)
def unary(op: stablehlo.UnaryOp, lower: Lowering) -> SSAValue:
    """Lower a float op to TOSA's op or a few ops; abs and negate also take 32-bit integers."""
    value = lower[op.operand]
    if element_type(op.operand) == i32 and isinstance(op, stablehlo.AbsOp):
        return lower.add(tosa.AbsOp(value))
    if element_type(op.operand) == i32 and isinstance(op, stablehlo.NegateOp):
        return lower.add(tosa.SubOp(lower.filled(0, value), value))
    if not is_float(element_type(op.operand)):
        raise _without_form(op)
    steps = _IN_STEPS.get(type(op))
    return lower.add(_FLOAT_UNARY[type(op)](value)) if steps is None else steps(lower, value)


def _without_form(op: stablehlo.UnaryOp) -> ConversionError:
    """Return the error on a function of integers that is no TABLE, nor an op of i32."""
    name = op.name.removeprefix("stablehlo.")
    types = [element for element in map(quantized, (op.operand, op.result)) if element is not None]
    if not types:
        found = f"found {name} of {described(element_type(op.operand))}"
        hint = "Convert the operand to i32, or to floats"
        return ConversionError(f"of plain integers TOSA has abs and negate of i32, {found}", hint=hint)
    many = [element for element in types if not element.is_per_tensor]
    if many:
        hint = "Dequantize the operand, or quantize with one scale"
        found = f"found {described(many[0])}"
        return ConversionError(f"{name} of quantized values has one scale in TOSA, {found}", hint=hint)
    widest = max(types, key=lambda element: element.storage.width)
    found = f"found {described(widest)}"
    hint = "Quantize to 8 or 16 bits"
    return ConversionError(f"{name} of quantized values has 8 or 16 bits in TOSA, {found}", hint=hint)
