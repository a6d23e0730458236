"""MEAN, SUM, REDUCE_MAX and REDUCE_MIN."""

from __future__ import annotations

from math import prod

import tflite
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tflite.arg_extreme import arg_extreme
from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Emitted, Writer, by_width, emits
from qconvert.backends.tflite.reshaped import behind
from qconvert.backends.tflite.totals import total
from qconvert.dialects import stablehlo
from qconvert.dialects.constants import check_initial, is_neutral
from qconvert.ir import element_type, is_litert, quantized, quantized_element, same_scales, shape
from qconvert.rewriting import only_user, splat
from qconvert.support.errors import ConversionError

_EXTREMES: dict[type[Operation], tuple[int, int]] = {
    stablehlo.MaximumOp: (tflite.BuiltinOperator.REDUCE_MAX, tflite.BuiltinOperator.MAXIMUM),
    stablehlo.MinimumOp: (tflite.BuiltinOperator.REDUCE_MIN, tflite.BuiltinOperator.MINIMUM),
}
"""The operators that reduce a tensor and that combine two."""


@emits(stablehlo.ReduceOp)
def reduce(op: stablehlo.ReduceOp, write: Writer) -> Emitted:
    """Write a reduction along some dimensions."""
    if len(op.inputs) != 1:
        return arg_extreme(op, write)
    count = prod(shape(op.inputs[0])[i] for i in op.reduced)
    if type(op.combiner) in _EXTREMES:
        source = write.requantized(write[op.inputs[0]], element_type(op.results[0]))
        return _from_initial(write, op, source)
    check_initial(op)
    if not isinstance(op.combiner, stablehlo.AddOp):
        raise ConversionError("TFLite reduces by sum, mean, maximum and minimum only")
    source, element = write[op.inputs[0]], quantized(op.inputs[0])
    if element is None:
        return _plain_total(write, op, count)
    output, share, averages = _kept(write, op, op.results[0]), share_of(op), is_mean(op, count)
    if not is_litert(op):
        return total(write, source, op.reduced, 1 / count if averages else share, output)
    if not averages and share != 1:
        raise ConversionError(f"LiteRT's sums are divided by the number of elements, {count}, not by {1 / share:g}")
    code = tflite.BuiltinOperator.MEAN if averages else tflite.BuiltinOperator.SUM
    return _reduced(write, code, op, source, output)


def _kept(write: Writer, op: stablehlo.ReduceOp, value: SSAValue) -> Tensor:
    """Return the tensor of a result, that of a reshape behind it where this one keeps all dimensions."""
    kept = [1 if i in op.reduced else size for i, size in enumerate(shape(op.inputs[0]))]
    found = next((reshaped for reshaped in behind(value, op) if shape(reshaped) == tuple(kept)), value)
    output = write.result(found)
    write.define(found, output)
    return output


def _from_initial(write: Writer, op: stablehlo.ReduceOp, source: Tensor) -> Tensor:
    """Write REDUCE_MAX or REDUCE_MIN, and MAXIMUM or MINIMUM of an initial value that is not neutral."""
    assert op.combiner is not None
    reduced, combined = _EXTREMES[type(op.combiner)]
    output = _kept(write, op, op.results[0])
    if is_neutral(op):
        return _reduced(write, reduced, op, source, output)
    made = _reduced(write, reduced, op, source, write.derived(output, "reduced", output.shape))
    inputs = [made, write.requantized(write[op.initials[0]], output.element)]
    options, version = Options("MaximumMinimumOptions"), by_width(output, 2, 4)
    return write.operator(combined, inputs, output, options, version=version)


def _reduced(write: Writer, code: int, op: stablehlo.ReduceOp, source: Tensor, output: Tensor) -> Tensor:
    inputs = [source, write.integers(op.reduced, "axes")]
    options = Options("ReducerOptions", {"KeepDims": len(output.shape) == len(source.shape)})
    version = by_width(output, 2, 2 if code == tflite.BuiltinOperator.SUM else 3)
    return write.operator(code, inputs, output, options, version=version)


def _plain_total(write: Writer, op: stablehlo.ReduceOp, count: int) -> Tensor:
    """Write SUM, or MEAN where the sum is divided by the number of its elements."""
    divide = only_user(op.results[0])
    if isinstance(divide, stablehlo.DivideOp) and divide.lhs is op.results[0] and splat(divide.rhs) == count:
        output = _kept(write, op, divide.result)
        write.define(divide.result, output)
        return _reduced(write, tflite.BuiltinOperator.MEAN, op, write[op.inputs[0]], output)
    return _reduced(write, tflite.BuiltinOperator.SUM, op, write[op.inputs[0]], _kept(write, op, op.results[0]))


def is_mean(op: stablehlo.ReductionOp, count: int) -> bool:
    """Return True if a sum of quantized values is divided by a number of elements by its output conversion."""
    return same_scales(share_of(op) * count, 1)


def share_of(op: stablehlo.ReductionOp) -> float:
    """Return the factor of a sum of quantized values: its output conversion reads the integers at another scale."""
    after, element = op.output_conversion, quantized(op.operands[0])
    casts = (
        [] if after is None else [inner for inner in after.block.ops if isinstance(inner, stablehlo.BitcastConvertOp)]
    )
    if element is None or not casts:
        return 1.0
    return quantized_element(casts[-1].result).scale / element.scale
