"""Activations with two slopes as LiteRT computes them: LEAKY_RELU, PRELU."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import composite, tosa
from qconvert.expansion.expander import Expander, per_tensor, signed_type
from qconvert.expansion.registry import expands, rounding_of
from qconvert.ir import described, i32
from qconvert.numerics import float_factor, unrepeated
from qconvert.support.errors import ConversionError


@expands(composite.LeakyReluOp)
def leaky_relu(op: composite.LeakyReluOp, build: Expander) -> SSAValue:
    """Rescale by two factors and SELECT by sign. A negative slope rescales by its magnitude and negates the result."""
    value, rounding = build.centred(op.operand), rounding_of(op)
    above, below = _leaky_factors(op)
    negative = build.rescale(value, abs(below), i32, rounding=rounding) if below else build.filled(0, value)
    if below < 0:
        negative = build.add(tosa.SubOp(build.filled(0, value), negative))
    return _by_sign(build, value, (build.rescale(value, above, i32, rounding=rounding), negative), op.result)


def _leaky_factors(op: composite.LeakyReluOp) -> tuple[float, float]:
    """Return the factors of values from 0 on and of values below 0, as LiteRT computes them in f32."""
    source, result = (per_tensor(value).scale for value in (op.operand, op.result))
    return float_factor(source, over=result), float_factor(source, op.factor, over=result)


@expands(composite.PReluOp)
def prelu(op: composite.PReluOp, build: Expander) -> SSAValue:
    """Rescale the value and its product with the slope, and SELECT one by sign."""
    value, rounding = build.centred(op.operand), rounding_of(op)
    source, slope, result = (per_tensor(value).scale for value in (op.operand, op.slope, op.result))
    product = build.multiply(value, _slopes(build, op.slope))
    negative = build.rescale(product, float_factor(source, slope, over=result), i32, rounding=rounding)
    positive = build.rescale(value, float_factor(source, over=result), i32, rounding=rounding)
    return _by_sign(build, value, (positive, negative), op.result)


def _slopes(build: Expander, value: SSAValue) -> SSAValue:
    """Return integers minus their zero point; a constant stays a constant."""
    array = build.array(value)
    if array is None:
        return build.centred(value)
    return build.constant(unrepeated(array).astype(np.int32) - per_tensor(value).zero_point, i32)


def _by_sign(build: Expander, value: SSAValue, made: tuple[SSAValue, SSAValue], result: SSAValue) -> SSAValue:
    """Return the first of two values where one is not negative, else the second, as storage integers."""
    element = signed_type(result)
    if element.storage.width != 8 and element.zero_point:
        raise ConversionError(
            f"RESCALE supports no zero point for {element.storage.width} bits, found {described(element)}"
        )
    is_positive = build.add(tosa.GreaterEqualOp(value, build.filled(0, value)))
    return build.requantized(build.add(tosa.SelectOp(is_positive, *made)), 1.0, element)
