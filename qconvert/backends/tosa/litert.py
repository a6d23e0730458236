"""What follows LiteRT's arithmetic, bit by bit: its roundings in its order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from qconvert import numerics
from qconvert.backends.tosa.builder import i16
from qconvert.backends.tosa.contraction import accumulated, matrix_product, ordered
from qconvert.backends.tosa.lowering import Lowering, constant_of, lowers_litert, per_tensor, tosa_element
from qconvert.backends.tosa.normalization import filled
from qconvert.backends.tosa.quantization import quantize_floats
from qconvert.backends.tosa.window import image_of, pool_of, pooled
from qconvert.dialects import composite, stablehlo, tosa
from qconvert.interpreter.litert import quotient, right_shift
from qconvert.interpreter.litert_hybrid import wide_factor
from qconvert.ir.arithmetic import Arithmetic, RescaleRounding, arithmetic
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type, i32, quantized, shape
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.support.errors import ConversionError


def follows_of(op: Operation) -> Arithmetic:
    """The arithmetic of an op that has one."""
    found = arithmetic(op)
    assert found is not None
    return found


def integer_of(element: UniformQuantizedType) -> IntegerType:
    """The integers that hold an element in TOSA."""
    held = tosa_element(element)
    assert isinstance(held, IntegerType)
    return held


@lowers_litert(stablehlo.UniformQuantizeOp)
def requantize(op: stablehlo.UniformQuantizeOp, lower: Lowering) -> SSAValue:
    """One RESCALE, with a factor for each output where there are scales for each."""
    source, target, follows = quantized(op.operand), per_tensor(op.result), follows_of(op)
    if source is None:
        return quantize_floats(op, lower)
    zero_points = ZeroPoints(0 if source.is_per_axis else source.zero_point, target.zero_point)
    factor = quotient(follows, source.scales, target.scale)
    made = lower.rescale(lower[op.operand], factor, integer_of(target), zero_points, Rounding(follows.rounding))
    return lower.clamp(made, target.storage.minimum, target.storage.maximum)


@lowers_litert(stablehlo.AddOp, stablehlo.SubtractOp)
def add(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """Both operands shifted left and rescaled to twice the larger scale, the sum rescaled to the result's."""
    follows, target = follows_of(op), per_tensor(op.result)
    rounding, elements = Rounding(follows.rounding), [per_tensor(value) for value in (op.lhs, op.rhs)]
    kind = tosa.AddOp if isinstance(op, stablehlo.AddOp) else tosa.SubOp
    if not follows.left_shift:
        shifted = [_shifted_right(lower, value, target) for value in (op.lhs, op.rhs)]
        return lower.rescale(lower.add(kind(*shifted)), 1.0, integer_of(target))
    twice = 2 * max(element.scale for element in elements)
    operands = [
        shifted_left(lower, value, element.scale / twice, follows)
        for value, element in zip((op.lhs, op.rhs), elements, strict=True)
    ]
    factor = twice / (2.0**follows.left_shift * target.scale)
    return lower.rescale(
        lower.add(kind(*operands)), factor, integer_of(target), ZeroPoints(0, target.zero_point), rounding
    )


def shifted_left(lower: Lowering, value: SSAValue, factor: float, follows: Arithmetic) -> SSAValue:
    """The integers without zero point times ``2^left_shift`` and then ``factor``: at once where that is exact."""
    mantissa, exponent = np.frexp(factor)
    is_exact = mantissa == 0.5
    wide = _shifted_left(lower, value, follows.left_shift + (int(exponent) - 1 if is_exact else 0))
    return wide if is_exact else lower.rescale(wide, factor, i32, rounding=Rounding(follows.rounding))


def _shifted_left(lower: Lowering, value: SSAValue, places: int) -> SSAValue:
    """The integers without zero point, shifted: by RESCALE, which takes 8 bits so far, or by a shift itself."""
    element = per_tensor(value)
    if element.storage.width == 8:
        return lower.rescale(lower.whole(value), 2.0**places, i32, ZeroPoints(element.zero_point))
    centred = lower.centred(value)
    counts = lower.constant(np.full((1,) * len(shape(centred)), places), i32)
    return lower.add(tosa.LogicalLeftShiftOp(centred, counts))


def _shifted_right(lower: Lowering, value: SSAValue, target: UniformQuantizedType) -> SSAValue:
    """The integers at the result's scale, a power of two times their own: rounded, halves away from zero."""
    held, places = lower.centred(value), right_shift(per_tensor(value), target)
    if not places:
        return held
    sign = lower.add(tosa.ArithmeticRightShiftOp(held, filled(lower, 31, held)))
    nudged = lower.add(tosa.AddOp(held, sign))
    return lower.add(tosa.ArithmeticRightShiftOp(nudged, filled(lower, places, held), rounds=True))


