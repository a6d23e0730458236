"""Ops that move elements, by numpy's functions on storage integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import stablehlo
from qconvert.dialects.constants import aligned
from qconvert.interpreter.core import dequantize, quantized_result
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.sliding import padded
from qconvert.ir import element_type, expressed, numpy_dtype, shape, tensor


@implements(stablehlo.ReshapeOp)
def reshape(op: stablehlo.ReshapeOp, operands: Sequence[Array]) -> Array:
    """Return the same elements in another shape."""
    if not shape(op.operand) and not shape(op.result):
        return operands[0]  # in a reduction's region a scalar stands for a whole tensor
    return operands[0].reshape(shape(op.result))


@implements(stablehlo.TransposeOp)
def transpose(op: stablehlo.TransposeOp, operands: Sequence[Array]) -> Array:
    """Return a view with permuted dimensions."""
    return operands[0].transpose(stablehlo.as_tuple(op.permutation))


@implements(stablehlo.BroadcastInDimOp)
def broadcast_in_dim(op: stablehlo.BroadcastInDimOp, operands: Sequence[Array]) -> Array:
    """Return a view whose repeated elements share memory."""
    if not shape(op.result):
        return operands[0]  # as in reshape
    return broadcast(operands[0], stablehlo.as_tuple(op.broadcast_dimensions), shape(op.result))


def broadcast(array: Array, dimensions: Sequence[int], target: Sequence[int]) -> Array:
    """Return ``array`` repeated to ``target``; its dimension ``i`` becomes dimension ``dimensions[i]``."""
    return np.broadcast_to(aligned(array, dimensions, len(target)), target)


@implements(stablehlo.ConcatenateOp)
def concatenate(op: stablehlo.ConcatenateOp, operands: Sequence[Array]) -> Array:
    """Concatenate storage integers; an operand with other parameters than the result is requantized first."""
    result = tensor(op.result)
    parts = [
        array
        if tensor(value).element_type == result.element_type
        else quantized_result(op, dequantize(array, tensor(value)))
        for array, value in zip(operands, op.operands, strict=True)
    ]
    return np.concatenate(parts, axis=op.dimension.value.data)


@implements(stablehlo.SliceOp)
def slice_(op: stablehlo.SliceOp, operands: Sequence[Array]) -> Array:
    """Return a strided view."""
    bounds = zip(
        stablehlo.as_tuple(op.start_indices),
        stablehlo.as_tuple(op.limit_indices),
        stablehlo.as_tuple(op.strides),
        strict=True,
    )
    return operands[0][tuple(slice(start, limit, step) for start, limit, step in bounds)]


@implements(stablehlo.PadOp)
def pad(op: stablehlo.PadOp, operands: Sequence[Array]) -> Array:
    """Add edges, cropped where negative, and gaps between neighbours."""
    edges = list(zip(stablehlo.as_tuple(op.edge_padding_low), stablehlo.as_tuple(op.edge_padding_high), strict=True))
    return padded(operands[0], edges, [gap + 1 for gap in stablehlo.as_tuple(op.interior_padding)], operands[1])


@implements(stablehlo.ReverseOp)
def reverse(op: stablehlo.ReverseOp, operands: Sequence[Array]) -> Array:
    """Return a view with reversed dimensions."""
    return np.flip(operands[0], stablehlo.as_tuple(op.dimensions))


@implements(stablehlo.IotaOp)
def iota(op: stablehlo.IotaOp, operands: Sequence[Array]) -> Array:
    """Return the index along one dimension, repeated along the others, quantized if the result is quantized."""
    return index_along(op, op.iota_dimension.value.data)


def index_along(op: Operation, axis: int) -> Array:
    """Return the index along one dimension at every element of an op's result, as a view."""
    target = shape(op.results[0])
    steps = np.arange(target[axis]).astype(numpy_dtype(expressed(element_type(op.results[0]))))
    column = quantized_result(op, steps.reshape([-1 if i == axis else 1 for i in range(len(target))]))
    return np.broadcast_to(column, target)


@implements(stablehlo.GatherOp)
def gather(op: stablehlo.GatherOp, operands: Sequence[Array]) -> Array:
    """Return slices at start indices, which are clamped so that every slice lies inside the operand.

    numpy copies dimensions that are taken whole without an index. Only the other dimensions are indexed.
    """
    operand, numbers, sizes = operands[0], op.dimension_numbers.data, stablehlo.as_tuple(op.slice_sizes)
    dropped = numbers.collapsed_slice_dims + numbers.operand_batching_dims
    offsets = tuple(i for i in range(operand.ndim) if i not in dropped)
    whole = tuple(i for i in offsets if sizes[i] == operand.shape[i])
    partial = tuple(i for i in offsets if i not in whole)
    indexed = tuple(i for i in range(operand.ndim) if i not in whole)
    starts = start_positions(operands[1], numbers)
    for dimension in numbers.start_index_map:
        starts[dimension] = np.clip(starts[dimension], 0, operand.shape[dimension] - sizes[dimension])
    batch = batch_shape(operands[1], numbers)
    indices = []
    for dimension in indexed:
        index = np.broadcast_to(starts.get(dimension, np.zeros((), np.int64)), batch)
        index = index.reshape(batch + (1,) * len(partial))
        if dimension in partial:
            steps = np.arange(sizes[dimension])
            index = index + steps.reshape([-1 if i == dimension else 1 for i in partial])
        indices.append(np.broadcast_to(index, batch + tuple(sizes[i] for i in partial)))
    source = operand.transpose(indexed + whole)
    taken = source[tuple(indices)] if indices else np.broadcast_to(source, batch + source.shape)
    positions = {dimension: len(batch) + i for i, dimension in enumerate(partial + whole)}
    return taken.transpose(_result_order(numbers, [positions[i] for i in offsets], taken.ndim))


def batch_shape(indices: Array, numbers: stablehlo.GatherDimensionNumbers) -> tuple[int, ...]:
    """Return the shape of the indices without the dimension of the index vector."""
    return tuple(size for i, size in enumerate(indices.shape) if i != numbers.index_vector_dim)


def start_positions(indices: Array, numbers: stablehlo.GatherDimensionNumbers) -> dict[int, Array]:
    """Return the start index of each operand dimension that has one, over the batch dimensions of the indices."""
    batch = batch_shape(indices, numbers)
    if numbers.index_vector_dim == indices.ndim:
        indices = indices[..., np.newaxis]
    vectors = np.moveaxis(indices, numbers.index_vector_dim, -1).astype(np.int64)
    starts = {dimension: vectors[..., i] for i, dimension in enumerate(numbers.start_index_map)}
    pairs = zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True)
    for dimension, axis in pairs:
        at = axis - (axis > numbers.index_vector_dim)
        steps = np.arange(batch[at]).reshape([-1 if i == at else 1 for i in range(len(batch))])
        starts[dimension] = np.broadcast_to(steps, batch)
    return starts


def _result_order(numbers: stablehlo.GatherDimensionNumbers, offsets: Sequence[int], rank: int) -> list[int]:
    """Return the permutation that moves offset dimensions to ``offset_dims`` and batch dimensions to the others."""
    placed = dict(zip(numbers.offset_dims, offsets, strict=True))
    batches = iter(range(rank))
    return [placed[i] if i in placed else next(batches) for i in range(rank)]
