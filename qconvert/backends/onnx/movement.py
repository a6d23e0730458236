"""Ops that move elements. A transpose only changes the layout and becomes no node, so that transposes may cancel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.backends.onnx.lowering import ComputedTensor, ConstantTensor, Layout, Tensor, Writer, emits
from qconvert.dialects import stablehlo
from qconvert.ir import (
    UniformQuantizedType,
    array_of,
    broadcast,
    element_type,
    numpy_dtype,
    quantized,
    repeats,
    reshaped,
    shape,
    tensor,
    transposed,
)
from qconvert.rewriting import only_user
from qconvert.support.errors import ConversionError
from qconvert.support.limits import WrittenOut

FIRST = -(2**63)
"""The end of a Slice with a negative step that includes the first element."""


@emits(stablehlo.TransposeOp)
def transpose(op: stablehlo.TransposeOp, write: Writer) -> Tensor:
    """Return the same tensor in another layout."""
    return permuted(write[op.operand], stablehlo.as_tuple(op.permutation))


@emits(stablehlo.ReshapeOp)
def reshape(op: stablehlo.ReshapeOp, write: Writer) -> Tensor:
    """Write Reshape."""
    known = write.known(op.operand)
    target = shape(op.result)
    if known is not None and known.held.size == 1:
        return replace(known, held=reshaped(known.held, (1,) * len(target)))
    if known is not None and known.axis is None and not _is_blocked(known):
        wide = broadcast(known.held, shape(op.operand))
        if repeats(wide):
            WrittenOut().add(wide.nbytes)  # the reshape may have to copy them
        return replace(known, held=reshaped(wide, target))
    rows = _flattened_rows(op, write)
    own = write.own_layout(op.result)
    moved = _reshaped_integers(op.operand, write.own_layout(op.operand), target, write) if rows is None else None
    if moved is not None:
        return ComputedTensor(moved, own)
    if rows is not None:
        product, order = rows
        write.rows[product] = order
        name = write.floats(op.operand, write.layout_of(op.operand))
    else:
        name = in_order(op.operand, write)
    return ComputedTensor(write.node("Reshape", [name, write.integers(target, "shape")]), own)


def _reshaped_integers(value: SSAValue, layout: Layout, sizes: Sequence[int], write: Writer) -> str | None:
    """Write Reshape of the integers of dequantized reals, and DequantizeLinear behind it; None for other values."""
    found = write.stored_to_move(value) if quantized(value) is None else None
    if found is None:
        return None
    tensor, element = found
    name = write.transposed(tensor.name, tensor.layout, layout)
    moved = write.node("Reshape", [name, write.integers(sizes, "shape")])
    return write.dequantized(moved, element, sizes, tuple(range(len(sizes))))


def _flattened_rows(op: stablehlo.ReshapeOp, write: Writer) -> tuple[stablehlo.DotGeneralOp, NDArray[np.intp]] | None:
    """Return the product that alone uses a flattened image, and the order of the flattened elements in the graph.

    The weights must be constant: their rows take that order instead of a transpose of the image. The first dimension
    stays; the others, which the graph holds in another order, become one.
    """
    sizes, layout = shape(op.operand), write.layout_of(op.operand)
    if write.forms is not None:  # integer forms read constant weights in their own order
        return None
    is_flat = len(sizes) > 1 and shape(op.result) == (sizes[0], prod(sizes[1:]))
    if not is_flat or layout[0] != 0 or layout == write.own_layout(op.operand):
        return None
    value: SSAValue = op.result
    user = only_user(value)
    while isinstance(user, stablehlo.UniformQuantizeOp | stablehlo.UniformDequantizeOp):
        value, user = user.result, only_user(user.result)
    if not isinstance(user, stablehlo.DotGeneralOp) or user.lhs is not value or user.rhs is value:
        return None
    known, numbers = write.known(user.rhs), user.numbers
    if known is None or only_user(user.rhs) is not user or _is_blocked(known):
        return None
    if numbers.lhs_contracting_dimensions != (1,) or known.axis in numbers.rhs_contracting_dimensions:
        return None
    places = np.arange(prod(sizes[1:])).reshape(sizes[1:])
    return user, places.transpose([axis - 1 for axis in layout[1:]]).reshape(-1)


def in_order(value: SSAValue, write: Writer) -> str:
    """Return a tensor whose elements are in the value's row-major order; dimensions of size 1 may be anywhere."""
    tensor = write.real(value)
    if isinstance(tensor, ComputedTensor) and not tensor.repeated:
        moved = [axis for axis in tensor.layout if shape(value)[axis] != 1]
        if moved == sorted(moved):
            return tensor.name
    return write.floats(value)


