"""The element types that each node of a graph takes: those of its operator's schema at the opset that is written.

Types go from the graph's inputs and initializers through the nodes, by the schemas' type variables. Where an operator
or onnxruntime lacks a type, a wider one between two Casts is written if that is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from onnx import ModelProto, NodeProto, helper

from qconvert.backends.onnx.builder import OnnxBuilder
from qconvert.backends.onnx.model_file import Initializer
from qconvert.backends.onnx.runtime_types import wider_types
from qconvert.backends.onnx.signatures import NUMBERS, Signature, bound_types, output_types, signature, type_conflict
from qconvert.support.errors import ConversionError


def settle_element_types(model: ModelProto, constants: Iterable[Initializer], write: OnnxBuilder) -> None:
    """Put nodes that do not take the types of their inputs between two Casts, if a wider type is exact.

    Raises ConversionError for the first node without such a type.
    """
    types = {each.name: int(helper.np_dtype_to_tensor_dtype(each.dtype)) for each in constants}
    types |= {value.name: value.type.tensor_type.elem_type for value in model.graph.input}
    settled = list[NodeProto]()
    for node in model.graph.node:
        before, after = _settled(node, types, write)
        settled += [*before, node, *after]
    if len(settled) > len(model.graph.node):
        copies = [NodeProto.FromString(node.SerializeToString()) for node in settled]
        del model.graph.node[:]
        model.graph.node.extend(copies)


def type_errors(
    nodes: Iterable[NodeProto], types: dict[str, int], opsets: Mapping[str, int]
) -> Iterator[ConversionError]:
    """Yield an error for each node that its operator's schema or onnxruntime refuses for the types of its inputs.

    ``types`` has the types of the graph's inputs and initializers, and gets those of the nodes' outputs. Domains other
    than ONNX's and onnxruntime's are not judged.
    """
    for node in nodes:
        domain = "" if node.domain == "ai.onnx" else node.domain
        own = signature(node.op_type, domain, opsets[domain]) if domain in opsets else None
        if own is None:
            if domain in opsets:
                yield ConversionError(f"onnxruntime has no operator {domain}.{node.op_type}", node=node.name)
            continue
        bound, conflict = bound_types(node, own, types), type_conflict(node, own, types)
        refused = own.refused(bound)
        if conflict is not None:
            yield ConversionError(conflict, node=node.name, op=node.op_type)
        elif refused is not None:
            yield own.refusal(refused, bound, node.name)
        types.update(output_types(node, own, bound))


def _settled(node: NodeProto, types: dict[str, int], write: OnnxBuilder) -> tuple[list[NodeProto], list[NodeProto]]:
    """Return the Casts before and after a node, and add the types of its outputs as far as they follow."""
    own = signature(node.op_type, node.domain, write.opset)
    assert own is not None, node.op_type
    bound = bound_types(node, own, types)
    types.update(output_types(node, own, bound))
    refused = own.refused(bound)
    if refused is None:
        return [], []
    variables, wide = _wide(own, bound) if refused and bound[refused] == bound[own.main] else ((), "")
    if not wide:
        raise own.refusal(refused, bound, node.name)
    return _between_casts(node, own, variables, (bound[own.main], wide), write)


def _wide(own: Signature, bound: Mapping[str, str]) -> tuple[tuple[str, ...], str]:
    """Return type variables and the first type for them that an operator takes and that is exact for its elements.

    The variables are the main one, or all with the same type. Returns an empty type if there is none.
    """
    element = bound[own.main]
    alike = tuple(name for name, each in bound.items() if each == element)
    for variables in ((own.main,), alike):
        for wide in wider_types(own.operator, element):
            if own.refused({**bound, **dict.fromkeys(variables, wide)}) is None:
                return variables, wide
    return (), ""


def _between_casts(
    node: NodeProto, own: Signature, variables: Sequence[str], types: tuple[str, str], write: OnnxBuilder
) -> tuple[list[NodeProto], list[NodeProto]]:
    """Let a node compute in the second of two types for some type variables; return the Casts to it and back."""
    before, after = list[NodeProto](), list[NodeProto]()
    for i, name in enumerate(node.input):
        if name and own.input(i) in variables:
            node.input[i] = write.unused_tensor(f"{name}_wide")
            before.append(write.cast(name, node.input[i], NUMBERS[types[1]]))
    for i, name in enumerate(node.output):
        if name and own.output(i) in variables:
            node.output[i] = write.unused_tensor(f"{name}_wide")
            after.append(write.cast(node.output[i], name, NUMBERS[types[0]]))
    return before, after
