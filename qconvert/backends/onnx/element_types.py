"""The element types that each node of a graph takes: those of its operator's schema at the opset that is written.

Types go from the graph's inputs and initializers through the nodes, by the schemas' type variables.
Source: onnx.defs, the schemas of ONNX's operators.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, defs, helper

from qconvert.backends.onnx.model_file import Initializer
from qconvert.backends.onnx.runtime_types import LACKING
from qconvert.support.errors import ConversionError


class _Signature(NamedTuple):
    """The type variable of each input and output, and the types that each variable allows."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    allowed: dict[str, frozenset[str]]

    @property
    def main(self) -> str:
        """The type variable of the first output, which is that of the elements."""
        return self.outputs[0]


def check_element_types(model: ModelProto, constants: Iterable[Initializer], opset: int) -> None:
    """Raise ConversionError for the first node whose operator does not take the types of its inputs."""
    types = {each.name: int(helper.np_dtype_to_tensor_dtype(each.dtype)) for each in constants}
    types |= {value.name: value.type.tensor_type.elem_type for value in model.graph.input}
    for node in model.graph.node:
        if not node.domain:
            _propagate(node, _signature(node.op_type, opset), types, opset)


def _propagate(node: NodeProto, signature: _Signature, types: dict[str, int], opset: int) -> None:
    """Check the types of a node's inputs, and add those of its outputs as far as they follow."""
    bound: dict[str, str] = {}
    for i, name in enumerate(node.input):
        if name not in types:
            continue
        variable, found = signature.inputs[min(i, len(signature.inputs) - 1)], _text(types[name])
        lacking = LACKING.get(node.op_type, frozenset()) if variable == signature.main else frozenset()
        if found not in signature.allowed.get(variable, {variable}) or found in lacking:
            by = f"onnxruntime's {node.op_type}" if found in lacking else f"{node.op_type} of opset {opset}"
            reason = f"{by} does not take elements of type {found.removeprefix('tensor(').rstrip(')')}"
            raise ConversionError(reason, hint="Convert them to a wider type", node=node.name)
        bound.setdefault(variable, found)
    named = {each.name: each.i for each in node.attribute if each.type == AttributeProto.INT}
    for i, name in enumerate(node.output):
        variable = signature.outputs[min(i, len(signature.outputs) - 1)]
        kind = named.get("to") or named.get("output_dtype") or _NUMBERS.get(bound.get(variable, variable), 0)
        if kind:
            types[name] = kind


@lru_cache(maxsize=256)
def _signature(kind: str, opset: int) -> _Signature:
    schema = defs.get_schema(kind, opset)
    sides = [tuple(str(each.type_str) for each in side) for side in (schema.inputs, schema.outputs)]
    allowed = {each.type_param_str: frozenset(each.allowed_type_strs) for each in schema.type_constraints}
    return _Signature(sides[0], sides[1], allowed)


def _text(kind: int) -> str:
    return f"tensor({TensorProto.DataType.Name(kind).lower()})"


_NUMBERS = {f"tensor({name.lower()})": number for name, number in TensorProto.DataType.items()}
"""The number of each type by the way in which schemas write it."""
