"""BATCH_MATMUL: products of batches of matrices."""

from __future__ import annotations

import numpy as np
import tflite
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo
from qconvert.frontends.context import common_shape
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.frontends.tflite.contraction import accumulator_type
from qconvert.frontends.tflite.reach import check_products
from qconvert.ir import ArithmeticAttr, UniformQuantizedType, element_type, f32, i8, i32, is_float, quantized, shape
from qconvert.numerics import Rounding
from qconvert.support.errors import ConversionError
from qconvert.support.limits import check_shape

_WIDE = 16


@tflite_op("BATCH_MATMUL")
def batch_matmul(ctx: OpContext) -> SSAValue:
    """Multiply batches of matrices, each optionally transposed.

    8-bit integers have accumulators and one requantize; one op sums 16-bit integers in 64 bits. LiteRT quantizes floats
    times 8-bit integers at run time: then the op has LiteRT's arithmetic.
    """
    options, lhs, rhs = ctx.options(tflite.BatchMatMulOptions), ctx.value(0), ctx.value(1)
    element, arithmetic = _arithmetic(ctx, lhs, rhs, asymmetric=bool(options.AsymmetricQuantizeInputs()))
    lhs, rhs = _in_one_batch(ctx, lhs, rhs)
    rank = len(shape(lhs))
    batches = tuple(range(rank - 2))
    contracted = rank - 2 if options.AdjX() else rank - 1, rank - 1 if options.AdjY() else rank - 2
    one, other, result = quantized(lhs), quantized(rhs), ctx.result_type()
    if one is not None and other is not None and isinstance(result, UniformQuantizedType):
        check_products((one, other), (shape(lhs)[contracted[0]], 1), result, is_wide=one.storage.width == _WIDE)
    numbers = stablehlo.DotDimensionNumbers(batches, batches, (contracted[0],), (contracted[1],))
    product = ctx.emit(stablehlo.DotGeneralOp(lhs, rhs, numbers, element=element), arithmetic)
    if quantized(product) is not None and element != ctx.result_type():
        product = ctx.emit(stablehlo.UniformQuantizeOp(product, ctx.result_type()), litert())
    return ctx.shaped(product, lambda: shape(product))


def _arithmetic(
    ctx: OpContext, lhs: SSAValue, rhs: SSAValue, *, asymmetric: bool
) -> tuple[Attribute | None, ArithmeticAttr | None]:
    """Return the product's element type (None for floats of one type) and its arithmetic.

    Raises ConversionError for types without a LiteRT kernel.
    """
    one, other, result = quantized(lhs), quantized(rhs), ctx.result_type()
    widths = [None if found is None else found.storage.width for found in (one, other)]
    if widths == [None, None] and is_float(element_type(lhs)) and element_type(lhs) == element_type(rhs) == result:
        return None, None
    if element_type(lhs) == element_type(rhs) == i8 and result == i32:
        return i32, None
    if widths == [None, 8] and element_type(lhs) == result == f32 and _is_plain(other):
        _check_batches(shape(lhs)[:-2])
        return f32, litert(asymmetric=asymmetric)
    if isinstance(result, UniformQuantizedType) and one is not None and other is not None:
        kinds = (*widths, result.storage.width)
        if kinds == (8, 8, 8):
            return accumulator_type(one, other, 0), None
        if kinds in ((16, 16, 16), (16, 8, 16)) and all(map(_is_plain, (one, other, result))):
            return result, litert(Rounding.SINGLE_ROUND, width=16)
    raise ConversionError(
        f"a product of {element_type(lhs)} and {element_type(rhs)} as {result} is not supported",
        hint="Use floats, 8-bit integers, 16-bit integers without zero point, or floats times int8",
    )


def _is_plain(element: UniformQuantizedType | None) -> bool:
    return element is not None and element.storage.signed and not element.zero_point


def _check_batches(sizes: tuple[int, ...]) -> None:
    """Raise ConversionError for batches in which LiteRT applies the scales of the wrong rows."""
    if sum(size > 1 for size in sizes) > 1:
        raise ConversionError(
            f"LiteRT multiplies floats of batches {list(sizes)} by integers wrongly",
            hint="Reshape them to one batch dimension",
        )


def _in_one_batch(ctx: OpContext, lhs: SSAValue, rhs: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Broadcast both operands to the same batch dimensions, as numpy does."""
    if min(len(shape(lhs)), len(shape(rhs))) < 2:
        raise ConversionError(f"matrices are needed, found the shapes {list(shape(lhs))} and {list(shape(rhs))}")
    batch = common_shape("batch dimensions", shape(lhs)[:-2], shape(rhs)[:-2])
    one, other = (_repeated(ctx, value, (*batch, *shape(value)[-2:])) for value in (lhs, rhs))
    return one, other


def _repeated(ctx: OpContext, value: SSAValue, target: tuple[int, ...]) -> SSAValue:
    """Broadcast a value; a constant is written out."""
    if shape(value) == target or not isinstance(value.owner, stablehlo.ConstantOp):
        return ctx.build.broadcast(value, target)
    check_shape(target)
    return ctx.build.constant(np.asarray(np.broadcast_to(value.owner.array, target), order="C"), element_type(value))
