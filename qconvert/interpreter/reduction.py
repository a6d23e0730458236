"""``reduce``, and the evaluation of regions on scalars for whole tensors, which ``reduce_window`` shares.

Integers and quantized accumulators are combined exactly. numpy computes a float sum: pairwise along the innermost
memory dimension, one after the other along the rest. StableHLO leaves the order open, and onnxruntime's order differs
from kernel to kernel, so that the last bits of a float sum are not specified.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.ir import Operation, Region

from qconvert.dialects import stablehlo
from qconvert.interpreter.core import as_int32, dequantize, quantize
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.program import evaluate_block
from qconvert.interpreter.schedule import Schedule, Shape, chosen
from qconvert.ir import Tensor, UniformQuantizedType, tensor
from qconvert.support.errors import ConversionError

Arrays: TypeAlias = tuple[Array, ...]

_FUNCTIONS: dict[type[Operation], np.ufunc] = {
    stablehlo.AddOp: np.add,
    stablehlo.AndOp: np.bitwise_and,
    stablehlo.MaximumOp: np.maximum,
    stablehlo.MinimumOp: np.minimum,
    stablehlo.MultiplyOp: np.multiply,
    stablehlo.OrOp: np.bitwise_or,
    stablehlo.XorOp: np.bitwise_xor,
}


@implements(stablehlo.ReduceOp)
def reduce(op: stablehlo.ReduceOp, operands: Sequence[Array]) -> Arrays:
    """Combine along dimensions: by a numpy reduction if the body is one op, else by a tree of neighbours."""
    inputs, initial = accumulators(op, operands)
    function = plain_function(op)
    if function is None or chosen() is not None:
        return converted_results(op, _fold(op, inputs, initial))
    return converted_results(op, (_reduce_plain(op, function, inputs[0], initial[0]),))


def _reduce_plain(op: stablehlo.ReduceOp, function: np.ufunc, values: Array, initial: Array) -> Array:
    work = np.dtype(np.int64) if sums_accumulator(op, function) else combining_dtype(values.dtype)
    reduced = np.asarray(function.reduce(values, axis=op.reduced, dtype=work, initial=initial.astype(work)[()]))
    return as_int32(reduced) if sums_accumulator(op, function) else reduced.astype(values.dtype, copy=False)


def _fold(op: stablehlo.ReduceOp, inputs: Arrays, initial: Arrays) -> Arrays:
    """Combine the elements from first to last, as the reference interpreter of StableHLO does.

    A body that only chooses among its arguments, as for the index of the largest value, combines neighbours until one
    is left: the tree of the smallest depth.
    """
    axes = sorted(op.reduced)
    count = prod(inputs[0].shape[i] for i in axes)
    kept = tuple(size for i, size in enumerate(inputs[0].shape) if i not in axes)
    level = tuple(np.moveaxis(values, axes, range(len(axes))).reshape(count, *kept) for values in inputs)
    start = tuple(np.broadcast_to(value, kept) for value in initial)
    if chosen() is not None or not _chooses(op):
        return combined(op, [tuple(values[i] for values in level) for i in range(count)], start)
    while len(level[0]) > 1:
        paired = len(level[0]) // 2 * 2
        left, right = (tuple(values[i:paired:2] for values in level) for i in (0, 1))
        rest = tuple(values[paired:] for values in level)
        level = tuple(np.concatenate(pair) for pair in zip(combine(op, left, right), rest, strict=True))
    return combine(op, start, tuple(values[0] for values in level)) if count else start


_CHOICES = (
    stablehlo.AndOp,
    stablehlo.CompareOp,
    stablehlo.MaximumOp,
    stablehlo.MinimumOp,
    stablehlo.NotOp,
    stablehlo.OrOp,
    stablehlo.ReturnOp,
    stablehlo.SelectOp,
)


def _chooses(op: stablehlo.ReductionOp) -> bool:
    return not op.is_left_to_right and all(isinstance(inner, _CHOICES) for inner in op.body.block.ops)


def combined(op: stablehlo.ReductionOp, leaves: Sequence[Arrays], start: Arrays) -> Arrays:
    """Combine leaves and an initial value in the order of the schedule, by default from first to last.

    Raises ConversionError if a body of elements and accumulators would be evaluated in another order.
    """
    schedule = chosen() or Schedule(Shape.LEFT)
    if not op.is_left_to_right:
        return schedule.run(leaves, start, lambda left, right: combine(op, left, right))
    if schedule.shape is not Shape.LEFT:
        raise ConversionError("elements and accumulators of different types are combined from left to right only")
    return schedule.run(leaves, start, lambda accumulator, element: run_region(op.body, (*element, *accumulator)))


def accumulators(op: stablehlo.ReductionOp, operands: Sequence[Array]) -> tuple[Arrays, Arrays]:
    """Return inputs and initial values in the body's types, by the input conversion or by promotion."""
    count = len(op.elements)
    if op.is_left_to_right:
        return tuple(operands[:count]), tuple(operands[count:])
    if op.input_conversion is not None:
        region = op.input_conversion
        return run_region(region, operands[:count]), run_region(region, operands[count:])
    arguments = op.body.block.args[:count] * 2
    given = (*op.elements, *op.initials)
    types = [(tensor(value), tensor(argument)) for value, argument in zip(given, arguments, strict=True)]
    promoted = tuple(as_accumulator(array, *pair) for array, pair in zip(operands, types, strict=True))
    return promoted[:count], promoted[count:]


