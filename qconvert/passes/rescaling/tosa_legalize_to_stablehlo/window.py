"""Pools over height and width."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo.elementwise import BinaryOp
from qconvert.dialects.stablehlo.window import Window
from qconvert.ir import element_type, i64, is_float, numpy_dtype, shape
from qconvert.numerics import average_multiplier
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.reduction import neutral
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import Translation, constant_integer, translates
from qconvert.passes.rescaling.tosa_rescale_legalize_to_stablehlo import multiplied, saturated


@translates(tosa.MaxPool2DOp)
def max_pool2d(op: tosa.MaxPool2DOp, build: Translation) -> SSAValue:
    """Return the largest element under each window."""
    return _pooled(op, build, build[op.input], stablehlo.MaximumOp)


@translates(tosa.AvgPool2DOp)
def avg_pool2d(op: tosa.AvgPool2DOp, build: Translation) -> SSAValue:
    """Divide the sum under each window by its number of elements, without the padding.

    Sums of integers are multiplied by a reciprocal in fixed point, as TOSA defines it.
    """
    element, counts = element_type(op.input), op.counts[..., None]
    if is_float(element):
        sums = _pooled(op, build, build[op.input], stablehlo.AddOp)
        divisors = build.constant(counts.astype(numpy_dtype(element)), element)
        return build.add(stablehlo.DivideOp(sums, build.broadcast(divisors, shape(op.output))))
    sums = _pooled(op, build, build.less(op.input, op.input_zp, i64), stablehlo.AddOp)
    averages = multiplied(build, sums, *average_multiplier(counts))
    return saturated(build, build.plus(averages, constant_integer(op.output_zp)), element)


def _pooled(op: tosa.PoolOp, build: Translation, value: SSAValue, kind: type[BinaryOp]) -> SSAValue:
    """Combine the elements under each window."""
    element = element_type(value)
    top, bottom, left, right = op.window.pad
    window = Window.of(
        (1, *op.sizes, 1),
        strides=(1, *op.window.stride, 1),
        padding=((0, 0), (top, bottom), (left, right), (0, 0)),
    )
    start = build.filled(neutral(kind, element), element)
    return build.add(stablehlo.ReduceWindowOp(value, start, window, [stablehlo.binary_body(kind, element)]))
