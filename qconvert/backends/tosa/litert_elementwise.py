"""Activations and functions of two values that follow LiteRT's arithmetic."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tosa.litert import follows_of, integer_of, shifted_left
from qconvert.backends.tosa.lowering import Lowering, constant_of, lowers_litert, per_tensor, tosa_element
from qconvert.backends.tosa.normalization import filled
from qconvert.dialects import composite, stablehlo, tosa
from qconvert.interpreter.litert_activation import leaky_factors, prelu_factors
from qconvert.ir.types import element_type, i32
from qconvert.numerics import Rounding, ZeroPoints, unrepeated
from qconvert.support.errors import ConversionError

_LIMITS: dict[type[Operation], type[tosa.BinaryOp]] = {
    stablehlo.MaximumOp: tosa.MaximumOp,
    stablehlo.MinimumOp: tosa.MinimumOp,
}


@lowers_litert(*_LIMITS)
def limit(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """MAXIMUM or MINIMUM of the stored integers in i32."""
    operands = [lower.add(tosa.CastOp(lower[value], i32)) for value in (op.lhs, op.rhs)]
    return lower.add(tosa.CastOp(lower.add(_LIMITS[type(op)](*operands)), tosa_element(element_type(op.result))))


@lowers_litert(composite.LeakyReluOp)
def leaky_relu(op: composite.LeakyReluOp, lower: Lowering) -> SSAValue:
    """Two RESCALEs, of which a SELECT takes one by sign."""
    value, rounding = lower.centred(op.operand), Rounding(follows_of(op).rounding)
    above, below = leaky_factors(op)
    negative = lower.rescale(value, abs(below), i32, rounding=rounding) if below else filled(lower, 0, value)
    if below < 0:
        negative = lower.add(tosa.SubOp(filled(lower, 0, value), negative))
    return _by_sign(lower, value, (lower.rescale(value, above, i32, rounding=rounding), negative), op.result)


@lowers_litert(composite.PReluOp)
def prelu(op: composite.PReluOp, lower: Lowering) -> SSAValue:
    """RESCALEs of the value and of its product with the slope, of which a SELECT takes one by sign."""
    value, rounding = lower.centred(op.operand), Rounding(follows_of(op).rounding)
    above, below = prelu_factors(op)
    product = lower.multiply(value, _centred(lower, op.slope))
    negative = lower.rescale(product, below, i32, rounding=rounding)
    return _by_sign(lower, value, (lower.rescale(value, above, i32, rounding=rounding), negative), op.result)


def _centred(lower: Lowering, value: SSAValue) -> SSAValue:
    """Integers less their zero point, those of a constant as a constant."""
    array = constant_of(value)
    if array is None:
        return lower.centred(value)
    return lower.constant(unrepeated(array).astype(np.int32) - per_tensor(value).zero_point, i32)


def _by_sign(lower: Lowering, value: SSAValue, made: tuple[SSAValue, SSAValue], result: SSAValue) -> SSAValue:
    """The first of two values where one is not negative, else the second, as storage integers."""
    element = per_tensor(result)
    if element.storage.width != 8 and element.zero_point:
        raise ConversionError(f"RESCALE has no zero point for {element.storage.width} bits, found {element}")
    is_positive = lower.add(tosa.GreaterEqualOp(value, filled(lower, 0, value)))
    chosen = lower.add(tosa.SelectOp(is_positive, *made))
    return lower.rescale(chosen, 1.0, integer_of(element), ZeroPoints(0, element.zero_point))


@lowers_litert(composite.SquaredDifferenceOp)
def squared_difference(op: composite.SquaredDifferenceOp, lower: Lowering) -> SSAValue:
    """Both operands rescaled to twice the larger scale, the difference's square to the result's."""
    follows, target = follows_of(op), per_tensor(op.result)
    elements, rounding = [per_tensor(value) for value in (op.lhs, op.rhs)], Rounding(follows.rounding)
    twice = 2 * max(element.scale for element in elements)
    operands = [
        shifted_left(lower, value, element.scale / twice, follows)
        for value, element in zip((op.lhs, op.rhs), elements, strict=True)
    ]
    difference = lower.add(tosa.SubOp(*operands))
    factor = twice * twice / (4.0**follows.left_shift * target.scale)
    square = lower.multiply(difference, difference)
    return lower.rescale(square, factor, integer_of(target), ZeroPoints(0, target.zero_point), rounding)