@lowers_litert(stablehlo.MultiplyOp)
def multiply(op: stablehlo.BinaryOp, lower: Lowering) -> SSAValue:
    """The product of the integers, and one RESCALE by a factor that LiteRT computes in f32."""
    lhs, rhs, target = (per_tensor(value) for value in (op.lhs, op.rhs, op.result))
    factor = numerics.float_factor(lhs.scale, rhs.scale, over=target.scale)
    product = lower.multiply(lower.centred(op.lhs), lower.centred(op.rhs))
    rounding = Rounding(follows_of(op).rounding)
    return lower.rescale(product, factor, integer_of(target), ZeroPoints(0, target.zero_point), rounding)


@lowers_litert(stablehlo.ReduceWindowOp)
def average(op: stablehlo.ReduceWindowOp, lower: Lowering) -> SSAValue:
    """AVG_POOL2D of the stored integers, zero point and all, as LiteRT averages them: it rounds halves away from 0."""
    pool = pool_of(op)
    if max(pool.window.pad) > 0 or quantized(op.inputs[0]) != quantized(op.results[0]):
        raise ConversionError("only averages that keep their type and reach over no edge follow LiteRT")
    image, pads = lower.cropped(image_of(op, lower, pool), pool.window.pad)
    window = tosa.ConvWindow(pads, pool.window.stride, pool.window.dilation)
    return pooled(op, lower, pool, averaged(lower, image, pool.sizes, window, follows_of(op)))


def averaged(
    lower: Lowering, image: SSAValue, sizes: tuple[int, ...], window: tosa.ConvWindow, follows: Arithmetic
) -> SSAValue:
    """AVG_POOL2D, which rounds halves away from zero; integers that were unsigned are so again, in 16 bits."""
    held, half = element_type(image), 0
    if follows.rounding is RescaleRounding.SINGLE:
        assert isinstance(held, IntegerType)
        half = 1 << (held.width.data - 1)
        image = lower.add(tosa.CastOp(_moved(lower, lower.add(tosa.CastOp(image, i32)), half), i16))
    zero_points = [lower.zero_point(0, element_type(image)) for _ in range(2)]
    made = lower.add(tosa.AvgPool2DOp((image, *zero_points), sizes, window, i32))
    if not half:
        return made
    return lower.add(tosa.CastOp(_moved(lower, lower.add(tosa.CastOp(made, i32)), -half), held))


def _moved(lower: Lowering, value: SSAValue, offset: int) -> SSAValue:
    return lower.add(tosa.AddOp(value, filled(lower, offset, value)))


@lowers_litert(stablehlo.DotGeneralOp)
def wide_product(op: stablehlo.DotGeneralOp, lower: Lowering) -> SSAValue:
    """A product of 16-bit matrices into i48, and one RESCALE with a multiplier of 16 bits."""
    rounding, target = Rounding(follows_of(op).rounding), per_tensor(op.results[0])
    return lower.rescale(matrix_product(op, lower), wide_factor(op), integer_of(target), rounding=rounding)


@lowers_litert(composite.WideConvolutionOp)
def wide_convolution(op: composite.WideConvolutionOp, lower: Lowering) -> SSAValue:
    """A convolution into i48 and one RESCALE with multipliers of 16 bits."""
    bias, target = constant_of(op.bias), per_tensor(op.result)
    if bias is None:
        raise ConversionError("a convolution into 48 bits needs a constant bias")
    sums, rounding = accumulated(op, lower, bias), Rounding(follows_of(op).rounding)
    factor = op.accumulator_scales / target.scale
    if follows_of(op).multiplier_width == 16:
        factor = numerics.reduced_factor(factor)
    else:
        _check_sums(op, bias)
        sums = lower.rescale(sums, 1.0, i32)
    return ordered(op, lower, lower.rescale(sums, factor, integer_of(target), rounding=rounding))


def _check_sums(op: composite.WideConvolutionOp, bias: NDArray[Any]) -> None:
    """Raise ConversionError where sums may need more than the 32 bits that RESCALE multiplies by 32."""
    weights = constant_of(op.rhs)
    if weights is None:
        raise ConversionError("a product of 16-bit integers needs constant weights")
    magnitudes = np.abs(weights.astype(np.int64)).sum(axis=tuple(range(weights.ndim - 1)))
    largest = int(((magnitudes << 15) + np.abs(bias.astype(np.int64))).max(initial=0))
    if largest >= 1 << 31:
        raise ConversionError(
            f"sums of 16-bit integers reach {largest}, beyond the 32 bits that TOSA multiplies exactly",
            hint="Convert to another format, or cut the model before it",
        )
