"""Ops that move elements. A transpose only changes the layout and becomes no node."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from onnx import TensorProto
from xdsl.ir import SSAValue

from qconvert.backends.onnx.lowering import ComputedTensor, Tensor, Writer, emits_tosa
from qconvert.backends.onnx.movement import FIRST, in_order, permuted, sliced
from qconvert.backends.onnx.reduced import Reduced, reduced
from qconvert.backends.onnx.tosa.elementwise import held_in_kernels
from qconvert.backends.onnx.tosa.fixed_point import cast, parameter
from qconvert.dialects import tosa
from qconvert.dialects.tosa.shapes import sizes_of
from qconvert.ir import broadcast, element_type, i32, reshaped, shape


def _laid_out(value: SSAValue, write: Writer) -> tuple[str, tuple[int, ...]]:
    """Return the tensor of a value with all its elements, and its layout."""
    layout = write.layout_of(value)
    return write.floats(value, layout), layout


@emits_tosa(tosa.ReshapeOp)
def reshape(op: tosa.ReshapeOp, write: Writer) -> Tensor:
    """Write Reshape."""
    known, target = write.known(op.input1), shape(op.output)
    if known is not None:
        return replace(known, held=reshaped(broadcast(known.held, shape(op.input1)), target))
    made = write.node("Reshape", [in_order(op.input1, write), write.integers(target, "shape")])
    return ComputedTensor(made, write.own_layout(op.output))


@emits_tosa(tosa.TransposeOp)
def transpose(op: tosa.TransposeOp, write: Writer) -> Tensor:
    """Return the same tensor in another layout."""
    return permuted(write[op.input1], op.permutation)


@emits_tosa(tosa.PadOp)
def pad(op: tosa.PadOp, write: Writer) -> Tensor:
    """Write Pad with the number ``pad_const``, of 16-bit integers in 32 bits."""
    name, layout = _laid_out(op.input1, write)
    filler = write.node("Reshape", [write.floats(op.pad_const), write.integers((), "scalar")])
    pads, element = sizes_of(op.padding), element_type(op.input1)
    held = held_in_kernels(element)
    ends = write.integers([pads[2 * axis + side] for side in (0, 1) for axis in layout], "pads")
    made = write.node("Pad", [cast(name, element, held, write), ends, cast(filler, element, held, write)])
    return ComputedTensor(cast(made, held, element, write), layout)


@emits_tosa(tosa.ConcatOp)
def concat(op: tosa.ConcatOp, write: Writer) -> Tensor:
    """Write Concat in the layout of the first operand."""
    layout = write.layout_of(op.input1[0])
    names = [write.floats(value, layout) for value in op.input1]
    return ComputedTensor(write.node("Concat", names, axis=layout.index(op.axis.value.data)), layout)


@emits_tosa(tosa.SliceOp)
def slice_of(op: tosa.SliceOp, write: Writer) -> Tensor:
    """Write Slice along the dimensions that get shorter."""
    name, layout = _laid_out(op.input1, write)
    starts, sizes = sizes_of(op.start), sizes_of(op.size)
    axes = [axis for axis, size in enumerate(shape(op.input1)) if sizes[axis] != size]
    if not axes:
        return ComputedTensor(name, layout)
    first, ends = ([part[axis] for axis in axes] for part in (starts, np.add(starts, sizes).tolist()))
    places = [layout.index(axis) for axis in axes]
    return ComputedTensor(sliced(name, (first, ends, places, [1] * len(axes)), write), layout)


@emits_tosa(tosa.TileOp)
def tile(op: tosa.TileOp, write: Writer) -> Tensor:
    """Write Tile."""
    name, layout = _laid_out(op.input1, write)
    multiples = sizes_of(op.multiples)
    return ComputedTensor(write.node("Tile", [name, write.integers((multiples[i] for i in layout), "repeats")]), layout)


@emits_tosa(tosa.GatherOp)
def gather(op: tosa.GatherOp, write: Writer) -> Tensor:
    """Write Gather of rows of one batch, else GatherND with the batches side by side."""
    batch, rows = shape(op.indices)
    values, indices, own = (
        write.floats(op.values),
        write.floats(op.indices, role="indices"),
        write.own_layout(op.output),
    )
    if batch == 1:
        flat = write.node("Reshape", [indices, write.integers((rows,), "shape")])
        return ComputedTensor(write.node("Gather", [values, flat], axis=1), own)
    wide = write.node("Cast", [indices], to=TensorProto.INT64)
    places = write.node("Unsqueeze", [wide, write.integers([-1], "axis")])
    return ComputedTensor(write.node("GatherND", [values, places], batch_dims=1), own)


@emits_tosa(tosa.ScatterOp)
def scatter(op: tosa.ScatterOp, write: Writer) -> Tensor:
    """Compare each row's number with the indices; take the input where one is equal, else the values.

    ScatterElements would do, but StableHLO's scatter is not read from ONNX.
    """
    if 0 in shape(op.input):
        return write[op.values_in]
    values, indices, rows = (write.floats(value) for value in op.operands)
    element, own = element_type(op.output), shape(op.output)
    numbers = parameter(np.arange(own[1]).reshape(-1, 1), np.int32, write, "rows")
    line = write.node("Unsqueeze", [indices, write.integers([1], "axis")])
    found = write.node("Cast", [write.node("Equal", [numbers, line])], to=TensorProto.INT32)
    place = write.node("ArgMax", [found], axis=2, keepdims=1)
    found_in = Reduced(i32, (own[0], own[1], shape(op.indices)[1]), keep=True)
    is_found = write.node("Cast", [reduced("ReduceMax", found, [2], found_in, write)], to=TensorProto.BOOL)
    places = write.node("Expand", [place, write.integers(own, "shape")])
    taken, held = write.node("GatherElements", [rows, places], axis=1), held_in_kernels(element)
    made = write.node("Where", [is_found, *(cast(name, element, held, write) for name in (taken, values))])
    return ComputedTensor(cast(made, held, element, write), write.own_layout(op.output))


@emits_tosa(tosa.IdentityOp)
def identity(op: tosa.IdentityOp, write: Writer) -> Tensor:
    """Return the operand's tensor."""
    return write[op.input1]


@emits_tosa(tosa.ReverseOp)
def reverse(op: tosa.ReverseOp, write: Writer) -> Tensor:
    """Write Slice with a step of -1."""
    name, layout = _laid_out(op.input1, write)
    return ComputedTensor(sliced(name, ([-1], [FIRST], [layout.index(op.axis.value.data)], [-1]), write), layout)
