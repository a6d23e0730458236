"""Reductions: REDUCE_SUM of i32 between two RESCALEs, REDUCE_MAX and REDUCE_MIN of storage integers."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.backends.tosa.arg_extreme import arg_extreme
from qconvert.backends.tosa.conversion import narrowed, widened
from qconvert.backends.tosa.lowering import Lowered, Lowering, lowers
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import constant_array, is_neutral
from qconvert.expansion.expander import per_tensor
from qconvert.ir import UniformQuantizedType, element_type, i32, quantized, shape
from qconvert.rewriting import converts
from qconvert.support.errors import ConversionError

_KINDS: dict[type, type[tosa.ReductionOp]] = {
    stablehlo.AddOp: tosa.ReduceSumOp,
    stablehlo.MaximumOp: tosa.ReduceMaxOp,
    stablehlo.MinimumOp: tosa.ReduceMinOp,
}


@lowers(stablehlo.ReduceOp)
def reduce(op: stablehlo.ReduceOp, lower: Lowering) -> Lowered:
    """Lower to one reduction for each dimension, an op for an initial value that is not neutral, and a reshape.

    All elements of more than two dimensions are reduced in one dimension.
    """
    if len(op.inputs) == 2:
        return arg_extreme(op, lower)
    kind = _KINDS.get(type(op.combiner))
    if len(op.inputs) != 1 or kind is None:
        raise ConversionError("TOSA reduces by sum, maximum or minimum only")
    is_sum = kind is tosa.ReduceSumOp and quantized(op.inputs[0]) is not None
    value = lower.centred(op.inputs[0]) if is_sum else widened(lower, op.inputs[0])
    axes, rank = op.reduced, len(shape(value))
    if len(axes) == rank > 2:
        value, axes = lower.reshape(value, (prod(shape(value)),)), (0,)
    for axis in axes:
        value = lower.add(kind(value, axis))
    value = from_initial(op, lower, value)
    made = _stored_sum(op, lower, value) if is_sum else narrowed(lower, value, element_type(op.results[0]))
    return lower.reshape(made, shape(op.results[0]))


def _stored_sum(op: stablehlo.ReduceOp, lower: Lowering, value: SSAValue) -> SSAValue:
    """Return a sum of integers minus their zero point as storage integers of the result."""
    if not converts(op) and per_tensor(op.results[0]).storage.width == 32:
        return lower.offset(value, per_tensor(op.results[0]).zero_point)
    factor, target = result_factor(op)
    return value if target is None else lower.stored(value, factor, target)


COMBINERS: dict[type, type[tosa.BinaryOp]] = {
    stablehlo.AddOp: tosa.AddOp,
    stablehlo.MaximumOp: tosa.MaximumOp,
    stablehlo.MinimumOp: tosa.MinimumOp,
}
"""The op on two values for each op that a reduction combines by."""


def from_initial(op: stablehlo.ReductionOp, lower: Lowering, value: SSAValue) -> SSAValue:
    """Combine a reduction with its initial value, unless that is neutral; TOSA combines integers in 32 bits only."""
    if is_neutral(op):
        return value
    element = element_type(value)
    start = _start(op, lower, value)
    narrow = isinstance(element, IntegerType) and element.width.data < 32
    if narrow:
        value, start = (lower.add(tosa.CastOp(side, i32)) for side in (value, start))
    combined = lower.add(COMBINERS[type(op.combiner)](value, start))
    return lower.add(tosa.CastOp(combined, element)) if narrow else combined


def _start(op: stablehlo.ReductionOp, lower: Lowering, value: SSAValue) -> SSAValue:
    """Return the initial value in a value's rank and type; for a sum of quantized values minus its zero point."""
    given, element, sizes = op.initials[0], quantized(op.initials[0]), (1,) * len(shape(value))
    centred = element if isinstance(op.combiner, stablehlo.AddOp) else None
    array = constant_array(given)
    if array is None:
        return lower.reshape(widened(lower, given) if centred is None else lower.centred(given), sizes)
    if centred is not None:
        return lower.constant((array.astype(np.int64) - centred.zero_point).reshape(sizes), i32)
    return lower.constant(array.reshape(sizes), element_type(value))


def result_factor(op: stablehlo.ReductionOp) -> tuple[float, UniformQuantizedType | None]:
    """Return the factor and the quantized type of a sum's output conversion, or None without a conversion.

    Raises ConversionError if the conversions do more than change the scale.
    """
    before, after = op.input_conversion, op.output_conversion
    widened = [] if before is None else list(before.block.ops)[:-1]
    scale = per_tensor(op.operands[0]).scale
    accumulator = op.accumulator
    plain = not widened or (len(widened) == 1 and isinstance(widened[0], stablehlo.UniformQuantizeOp))
    if not plain or not isinstance(accumulator, UniformQuantizedType) or accumulator.scale != scale:
        raise ConversionError("TOSA cannot express a sum whose input conversion changes the scale")
    if not converts(op):
        raise ConversionError(f"a sum in {accumulator.storage} saturates at each step, which TOSA cannot express")
    if after is None:
        return 1.0, None
    for inner in list(after.block.ops)[:-1]:
        element = quantized(inner.results[0])
        if isinstance(inner, stablehlo.BitcastConvertOp) and element is not None:
            scale = element.scale
        elif isinstance(inner, stablehlo.UniformQuantizeOp) and element is not None:
            return scale / element.scale, element
    raise ConversionError("TOSA cannot express a sum whose output conversion does more than change the scale")
