"""Nodes, initializers and unique names of an ONNX graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, defs, helper
from xdsl.ir import Attribute

from qconvert.backends.onnx.model_file import Initializer
from qconvert.backends.onnx.runtime_types import wider_types
from qconvert.backends.writer import GraphNames
from qconvert.ir import Held, UniformQuantizedType, described, element_type_of, numpy_dtype, storage_element
from qconvert.support.errors import ConversionError
from qconvert.support.names import unused_name

_STORAGE_SINCE = {2: 25, 4: 21, 8: 13, 16: 21, 32: 13}
"""The first opset in which QuantizeLinear and DequantizeLinear take integers of a width."""


def least_opset(element: Attribute) -> int:
    """Return the oldest opset that has an element type, and for a quantized one takes it in QuantizeLinear."""
    if not isinstance(element, UniformQuantizedType):
        row = element_type_of(element)
        return 0 if row is None else row.onnx_since
    scale = 19 if numpy_dtype(element.expressed_type).itemsize == 2 else 0
    blocks = 21 if element.is_sub_channel else 0
    return max(_STORAGE_SINCE[element.storage.width], scale, blocks)


def held_dtype(element: Attribute) -> np.dtype[np.generic]:
    """Return the dtype of a tensor in the graph: the storage type's if the element is quantized."""
    held = storage_element(element)
    row = element_type_of(held)
    return numpy_dtype(held) if row is None else row.dtype


def onnx_type(element: Attribute) -> int:
    """Return the TensorProto data type of an element type."""
    return int(helper.np_dtype_to_tensor_dtype(held_dtype(element)))


class OnnxBuilder(GraphNames):
    """A list of nodes and initializers under construction."""

    def __init__(self, opset: int, reserved: Iterable[str] = ()) -> None:
        super().__init__(reserved)
        self.opset = opset
        self.nodes: list[NodeProto] = []
        self.initializers: list[Initializer] = []
        self._node_names: set[str] = set()
        self._scales: dict[object, tuple[str, str]] = {}

    def require(self, opset: int, what: str) -> None:
        """Raise ConversionError, naming ``what``, if the graph's opset is older than ``opset``."""
        if self.opset < opset:
            raise ConversionError(f"{what} is not in opset {self.opset}", hint=f"Give --opset {opset}")

    def node(
        self, kind: str, inputs: Sequence[str], *, name: str = "", output: str = "", count: int = 1, **attributes: Any
    ) -> str:
        """Append a node and return the name of its first output (:meth:`last_outputs` returns all).

        ``name`` names the node; the source node's name is the default. ``output`` names the first output.
        """
        label = unused_name(name or self.label or kind.lower(), self._node_names, kind)
        first = output or f"{label}_output"
        outputs = [self.unused_tensor(first if i == 0 else f"{first}_{i}") for i in range(count)]
        self.nodes.append(helper.make_node(kind, list(inputs), outputs, name=label, **attributes))
        return outputs[0]

    def cast(self, source: str, target: str, kind: int) -> NodeProto:
        """Return a Cast between two tensors, which is not one of the nodes."""
        label = unused_name(f"{target}_Cast", self._node_names)
        return helper.make_node("Cast", [source], [target], name=label, to=kind)

    def last_outputs(self) -> tuple[str, ...]:
        """Return the outputs of the last node."""
        return tuple(self.nodes[-1].output)

    def initializer(self, held: Held, name: str, dtype: np.dtype[Any] | None = None) -> str:
        """Add a constant to the graph and return its name; ``dtype`` is the tensor's, by default the elements'."""
        unused = self.unused_tensor(name)
        self.initializers.append(Initializer(unused, held, held.dtype if dtype is None else dtype))
        return unused

    def drop_unused(self, outputs: Iterable[str]) -> None:
        """Remove the nodes and initializers that the tensors ``outputs`` do not depend on."""
        needed, kept = set(outputs), list[NodeProto]()
        for node in reversed(self.nodes):
            if needed.intersection(node.output):
                needed.update(node.input)
                kept.append(node)
        self.nodes[:] = reversed(kept)
        self.initializers[:] = [tensor for tensor in self.initializers if tensor.name in needed]

    def integers(self, values: Iterable[int], role: str) -> str:
        """Add a list of int64 as an initializer and return its name."""
        return self.initializer(np.asarray(list(values), np.int64), self.constant_name(role))

    def scale_and_zero_point(
        self, element: UniformQuantizedType, shape: Sequence[int], layout: Sequence[int], tensor: str
    ) -> tuple[tuple[str, str], dict[str, Any]]:
        """Return the initializers of scale and zero point, and the attributes that go with them.

        Equal parameters share their initializers. ``shape`` is the shape of the value. Dimension ``j`` of the tensor is
        dimension ``layout[j]`` of the value.
        """
        storage, dtype = element.storage, held_dtype(element)
        self.require(_STORAGE_SINCE[storage.width], f"a quantized type with storage {storage}")
        expressed = numpy_dtype(element.expressed_type)
        if expressed.itemsize == 8:
            raise ConversionError("ONNX cannot quantize f64 values", hint="Use f32")
        if expressed.itemsize == 2:
            self.require(19, f"a scale of {element.expressed_type}")
        scales, zero_points, attributes = _laid_out(element, shape, layout)
        with np.errstate(over="ignore"):
            held: NDArray[Any] = scales.astype(expressed)
        if not (np.isfinite(held).all() and (held > 0).all()):
            raise ConversionError(f"a scale of {described(element)} is out of the range of {element.expressed_type}")
        key = (scales.tobytes(), zero_points.tobytes(), scales.shape, dtype, expressed)
        if key not in self._scales:
            self._scales[key] = (
                self.initializer(held, f"{tensor}_scale"),
                self.initializer(zero_points.astype(dtype), f"{tensor}_zero_point"),
            )
        if "block_size" in attributes:
            self.require(21, "a quantized type with scales of blocks")
        return self._scales[key], attributes


