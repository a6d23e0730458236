"""Sums and extremes along dimensions: REDUCE_SUM of i32 between two RESCALEs, REDUCE_MAX and REDUCE_MIN of storage."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from qconvert.backends.tosa.lowering import Lowering, constant_of, lowers, per_tensor
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.quant import UniformQuantizedType
from qconvert.dialects.stablehlo.reduction import ReductionOp
from qconvert.dialects.types import quantized, shape
from qconvert.errors import ConversionError

_KINDS: dict[type, type[tosa.ReduceSumOp | tosa.ReduceMaxOp | tosa.ReduceMinOp]] = {
    stablehlo.AddOp: tosa.ReduceSumOp,
    stablehlo.MaximumOp: tosa.ReduceMaxOp,
    stablehlo.MinimumOp: tosa.ReduceMinOp,
}


@lowers(stablehlo.ReduceOp)
def reduce(op: stablehlo.ReduceOp, lower: Lowering) -> SSAValue:
    """One reduction for each dimension, then a reshape."""
    kind = _KINDS.get(type(op.combiner))
    if len(op.inputs) != 1 or kind is None:
        raise ConversionError("only sums and extremes have a lowering")
    check_initial(op)
    is_sum = kind is tosa.ReduceSumOp and quantized(op.inputs[0]) is not None
    if not is_sum and op.has_conversions:
        raise ConversionError("an extreme with conversions has no lowering")
    value = lower.centred(op.inputs[0]) if is_sum else lower[op.inputs[0]]
    for axis in op.reduced:
        value = lower.add(kind(value, axis))
    factor, target = result_factor(op) if is_sum else (1.0, None)
    if target is not None:
        value = lower.stored(value, factor, target)
    return lower.reshape(value, shape(op.results[0]))


def check_initial(op: ReductionOp) -> None:
    """Raise ConversionError unless the initial value changes nothing, as TOSA's reductions have none."""
    initial = constant_of(op.operands[1])
    value = None if initial is None else float(initial.reshape(-1)[0])
    element = quantized(op.operands[1])
    neutral: bool
    if isinstance(op.combiner, stablehlo.AddOp):
        neutral = value == (0 if element is None else element.zero_point)
    elif initial is None or initial.dtype.kind in "iu":
        lowest = isinstance(op.combiner, stablehlo.MaximumOp)
        limits = None if element is None else (element.storage.minimum, element.storage.maximum)
        neutral = limits is not None and value == limits[not lowest]
    else:
        limit = np.finfo(initial.dtype).max if initial.dtype.isbuiltin else np.inf
        sign = -1 if isinstance(op.combiner, stablehlo.MaximumOp) else 1
        neutral = value is not None and bool(sign * value >= limit)
    if not neutral:
        raise ConversionError(f"a reduction that starts from {value} has no lowering")


def result_factor(op: ReductionOp) -> tuple[float, UniformQuantizedType | None]:
    """What a sum of integers is multiplied by on the way to its result, and the result's type; None where it stays.

    Raises ConversionError where the conversions are more than a change of scale.
    """
    before, after = op.input_conversion, op.output_conversion
    widened = [] if before is None else list(before.block.ops)[:-1]
    scale = per_tensor(op.operands[0]).scale
    accumulator = op.accumulator
    plain = len(widened) == 1 and isinstance(widened[0], stablehlo.UniformQuantizeOp)
    if not plain or not isinstance(accumulator, UniformQuantizedType) or accumulator.scale != scale:
        raise ConversionError("a sum whose input conversion changes the scale has no lowering")
    if after is None:
        return 1.0, None
    for inner in list(after.block.ops)[:-1]:
        element = quantized(inner.results[0])
        if isinstance(inner, stablehlo.BitcastConvertOp) and element is not None:
            scale = element.scale
        elif isinstance(inner, stablehlo.UniformQuantizeOp) and element is not None:
            return scale / element.scale, element
    raise ConversionError("a sum whose output conversion is more than a change of scale has no lowering")
