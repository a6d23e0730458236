"""The element types that each node of a graph takes: those of its operator's schema at the opset that is written.

Types go from the graph's inputs and initializers through the nodes, by the schemas' type variables. Where an operator
or onnxruntime lacks a narrow integer, a wider one between two Casts is written if that is exact.
Source: onnx.defs, the schemas of ONNX's operators.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, defs, helper

from qconvert.backends.onnx.builder import OnnxBuilder
from qconvert.backends.onnx.model_file import Initializer
from qconvert.backends.onnx.runtime_types import LACKING, wider_types
from qconvert.support.errors import ConversionError


class _Signature(NamedTuple):
    """The type variable of each input and output, and the types that each variable allows."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    allowed: dict[str, frozenset[str]]

    @property
    def main(self) -> str:
        """The type variable of the elements: that of the first output if an input has it, else of the first input."""
        return self.outputs[0] if self.outputs[0] in self.inputs else self.inputs[0]

    def refuses(self, kind: str, variable: str, element: str) -> bool:
        """Return True if the operator or onnxruntime does not take elements of a type."""
        is_missing = variable == self.main and element in LACKING.get(kind, ())
        return is_missing or element not in self.allowed.get(variable, {variable})


def settle_element_types(model: ModelProto, constants: Iterable[Initializer], write: OnnxBuilder) -> None:
    """Put nodes that do not take the types of their inputs between two Casts, if a wider type is exact.

    Raises ConversionError for the first node without such a type.
    """
    types = {each.name: int(helper.np_dtype_to_tensor_dtype(each.dtype)) for each in constants}
    types |= {value.name: value.type.tensor_type.elem_type for value in model.graph.input}
    settled = list[NodeProto]()
    for node in model.graph.node:
        before, after = ([], []) if node.domain else _settled(node, types, write)
        settled += [*before, node, *after]
    if len(settled) > len(model.graph.node):
        copies = [NodeProto.FromString(node.SerializeToString()) for node in settled]
        del model.graph.node[:]
        model.graph.node.extend(copies)


def _settled(node: NodeProto, types: dict[str, int], write: OnnxBuilder) -> tuple[list[NodeProto], list[NodeProto]]:
    """Return the Casts before and after a node, and add the types of its outputs as far as they follow."""
    signature, wide = _signature(node.op_type, write.opset), ""
    bound: dict[str, str] = {}
    for i, name in enumerate(node.input):
        if name not in types:
            continue
        variable, element = _at(signature.inputs, i), _text(types[name])
        if not wide and signature.refuses(node.op_type, variable, element):
            wide = _wide(node.op_type, signature, element) if variable == signature.main else ""
            if not wide:
                raise _refusal(node, signature, variable, element, write.opset)
        bound.setdefault(variable, element)
    named = {each.name: each.i for each in node.attribute if each.type == AttributeProto.INT}
    for i, name in enumerate(node.output):
        variable = _at(signature.outputs, i)
        kind = named.get("to") or named.get("output_dtype") or _NUMBERS.get(bound.get(variable, variable), 0)
        if kind:
            types[name] = kind
    return _between_casts(node, signature, bound[signature.main], wide, write) if wide else ([], [])


def _wide(kind: str, signature: _Signature, element: str) -> str:
    """Return the first type that an operator takes and that is exact for elements of a type, or an empty string."""
    fitting = (f"tensor({wide})" for wide in wider_types(kind, _plain(element)))
    return next((wide for wide in fitting if not signature.refuses(kind, signature.main, wide)), "")


def _between_casts(
    node: NodeProto, signature: _Signature, element: str, wide: str, write: OnnxBuilder
) -> tuple[list[NodeProto], list[NodeProto]]:
    """Let a node compute in a wider type; return the Casts to it and back."""
    before, after = list[NodeProto](), list[NodeProto]()
    for i, name in enumerate(node.input):
        if name and _at(signature.inputs, i) == signature.main:
            node.input[i] = write.unused_tensor(f"{name}_wide")
            before.append(write.cast(name, node.input[i], _NUMBERS[wide]))
    for i, name in enumerate(node.output):
        if name and _at(signature.outputs, i) == signature.main:
            node.output[i] = write.unused_tensor(f"{name}_wide")
            after.append(write.cast(node.output[i], name, _NUMBERS[element]))
    return before, after


def _at(variables: tuple[str, ...], i: int) -> str:
    """Return the type variable of an input or output; the last one repeats."""
    return variables[min(i, len(variables) - 1)]


def _refusal(node: NodeProto, signature: _Signature, variable: str, element: str, opset: int) -> ConversionError:
    is_allowed = element in signature.allowed.get(variable, {variable})
    by = f"onnxruntime's {node.op_type}" if is_allowed else f"{node.op_type} of opset {opset}"
    reason = f"{by} does not take elements of type {_plain(element)}"
    return ConversionError(reason, hint="Convert them to a wider type", node=node.name)


@lru_cache(maxsize=256)
def _signature(kind: str, opset: int) -> _Signature:
    schema = defs.get_schema(kind, opset)
    sides = [tuple(str(each.type_str) for each in side) for side in (schema.inputs, schema.outputs)]
    allowed = {each.type_param_str: frozenset(each.allowed_type_strs) for each in schema.type_constraints}
    return _Signature(sides[0], sides[1], allowed)


def _plain(element: str) -> str:
    return element.removeprefix("tensor(").removesuffix(")")


def _text(kind: int) -> str:
    return f"tensor({TensorProto.DataType.Name(kind).lower()})"


_NUMBERS = {f"tensor({name.lower()})": number for name, number in TensorProto.DataType.items()}
"""The number of each type by the way in which schemas write it."""