def _is_blocked(known: ConstantTensor) -> bool:
    return isinstance(known.element, UniformQuantizedType) and known.element.is_sub_channel


@emits(stablehlo.BroadcastInDimOp)
def broadcast_in_dim(op: stablehlo.BroadcastInDimOp, write: Writer) -> Tensor:
    """Write a Reshape to dimensions of size 1 where elements repeat; the broadcasting of later nodes repeats them."""
    dimensions, target = stablehlo.as_tuple(op.broadcast_dimensions), shape(op.result)
    sizes = [1] * len(target)
    for i, axis in enumerate(dimensions):
        sizes[axis] = shape(op.operand)[i]
    known, order = write.known(op.operand), tuple(np.argsort(dimensions).tolist())
    if known is not None:
        return _known_broadcast(op, known, order)
    own, is_repeated = write.own_layout(op.result), tuple(sizes) != target
    if tuple(sizes) == tuple(shape(op.operand)[i] for i in order):
        return ComputedTensor(write.floats(op.operand, order), own, repeated=is_repeated)
    made = _reshaped_integers(op.operand, order, sizes, write)
    if made is None:
        made = write.node("Reshape", [write.floats(op.operand, order), write.integers(sizes, "shape")])
    return ComputedTensor(made, own, repeated=is_repeated)


def _known_broadcast(op: stablehlo.BroadcastInDimOp, known: ConstantTensor, order: Sequence[int]) -> ConstantTensor:
    dimensions, target, element = stablehlo.as_tuple(op.broadcast_dimensions), shape(op.result), known.element
    if _is_blocked(known):
        raise ConversionError(
            "ONNX cannot repeat a constant with scales of blocks", hint="Write the constant in its full shape"
        )
    sizes = [1] * len(target)
    for i, axis in enumerate(dimensions):
        sizes[axis] = known.held.shape[i]
    held = reshaped(transposed(known.held, order), sizes)
    if isinstance(element, UniformQuantizedType) and known.axis is not None:
        axis = dimensions[known.axis]
        d, times = element.data, target[axis] // len(element.data.scales)
        scales, zero_points = (*d.scales,) * times, (*d.zero_points,) * times
        element = UniformQuantizedType.per_axis(d.storage, scales, zero_points, axis, d.expressed_type)
        held = held if times == 1 else np.repeat(array_of(held), times, axis)
    return replace(known, held=held, element=element)


@emits(stablehlo.ConcatenateOp)
def concatenate(op: stablehlo.ConcatenateOp, write: Writer) -> Tensor:
    """Write Concat in the layout of the first operand."""
    layout = write.layout_of(op.inputs[0])
    names = [write.floats(value, layout) for value in op.inputs]
    return ComputedTensor(write.node("Concat", names, axis=layout.index(op.dimension.value.data)), layout)


@emits(stablehlo.SliceOp)
def slice_of(op: stablehlo.SliceOp, write: Writer) -> Tensor:
    """Write Slice along the dimensions that get shorter."""
    layout, sizes = write.layout_of(op.operand), shape(op.operand)
    ranges = list(zip(*op.ranges, strict=True))
    axes = [axis for axis, size in enumerate(sizes) if ranges[axis] != (0, size, 1)]
    name = write.floats(op.operand, layout)
    if not axes:
        return ComputedTensor(name, layout)
    starts, limits, steps = ([ranges[axis][i] for axis in axes] for i in range(3))
    places = [layout.index(axis) for axis in axes]
    return ComputedTensor(sliced(name, (starts, limits, places, steps), write), layout)


def sliced(name: str, lists: Sequence[Sequence[int]], write: Writer) -> str:
    """Write Slice with lists of starts, ends, axes and steps."""
    roles = ("starts", "ends", "axes", "steps")
    inputs = [write.integers(values, role) for values, role in zip(lists, roles, strict=True)]
    return write.node("Slice", [name, *inputs])


@emits(stablehlo.ReverseOp)
def reverse(op: stablehlo.ReverseOp, write: Writer) -> Tensor:
    """Write Slice with steps of -1."""
    layout = write.layout_of(op.operand)
    places = [layout.index(axis) for axis in stablehlo.as_tuple(op.dimensions)]
    name, ones = write.floats(op.operand, layout), [1] * len(places)
    lists = ([-1 for _ in ones], [FIRST for _ in ones], places, [-1 for _ in ones])
    return ComputedTensor(sliced(name, lists, write), layout)


