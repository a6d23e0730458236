"""Ops that move elements. A quantized value keeps its integers, because scale and zero point stay the same."""

from __future__ import annotations

import math

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tosa.level import NO_ELEMENTS
from qconvert.backends.tosa.lowering import LOWERINGS, Lowering, lowers
from qconvert.dialects import composite, stablehlo, tosa
from qconvert.dialects.constants import constant_array
from qconvert.expansion.expander import tosa_element
from qconvert.ir import element_type, shape
from qconvert.support.errors import ConversionError


@lowers(stablehlo.ReshapeOp)
def reshape(op: stablehlo.ReshapeOp, lower: Lowering) -> SSAValue:
    """Lower to RESHAPE."""
    return lower.reshape(lower.whole(op.operand), shape(op.result))


@lowers(stablehlo.BroadcastInDimOp)
def broadcast_in_dim(op: stablehlo.BroadcastInDimOp, lower: Lowering) -> SSAValue:
    """Lower to RESHAPE to the result's rank, and to TILE unless elementwise ops broadcast the result themselves.

    Neighbouring dimensions that are both repeated, or both not repeated, are merged for TILE.
    """
    target, sizes = shape(op.result), [1] * len(shape(op.result))
    for axis, size in zip(stablehlo.as_tuple(op.broadcast_dimensions), shape(op.operand), strict=True):
        sizes[axis] = size
    if all(_repeats(use.operation) for use in op.result.uses):
        return lower.reshape(lower.whole(op.operand), sizes)
    if 0 in target:
        raise ConversionError(NO_ELEMENTS, hint="Cut the model around it with --inputs and --outputs")
    merged, multiples = [1], [1]
    for wide, narrow in zip(target, sizes, strict=True):
        repeated = wide // narrow
        if (repeated > 1 and merged[-1] == 1) or (repeated == 1 and multiples[-1] == 1):
            merged[-1], multiples[-1] = merged[-1] * narrow, multiples[-1] * repeated
        elif narrow > 1 or repeated > 1:
            merged.append(narrow)
            multiples.append(repeated)
    value = lower.reshape(lower.whole(op.operand), merged)
    if set(multiples) != {1}:
        value = lower.add(tosa.TileOp(value, lower.shape(multiples)))
    return lower.reshape(value, target)


def _repeats(user: Operation) -> bool:
    """Return True if an op is elementwise and broadcasts one operand to the other, which has all elements."""
    is_elementwise = isinstance(user, stablehlo.BinaryOp) and type(user) in LOWERINGS
    is_elementwise |= isinstance(user, composite.SquaredDifferenceOp)
    repeated = [isinstance(value.owner, stablehlo.BroadcastInDimOp | stablehlo.ConstantOp) for value in user.operands]
    return is_elementwise and not all(repeated)


@lowers(stablehlo.ConcatenateOp)
def concatenate(op: stablehlo.ConcatenateOp, lower: Lowering) -> SSAValue:
    """Lower to CONCAT of storage integers at the result's scale."""
    values = [lower.in_type(value, element_type(op.result)) for value in op.inputs]
    return lower.add(tosa.ConcatOp(values, op.dimension.value.data))


@lowers(stablehlo.SliceOp)
def slice_(op: stablehlo.SliceOp, lower: Lowering) -> SSAValue:
    """Lower to SLICE; a stride becomes a dimension of its own, of which SLICE takes the first element."""
    starts, limits = stablehlo.as_tuple(op.start_indices), stablehlo.as_tuple(op.limit_indices)
    sizes = [end - start for start, end in zip(starts, limits, strict=True)]
    value = lower.slice(lower.whole(op.operand), starts, sizes)
    for axis, step in enumerate(stablehlo.as_tuple(op.strides)):
        if step > 1 and sizes[axis] > 1:
            value = _strided(lower, value, axis, step)
    return lower.reshape(value, shape(op.result))


def _strided(lower: Lowering, value: SSAValue, axis: int, step: int) -> SSAValue:
    """Return every ``step``-th element along an axis, beginning with the first.

    The axis is padded to a multiple of ``step``, and reshaped to two dimensions.
    """
    sizes = shape(value)
    taken, rest = math.ceil(sizes[axis] / step), -sizes[axis] % step
    if rest:
        pads = [rest if i == 2 * axis + 1 else 0 for i in range(2 * len(sizes))]
        fill = lower.constant(np.zeros(1), element_type(value))
        value = lower.add(tosa.PadOp(value, lower.shape(pads), fill))
    outer, inner = math.prod(sizes[:axis]), math.prod(sizes[axis + 1 :])
    steps = lower.reshape(value, (outer, taken, step, inner))
    firsts = lower.slice(steps, (0, 0, 0, 0), (outer, taken, 1, inner))
    return lower.reshape(firsts, (*sizes[:axis], taken, *sizes[axis + 1 :]))


