"""BATCH_MATMUL."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.quant import UniformQuantizedType
from qconvert.dialects.stablehlo.dimension_numbers import DotDimensionNumbers
from qconvert.dialects.types import element_type, is_float, quantized, shape
from qconvert.errors import ConversionError
from qconvert.frontends.tflite import schema
from qconvert.frontends.tflite.context import OpContext, litert, tflite_op
from qconvert.frontends.tflite.contraction import ACCUMULATOR
from qconvert.limits import check_shape


@tflite_op("BATCH_MATMUL")
def batch_matmul(ctx: OpContext) -> SSAValue:
    """Products of matrices, either of which may be turned around; accumulators and one requantization for integers."""
    options, lhs, rhs = ctx.options(schema.BatchMatMulOptions), ctx.value(0), ctx.value(1)
    element = _accumulator(ctx, lhs, rhs)
    lhs, rhs = _in_one_batch(ctx, lhs, rhs)
    rank = len(shape(lhs))
    batches = tuple(range(rank - 2))
    contracted = rank - 2 if options.AdjX() else rank - 1, rank - 1 if options.AdjY() else rank - 2
    numbers = DotDimensionNumbers(batches, batches, (contracted[0],), (contracted[1],))
    made = ctx.emit(stablehlo.DotGeneralOp(lhs, rhs, numbers, element=element))
    if isinstance(element, UniformQuantizedType):
        made = ctx.emit(stablehlo.UniformQuantizeOp(made, ctx.result_type()), litert())
    return ctx.shaped(made, lambda: shape(made))


def _accumulator(ctx: OpContext, lhs: SSAValue, rhs: SSAValue) -> UniformQuantizedType | None:
    """i32 at the product of the scales for 8-bit integers, None for floats; raises ConversionError for others."""
    one, other, result = quantized(lhs), quantized(rhs), ctx.result_type()
    if one is None and other is None and is_float(element_type(lhs)) and element_type(lhs) == element_type(rhs):
        return None
    known = [one, other, result if isinstance(result, UniformQuantizedType) else None]
    if any(element is None or element.storage.width != 8 or not element.is_per_tensor for element in known):
        raise ConversionError(
            f"a product of {element_type(lhs)} and {element_type(rhs)} as {result} is not read",
            hint="Floats and 8-bit integers with one scale are",
        )
    assert one is not None
    assert other is not None
    return UniformQuantizedType.per_tensor(ACCUMULATOR, one.scale * other.scale, 0)


def _in_one_batch(ctx: OpContext, lhs: SSAValue, rhs: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Both operands with the same batch dimensions, numpy style."""
    sizes = [shape(value)[:-2] for value in (lhs, rhs)]
    if min(len(shape(lhs)), len(shape(rhs))) < 2:
        raise ConversionError(f"a product of shapes {list(shape(lhs))} and {list(shape(rhs))}")
    try:
        batch = np.broadcast_shapes(*sizes)
    except ValueError as error:
        raise ConversionError(f"batches {[list(size) for size in sizes]} do not broadcast together") from error
    one, other = (_repeated(ctx, value, (*batch, *shape(value)[-2:])) for value in (lhs, rhs))
    return one, other


def _repeated(ctx: OpContext, value: SSAValue, target: tuple[int, ...]) -> SSAValue:
    """A broadcast, of a constant written out."""
    if shape(value) == target or not isinstance(value.owner, stablehlo.ConstantOp):
        return ctx.build.broadcast(value, target)
    check_shape(target)
    return ctx.build.constant(np.ascontiguousarray(np.broadcast_to(value.owner.array, target)), element_type(value))
