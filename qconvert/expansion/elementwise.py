"""Functions of two values as LiteRT computes them: ADD, SUB, MUL, SQUARED_DIFFERENCE, MAXIMUM, MINIMUM."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import composite, stablehlo, tosa
from qconvert.expansion.expander import Expander, signed_type, tosa_element
from qconvert.expansion.registry import expands, follows_of, rounding_of
from qconvert.ir import UniformQuantizedType, element_type, i32
from qconvert.numerics import ZeroPoints, float_factor, scale_exponent
from qconvert.support.errors import ConversionError

_LIMITS: dict[type[Operation], type[tosa.BinaryOp]] = {
    stablehlo.MaximumOp: tosa.MaximumOp,
    stablehlo.MinimumOp: tosa.MinimumOp,
}


@expands(stablehlo.AddOp, stablehlo.SubtractOp)
def add(op: stablehlo.BinaryOp, build: Expander) -> SSAValue:
    """Rescale both operands, shifted left, to twice the larger scale; add; rescale to the result's scale.

    Without a left shift scales are powers of two: the operand of the smaller one is shifted to the right.
    """
    target, left_shift = signed_type(op.result), follows_of(op).left_shift
    kind = tosa.AddOp if isinstance(op, stablehlo.AddOp) else tosa.SubOp
    if not left_shift:
        shifted = [_shifted_right(build, value, target) for value in (op.lhs, op.rhs)]
        return build.requantized(build.add(kind(*shifted)), 1.0, target)
    total, twice = _on_common_scale(op, build, kind)
    return build.requantized(total, twice / (2.0**left_shift * target.scale), target, rounding_of(op))


@expands(composite.SquaredDifferenceOp)
def squared_difference(op: composite.SquaredDifferenceOp, build: Expander) -> SSAValue:
    """Rescale both operands to twice the larger scale, and the square of their difference to the result's scale."""
    target = signed_type(op.result)
    difference, twice = _on_common_scale(op, build, tosa.SubOp)
    factor = twice * twice / (4.0 ** follows_of(op).left_shift * target.scale)
    return build.requantized(build.multiply(difference, difference), factor, target, rounding_of(op))


def _on_common_scale(
    op: stablehlo.BinaryOp | composite.SquaredDifferenceOp, build: Expander, kind: type[tosa.BinaryOp]
) -> tuple[SSAValue, float]:
    """Return the sum or difference of the operands, shifted left, in i32, and its scale, twice the larger one."""
    twice = 2 * max(signed_type(value).scale for value in (op.lhs, op.rhs))
    operands = [_shifted_left(op, build, value, signed_type(value).scale / twice) for value in (op.lhs, op.rhs)]
    return build.add(kind(*operands)), twice


def _shifted_left(op: Operation, build: Expander, value: SSAValue, factor: float) -> SSAValue:
    """Return integers minus the zero point times ``2^left_shift * factor``, in one op if that is exact."""
    mantissa, exponent = np.frexp(factor)
    is_exact = mantissa == 0.5
    places = follows_of(op).left_shift + (int(exponent) - 1 if is_exact else 0)
    wide = times_power(build, value, places)
    return wide if is_exact else build.rescale(wide, factor, i32, rounding=rounding_of(op))


def times_power(build: Expander, value: SSAValue, places: int) -> SSAValue:
    """Return integers minus the zero point, shifted left: by RESCALE for 8 bits, else by a shift."""
    element = signed_type(value)
    if element.storage.width == 8:
        return build.rescale(build[value], 2.0**places, i32, ZeroPoints(element.zero_point))
    return build.shift_left(build.centred(value), places)


def _shifted_right(build: Expander, value: SSAValue, target: UniformQuantizedType) -> SSAValue:
    """Return integers at the result's scale, a power of two times the value's own; halves round away from zero."""
    held, places = build.centred(value), _right_shift(signed_type(value), target)
    return build.divide_by_power(held, places) if places else held


def _right_shift(element: UniformQuantizedType, result: UniformQuantizedType) -> int:
    """Return the binary logarithm of the result's scale over an operand's.

    Raises ConversionError unless LiteRT takes both for powers of two.
    """
    target, source = scale_exponent(result.scale), scale_exponent(element.scale)
    if target is None or source is None:
        raise ConversionError(
            f"a sum without a left shift has scales that are powers of two, found {element.scale} and {result.scale}",
            hint="Give the arithmetic of the op a left shift",
        )
    return target - source


@expands(stablehlo.MultiplyOp)
def multiply(op: stablehlo.BinaryOp, build: Expander) -> SSAValue:
    """Multiply the integers, and RESCALE by a factor that LiteRT computes in f32."""
    lhs, rhs, target = (signed_type(value) for value in (op.lhs, op.rhs, op.result))
    factor = float_factor(lhs.scale, rhs.scale, over=target.scale)
    product = build.multiply(build.centred(op.lhs), build.centred(op.rhs))
    return build.requantized(product, factor, target, rounding_of(op))


@expands(*_LIMITS)
def limit(op: stablehlo.BinaryOp, build: Expander) -> SSAValue:
    """Take the MAXIMUM or MINIMUM of the stored integers, in i32."""
    operands = [build.add(tosa.CastOp(build[value], i32)) for value in (op.lhs, op.rhs)]
    return build.add(tosa.CastOp(build.add(_LIMITS[type(op)](*operands)), tosa_element(element_type(op.result))))