@lowers(stablehlo.ReverseOp)
def reverse(op: stablehlo.ReverseOp, lower: Lowering) -> SSAValue:
    """Lower to one REVERSE for each dimension."""
    value = lower.whole(op.operand)
    for axis in stablehlo.as_tuple(op.dimensions):
        value = lower.add(tosa.ReverseOp(value, axis))
    return value


@lowers(stablehlo.PadOp)
def pad(op: stablehlo.PadOp, lower: Lowering) -> SSAValue:
    """Lower to PAD with a constant storage integer."""
    low, high = stablehlo.as_tuple(op.edge_padding_low), stablehlo.as_tuple(op.edge_padding_high)
    fill = constant_array(op.padding_value)
    if fill is None or any(stablehlo.as_tuple(op.interior_padding)) or min((*low, *high)) < 0:
        raise ConversionError("TOSA pads edges with a constant only")
    if element_type(op.padding_value) != element_type(op.operand):
        raise ConversionError("TOSA cannot pad with a value of another quantized type")
    pads = [size for pair in zip(low, high, strict=True) for size in pair]
    held = lower.whole(op.operand)
    return lower.add(tosa.PadOp(held, lower.shape(pads), lower.constant(fill.reshape(1), element_type(held))))


@lowers(stablehlo.BitcastConvertOp)
def bitcast_convert(op: stablehlo.BitcastConvertOp, lower: Lowering) -> SSAValue:
    """Return the same integers for another scale."""
    source, target = tosa_element(element_type(op.operand)), tosa_element(element_type(op.result))
    if source != target:
        raise ConversionError(f"TOSA cannot reinterpret the bits of {source} as {target}")
    return lower[op.operand]


@lowers(stablehlo.TransposeOp)
def transpose(op: stablehlo.TransposeOp, lower: Lowering) -> SSAValue:
    """Lower to TRANSPOSE."""
    return lower.transpose(lower[op.operand], stablehlo.permutation_of(op))


@lowers(stablehlo.GatherOp)
def gather(op: stablehlo.GatherOp, lower: Lowering) -> SSAValue:
    """Lower to GATHER of slices along one dimension.

    This dimension is moved to the front first. The indices' dimensions take its place in the result.
    """
    numbers, sizes, rank = op.dimension_numbers.data, shape(op.operand), len(shape(op.start_indices))
    [axis] = numbers.collapsed_slice_dims if len(numbers.collapsed_slice_dims) == 1 else [-1]
    whole = tuple(1 if i == axis else size for i, size in enumerate(sizes))
    offsets = (*range(max(axis, 0)), *range(axis + rank, len(sizes) - 1 + rank))
    plain = axis >= 0 and (numbers.offset_dims, numbers.start_index_map) == (offsets, (axis,))
    if not plain or numbers.index_vector_dim != rank or stablehlo.as_tuple(op.slice_sizes) != whole:
        raise ConversionError("TOSA gathers whole slices along one dimension only")
    others = [i for i in range(len(sizes)) if i != axis]
    taken, rest = shape(op.start_indices), [sizes[i] for i in others]
    front = lower.transpose(lower.whole(op.operand), [axis, *others])
    values = lower.reshape(front, (1, sizes[axis], math.prod(rest)))
    indices = lower.reshape(lower.whole(op.start_indices), (1, math.prod(taken)))
    made = lower.reshape(lower.add(tosa.GatherOp(values, indices)), (*taken, *rest))
    order = (*range(rank, rank + axis), *range(rank), *range(rank + axis, rank + len(rest)))
    return lower.transpose(made, order)


@lowers(stablehlo.IotaOp)
def iota(op: stablehlo.IotaOp, lower: Lowering) -> SSAValue:
    """Lower to a constant."""
    sizes, axis = shape(op.output), op.iota_dimension.value.data
    count = np.arange(sizes[axis]).reshape([-1 if i == axis else 1 for i in range(len(sizes))])
    return lower.constant(np.broadcast_to(count, sizes), tosa_element(element_type(op.output)))