def as_accumulator(array: Array, source: Tensor, target: Tensor) -> Array:
    """Return values in the wider type that a body may compute in."""
    if source.element_type == target.element_type:
        return array
    return quantize(dequantize(array, source), target, None)


def combine(op: stablehlo.ReductionOp, left: Arrays, right: Arrays) -> Arrays:
    """Evaluate the body on all elements."""
    return run_region(op.body, (*left, *right))


def run_region(region: Region, arguments: Sequence[Array]) -> Arrays:
    """Evaluate a region on scalars for arrays of one shape."""
    results = evaluate_block(region.block, arguments)
    return tuple(np.broadcast_to(result, arguments[0].shape) for result in results)


def converted_results(op: stablehlo.ReductionOp, results: Arrays) -> Arrays:
    """Return the results of the output conversion, which is evaluated once for each result element."""
    return results if op.output_conversion is None else run_region(op.output_conversion, results)


def plain_function(op: stablehlo.ReductionOp) -> np.ufunc | None:
    """Return the numpy function that computes the whole body, or None if the body must be evaluated op by op.

    A quantized body qualifies if it means the same on storage integers: a maximum or minimum, or a sum of 32-bit
    integers with zero point 0.
    """
    combiner = op.combiner
    if combiner is None or op.is_left_to_right or {*combiner.operand_types} != {combiner.result.type}:
        return None
    function = _FUNCTIONS.get(type(combiner))
    if not isinstance(op.accumulator, UniformQuantizedType):
        return function
    if function in (np.maximum, np.minimum) or (function is np.add and _is_exact_sum(op.accumulator)):
        return function
    return None


def _is_exact_sum(element: UniformQuantizedType) -> bool:
    return element.storage.width == 32 and element.has_zero_zero_point


def sums_accumulator(op: stablehlo.ReductionOp, function: np.ufunc) -> bool:
    """Return True for a sum of quantized 32-bit integers, which must not wrap."""
    return function is np.add and isinstance(op.accumulator, UniformQuantizedType)


def combining_dtype(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    """Return the dtype to combine in: float32 for narrower floats, which are rounded once at the end, else itself."""
    is_narrow_float = dtype.itemsize < 4 and dtype.kind not in "iub"
    return np.dtype(np.float32) if is_narrow_float else dtype
