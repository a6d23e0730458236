"""ReduceSum, ReduceMax and the like of one tensor; integers wrap around."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.ir import Attribute, SSAValue

from qconvert.backends.onnx.builder import onnx_type
from qconvert.backends.onnx.lowering import Layout, Writer
from qconvert.backends.onnx.wrapping import in_64_bits, in_halves, reduced_in_halves, summed_in_64_bits
from qconvert.ir import element_type, expressed, shape


@dataclass(frozen=True)
class Reduced:
    """The element type and the sizes of a tensor that is reduced; ``keep`` leaves the dimensions with size 1."""

    element: Attribute
    sizes: tuple[int, ...]
    keep: bool

    @classmethod
    def of(cls, value: SSAValue, layout: Layout, *, keep: bool) -> Reduced:
        """Describe the tensor of a value in a layout."""
        return cls(expressed(element_type(value)), tuple(shape(value)[i] for i in layout), keep)


def reduced(kind: str, name: str, axes: list[int], tensor: Reduced, write: Writer) -> str:
    """Write a reduction; an empty list of axes would mean all. Integers wrap around."""
    if not axes:
        return write.node("Identity", [name])
    count = prod(tensor.sizes[axis] for axis in axes)
    if count and reduced_in_halves(kind, tensor.element):
        made = in_halves(kind, name, tensor.element, tensor.sizes, axes, write)
        return made if tensor.keep else write.node("Squeeze", [made, write.integers(axes, "axes")])
    if summed_in_64_bits(kind, tensor.element, count):
        made = _reduction(kind, in_64_bits(name, write), axes, tensor.keep, write)
        return write.node("Cast", [made], to=onnx_type(tensor.element))
    return _reduction(kind, name, axes, tensor.keep, write)


def _reduction(kind: str, name: str, axes: list[int], keep: bool, write: Writer) -> str:
    """Write the operator, with its axes as input or attribute, depending on the opset."""
    if kind == "ReduceSum" or write.opset >= 18:
        return write.node(kind, [name, write.integers(axes, "axes")], keepdims=int(keep))
    return write.node(kind, [name], axes=axes, keepdims=int(keep))