@emits(stablehlo.PadOp)
def pad(op: stablehlo.PadOp, write: Writer) -> Tensor:
    """Write Pad with a number; negative pads crop."""
    layout, gaps = write.layout_of(op.operand), stablehlo.as_tuple(op.interior_padding)
    pads = [stablehlo.as_tuple(edges)[axis] for edges in (op.edge_padding_low, op.edge_padding_high) for axis in layout]
    name, filler = write.floats(op.operand, layout), write.floats(op.padding_value, (), "value")
    name = spread(name, [shape(op.operand)[i] for i in layout], [gaps[i] for i in layout], filler, write)
    return ComputedTensor(write.node("Pad", [name, write.integers(pads, "pads"), filler]), layout)


def spread(name: str, sizes: Sequence[int], gaps: Sequence[int], filler: str, write: Writer) -> str:
    """Write a tensor with gaps between the elements along some axes; ``filler`` is a scalar.

    Each element becomes a padded row. A Reshape joins the rows, and a Slice removes the gap after the last element.
    """
    found = list(sizes)
    for axis, gap in enumerate(gaps):
        if not gap or found[axis] < 2:
            continue
        before, after = found[:axis], found[axis + 1 :]
        rows = write.integers((*before, found[axis], 1, *after), "rows")
        name = write.node("Reshape", [name, rows], name=f"{write.label}_Reshape")
        pads = [0] * (2 * len(found) + 2)
        pads[len(found) + 1 + axis + 1] = gap
        name = write.node("Pad", [name, write.integers(pads, "gaps"), filler], name=f"{write.label}_Pad")
        found[axis] *= gap + 1
        name = write.node("Reshape", [name, write.integers(found, "together")], name=f"{write.label}_Reshape")
        found[axis] -= gap
        name = sliced(name, ([0], [found[axis]], [axis], [1]), write)
    return name


@emits(stablehlo.GatherOp)
def gather(op: stablehlo.GatherOp, write: Writer) -> Tensor:
    """Write Gather of slices of size 1 along one axis, or GatherElements."""
    numbers, sizes, indices = op.dimension_numbers.data, shape(op.operand), shape(op.start_indices)
    axes, vector = numbers.collapsed_slice_dims, numbers.index_vector_dim
    others = tuple(i for i in range(len(sizes)) if i not in axes)
    batches = (numbers.operand_batching_dims, numbers.start_indices_batching_dims)
    if len(axes) == 1 and numbers.start_index_map == axes and batches == (others, others) and vector == len(sizes):
        names = [write.floats(op.operand), write.floats(op.start_indices, role="indices")]
        return ComputedTensor(write.node("GatherElements", names, axis=axes[0]), write.own_layout(op.result))
    is_trailing = vector == len(indices) or (vector == len(indices) - 1 and indices[vector] == 1)
    if len(axes) != 1 or numbers.start_index_map != axes or numbers.operand_batching_dims or not is_trailing:
        raise ConversionError("ONNX's Gather takes slices along one axis only")
    (axis,), rank = axes, vector
    whole = [1 if i == axis else size for i, size in enumerate(sizes)]
    offsets = (*range(axis), *range(axis + rank, len(sizes) - 1 + rank))
    if list(stablehlo.as_tuple(op.slice_sizes)) != whole or tuple(numbers.offset_dims) != offsets:
        raise ConversionError("ONNX's Gather takes whole slices only")
    name, places = write.floats(op.operand), write.floats(op.start_indices, role="indices")
    if vector < len(indices):
        places = write.node("Reshape", [places, write.integers(indices[:-1], "shape")], name=f"{places}_Reshape")
    return ComputedTensor(write.node("Gather", [name, places], axis=axis), write.own_layout(op.result))


@emits(stablehlo.IotaOp)
def iota(op: stablehlo.IotaOp, write: Writer) -> Tensor:
    """Return a constant."""
    axis, type = op.iota_dimension.value.data, tensor(op.output)
    sizes = [size if i == axis else 1 for i, size in enumerate(type.get_shape())]
    values = np.arange(sizes[axis]).astype(numpy_dtype(element_type(op.output)))
    return ConstantTensor(values.reshape(sizes), type.element_type)


def permuted(tensor: Tensor, permutation: Sequence[int]) -> Tensor:
    """Return the tensor that represents a transpose of a value."""
    if isinstance(tensor, ComputedTensor):
        return replace(tensor, layout=tuple(list(permutation).index(i) for i in tensor.layout))
    element = tensor.element
    if isinstance(element, UniformQuantizedType):
        if element.is_sub_channel:
            raise ConversionError("ONNX cannot transpose a constant with scales of blocks", hint="Fold it first")
        if tensor.axis is not None:
            element = element.with_axis(list(permutation).index(tensor.axis))
    return replace(tensor, held=transposed(tensor.held, permutation), element=element)
