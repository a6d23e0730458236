"""Reductions along one dimension, which keeps size 1, and the index of the largest element."""

from __future__ import annotations

from onnx import TensorProto

from qconvert.backends.onnx.lowering import ComputedTensor, Tensor, Writer, emits_tosa
from qconvert.backends.onnx.reduced import Reduced, reduced
from qconvert.backends.onnx.reduction import without
from qconvert.backends.onnx.tosa.elementwise import check_nan, held_in_kernels, is_narrow
from qconvert.backends.onnx.tosa.fixed_point import cast
from qconvert.dialects import tosa
from qconvert.ir import element_type, i1, i32, shape

_KINDS: dict[type[tosa.ReductionOp], str] = {
    tosa.ReduceAllOp: "ReduceMin",
    tosa.ReduceAnyOp: "ReduceMax",
    tosa.ReduceMaxOp: "ReduceMax",
    tosa.ReduceMinOp: "ReduceMin",
    tosa.ReduceProductOp: "ReduceProd",
    tosa.ReduceSumOp: "ReduceSum",
}


@emits_tosa(*_KINDS)
def reduce(op: tosa.ReductionOp, write: Writer) -> Tensor:
    """Write the reduction, of booleans and of integers of fewer than 32 bits in 32 bits."""
    check_nan(op)
    element, layout = element_type(op.input), write.layout_of(op.input)
    held = i32 if element == i1 or is_narrow(element) else element
    name = cast(write.floats(op.input, layout), element, held, write)
    tensor = Reduced(held, tuple(shape(op.input)[i] for i in layout), keep=True)
    made = reduced(_KINDS[type(op)], name, [layout.index(op.axis.value.data)], tensor, write)
    return ComputedTensor(cast(made, held, element, write), layout)


@emits_tosa(tosa.ArgMaxOp)
def argmax(op: tosa.ArgMaxOp, write: Writer) -> Tensor:
    """Write ArgMax, which returns the first index of equal elements."""
    check_nan(op)
    element, layout, axis = element_type(op.input), write.layout_of(op.input), op.axis.value.data
    held = held_in_kernels(element)
    name = cast(write.floats(op.input, layout), element, held, write)
    made = write.node("ArgMax", [name], axis=layout.index(axis), keepdims=0)
    return ComputedTensor(write.node("Cast", [made], to=TensorProto.INT32), without(layout, (axis,)))
