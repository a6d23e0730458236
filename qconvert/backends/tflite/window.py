"""MAX_POOL_2D and AVERAGE_POOL_2D."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import tflite
from xdsl.ir import SSAValue

from qconvert.backends.tflite.activation_range import fused_activation
from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits, sole_user
from qconvert.backends.tflite.padding import padded
from qconvert.backends.tflite.reduction import is_mean
from qconvert.dialects import composite, stablehlo
from qconvert.expansion.reduction import check_initial
from qconvert.ir import element_type, is_float
from qconvert.rewriting import Permutation, inverse, is_identity, splat
from qconvert.support.errors import ConversionError


def _order(window: stablehlo.Window) -> Permutation:
    """Return the dimensions with the two that a pool slides over in the middle.

    Raises ConversionError where TFLite has no such pool.
    """
    rank = len(window.size)
    steps = zip(window.size, window.strides, window.padding, strict=True)
    slid = [i for i, (size, stride, pads) in enumerate(steps) if size > 1 or stride > 1 or any(pads)]
    if rank != 4 or len(slid) > 2 or any(step != 1 for step in (*window.dilations, *window.base_dilations)):
        raise ConversionError("TFLite's pools slide over two of four dimensions, without dilations")
    others = [i for i in range(rank) if i not in slid]
    while len(slid) < 2:
        slid.append(others.pop(1))
    return (others[0], *sorted(slid), others[1])


def _pool(write: Writer, code: int, source: Tensor, window: stablehlo.Window, values: Sequence[SSAValue]) -> Tensor:
    """Write a pool with the activation behind it; ``values`` are the results of the pool's ops in order."""
    order = _order(window)
    strides, size = ([part[i] for i in order[1:3]] for part in (window.strides, window.size))
    inner = stablehlo.ConvolutionWindow.of(2, strides=strides, padding=[window.padding[i] for i in order[1:3]])
    image, kind = padded(write, write.transpose(source, order), inner, size)
    fused = fused_activation(values[-1])
    fields = {
        "Padding": kind,
        "StrideH": strides[0],
        "StrideW": strides[1],
        "FilterHeight": size[0],
        "FilterWidth": size[1],
        "FusedActivationFunction": fused.function,
    }
    output = write.result(fused.value)
    pooled = output if is_identity(order) else write.derived(output, "pooled", [output.shape[i] for i in order])
    write.operator(code, [image], pooled, Options("Pool2DOptions", fields), version=by_width(output, 2, 3))
    made = pooled if pooled is output else write.transpose(pooled, inverse(order), output)
    for value in (*values, fused.value):
        write.define(value, made)
    return made


@emits(stablehlo.ReduceWindowOp)
def reduce_window(op: stablehlo.ReduceWindowOp, write: Writer) -> Tensor:
    """Write MAX_POOL_2D or AVERAGE_POOL_2D."""
    check_initial(op)
    count, values = prod(op.window.size), [op.results[0]]
    if isinstance(op.combiner, stablehlo.MaximumOp):
        source = write.requantized(write[op.inputs[0]], element_type(op.results[0]))
        return _pool(write, tflite.BuiltinOperator.MAX_POOL_2D, source, op.window, values)
    if not isinstance(op.combiner, stablehlo.AddOp):
        raise ConversionError("TFLite pools by a maximum or a mean only")
    if is_float(element_type(op.inputs[0])):
        divide = sole_user(op.results[0])
        if not isinstance(divide, stablehlo.DivideOp) or divide.lhs is not op.results[0] or splat(divide.rhs) != count:
            raise ConversionError("TFLite pools by a maximum or a mean only, found a sum")
        values.append(divide.result)
    elif not is_mean(op, count):
        raise ConversionError("TFLite pools by a maximum or a mean only, found a sum")
    source = write.requantized(write[op.inputs[0]], element_type(values[-1]))
    return _pool(write, tflite.BuiltinOperator.AVERAGE_POOL_2D, source, op.window, values)


@emits(composite.AveragePoolOp)
def average_pool(op: composite.AveragePoolOp, write: Writer) -> Tensor:
    """Write AVERAGE_POOL_2D, which does not count padding."""
    source = write.requantized(write[op.operand], element_type(op.result))
    return _pool(write, tflite.BuiltinOperator.AVERAGE_POOL_2D, source, op.window, [op.result])