def check_elements(kind: str, opset: int, element: Attribute) -> None:
    """Raise ConversionError if an operator's first input takes neither a type nor a wider one in an opset."""
    name = TensorProto.DataType.Name(onnx_type(element)).lower()
    if not any(f"tensor({each})" in _accepted(kind, opset) for each in (name, *wider_types(kind, name))):
        raise ConversionError(f"{kind} of opset {opset} does not take elements of type {described(element)}")


@lru_cache(maxsize=256)
def _accepted(kind: str, opset: int) -> frozenset[str]:
    """Return the types of an operator's first input, as ONNX writes them."""
    schema = defs.get_schema(kind, opset)
    label = schema.inputs[0].type_str
    accepted = {kinds.type_param_str: kinds.allowed_type_strs for kinds in schema.type_constraints}
    return frozenset(accepted.get(label, [label]))


def _laid_out(
    element: UniformQuantizedType, shape: Sequence[int], layout: Sequence[int]
) -> tuple[NDArray[Any], NDArray[Any], dict[str, Any]]:
    """Return scales, zero points and ``axis`` or ``block_size`` for a tensor with dimensions in another order."""
    if element.is_per_tensor:
        return element.scales.reshape(()), element.zero_points.reshape(()), {}
    if element.quantization_dimension is not None:
        axis = list(layout).index(element.quantization_dimension)
        return element.scales, element.zero_points, {"axis": axis}
    sizes = dict(element.data.block_sizes)
    blocked = [i for i, size in sizes.items() if size > 1]
    whole = [i for i, extent in enumerate(shape) if i not in sizes and extent > 1]
    if len(blocked) + len(whole) != 1:
        raise ConversionError(f"ONNX supports blocks of scales along one dimension only, found {described(element)}")
    (axis,) = (*blocked, *whole)
    grids = [grid.reshape(element.data.block_shape).transpose(layout) for grid in (element.scales, element.zero_points)]
    return grids[0], grids[1], {"axis": list(layout).index(axis), "block_size": sizes.get(axis, shape[axis])}
