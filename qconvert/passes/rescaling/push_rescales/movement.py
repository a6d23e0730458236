"""Movements of values that were not rescaled, and of their units if channels have units of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.interpreter import evaluate_op
from qconvert.ir import element_type, shape, tensor, with_element
from qconvert.passes.rescaling.push_rescales.joining import joined
from qconvert.passes.rescaling.push_rescales.rules import RuleContext, pushes, splat
from qconvert.passes.rescaling.push_rescales.scaled import (
    Reals,
    Scaled,
    along,
    centred,
    compact,
    one,
    scaled,
    type_range,
)
from qconvert.rewriting import converted, rebuilt
from qconvert.support.errors import ConversionError

Move: TypeAlias = Callable[[Reals], Reals]


@pushes(
    stablehlo.BroadcastInDimOp,
    stablehlo.ReshapeOp,
    stablehlo.ReverseOp,
    stablehlo.SliceOp,
    stablehlo.TransposeOp,
)
def move(op: Operation, context: RuleContext) -> Scaled:
    """Return the same movement of integers of any width."""
    given = context.scaled(op.operands[0])
    return _moved(op, [given.value], given, context, lambda numbers: _move_numbers(op, numbers))


def _moved(op: Operation, operands: list[SSAValue], given: Scaled, context: RuleContext, numbers: Move) -> Scaled:
    result = with_element(tensor(op.results[0]), element_type(given.value))
    made = rebuilt(op, operands, [result])
    value = context.build.add(made)
    bounds = numbers(given.low), numbers(given.high)
    return scaled(value, numbers(given.unit), given.offset, bounds, given.limits)


def _move_numbers(op: Operation, numbers: Reals) -> Reals:
    """Return numbers that broadcast against the operand, moved as the operand is."""
    if numbers.size == 1:
        return one(float(numbers.flat[0]), len(shape(op.results[0])))
    (moved,) = evaluate_op(op, [np.broadcast_to(numbers, shape(op.operands[0]))])
    return compact(np.asarray(moved, np.float64))


@pushes(stablehlo.PadOp)
def pad(op: stablehlo.PadOp, context: RuleContext) -> Scaled:
    """Convert the padding value to an integer of the value's unit."""
    given = context.scaled(op.operand)
    padding = splat(context.constants.get(op.padding_value))
    if padding is None:
        raise ConversionError("its padding value is not constant")
    given = centred(context.build, given, padding)
    _check_unmoved(given, _padded_axes(op))
    zero = context.build.filled(0, element_type(given.value))
    value = _moved(op, [given.value, zero], given, context, lambda numbers: numbers)
    return scaled(value.value, value.unit, padding, (np.minimum(value.low, 0), np.maximum(value.high, 0)), value.limits)


def _padded_axes(op: stablehlo.PadOp) -> set[int]:
    lists = (
        stablehlo.as_tuple(op.edge_padding_low),
        stablehlo.as_tuple(op.edge_padding_high),
        stablehlo.as_tuple(op.interior_padding),
    )
    return {axis for axis, amounts in enumerate(zip(*lists, strict=True)) if any(amounts)}


def _check_unmoved(given: Scaled, axes: set[int]) -> None:
    for numbers in (given.unit, given.low, given.high):
        if any(numbers.shape[axis] > 1 for axis in axes):
            raise ConversionError("channels of several scales are padded")


@pushes(stablehlo.GatherOp)
def gather(op: stablehlo.GatherOp, context: RuleContext) -> Scaled:
    """Gather elements that have one scale; the indices must not be rescaled."""
    given = context.scaled(op.operands[0])
    if given.unit.size > 1 or any(value in context.known for value in op.operands[1:]):
        raise ConversionError("its operand has several scales, or its indices were rescaled")
    rank = len(shape(op.results[0]))
    ends = (float(given.low.min()), float(given.high.max()))
    uniform = Scaled(given.value, given.unit, given.offset, one(ends[0], 1), one(ends[1], 1), given.limits)
    return _moved(
        op, [given.value, *op.operands[1:]], uniform, context, lambda numbers: one(float(numbers.flat[0]), rank)
    )


@pushes(stablehlo.ConcatenateOp)
def concatenate(op: stablehlo.ConcatenateOp, context: RuleContext) -> Scaled:
    """Concatenate. Along the last dimension each operand keeps its units; along other dimensions all get one unit."""
    axis, rank = op.dimension.value.data, len(shape(op.results[0]))
    operands = [context.scaled(value) for value in op.inputs]
    if axis < rank - 1 or any(set(along(given.unit)) - {axis} for given in operands):
        operands = joined(context, operands)
    elif len({(given.offset, given.limits) for given in operands}) > 1:
        operands = [centred(context.build, given) for given in operands]
    elements = [element_type(given.value) for given in operands]
    element = max(elements, key=lambda element: type_range(element)[1])
    values = [converted(context.build, given.value, element) for given in operands]
    parts = [_along_axis(given, shape(value), axis) for given, value in zip(operands, op.inputs, strict=True)]
    unit, low, high = (np.concatenate(list(numbers), axis) for numbers in zip(*parts, strict=True))
    value = context.build.add(stablehlo.ConcatenateOp(values, axis))
    return scaled(value, unit, operands[0].offset, (low, high), operands[0].limits)


def _along_axis(given: Scaled, sizes: tuple[int, ...], axis: int) -> tuple[Reals, Reals, Reals]:
    """Return unit and bounds for each index along an axis; the bounds cover all other dimensions."""
    others = tuple(i for i in range(len(sizes)) if i != axis)
    wanted = [size if i == axis else 1 for i, size in enumerate(sizes)]
    low, high = given.low.min(axis=others, keepdims=True), given.high.max(axis=others, keepdims=True)
    unit = given.unit if axis == len(sizes) - 1 else given.unit.max(axis=others, keepdims=True)
    first, second, third = (np.broadcast_to(numbers, wanted) for numbers in (unit, low, high))
    return first, second, third
