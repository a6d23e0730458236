"""Checks of a graph before its import: one producer for each tensor, the right number of inputs and outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from onnx import AttributeProto, GraphProto, NodeProto, defs

from qconvert.support.errors import ConversionError

_ONE_MAKER = "Every tensor of an ONNX graph has a name of its own; export the model again"


DEFAULT_DOMAIN = "ai.onnx"


def domain_name(domain: str) -> str:
    """Return the empty name, by which ONNX's own domain is stored, for ``ai.onnx``; other names unchanged."""
    return "" if domain == DEFAULT_DOMAIN else domain


def node_name(node: NodeProto) -> str:
    """Return a node's name; an unnamed node is called by its operator and first output."""
    return node.name or f"{node.op_type}:{node.output[0] if node.output else ''}"


def refuse_broken_structure(graph: GraphProto) -> None:
    """Raise ConversionError for a graph without outputs, a sparse initializer, or a tensor that is made twice."""
    if not graph.output:
        raise ConversionError("the graph has no outputs", hint="Export the model again with its outputs")
    for sparse in graph.sparse_initializer:
        raise ConversionError(
            f"initializer '{sparse.values.name}' is sparse", hint="Store it as a dense tensor and export again"
        )
    _refuse_twice(graph)


def _refuse_twice(graph: GraphProto) -> None:
    """Raise ConversionError if two inputs, initializers or nodes make one tensor; an input may have a default."""
    makers: dict[str, str] = {}
    for kind, given in (("input", graph.input), ("initializer", graph.initializer)):
        name, count = next(iter(Counter(value.name for value in given).most_common(1)), ("", 0))
        if count > 1:
            raise ConversionError(f"there are {count} {kind}s '{name}'", hint=_ONE_MAKER)
        makers.update((value.name, f"{kind} '{value.name}'") for value in given)
    for node in graph.node:
        for name in filter(None, node.output):
            if name in makers:
                problem = f"its output '{name}' is made by {makers[name]} already"
                raise ConversionError(problem, node=node_name(node), op=node.op_type, hint=_ONE_MAKER)
            makers[name] = f"node '{node_name(node)}'"


def check_counts(node: NodeProto, domain: str, opset: int) -> None:
    """Raise ConversionError for a standard operator with too few or too many inputs or outputs."""
    counts = _counts(node.op_type, opset) if not domain else None
    if counts is None:
        return
    for found, (least, most), kind in zip((node.input, node.output), counts, ("input", "output"), strict=True):
        if not least <= len(found) <= most:
            allowed = str(least) if least == most else f"at least {least}" if most > 999 else f"{least} to {most}"
            raise ConversionError(
                f"{len(found)} {kind}s, expected {allowed}", hint=f"See {node.op_type} of opset {opset}"
            )


@lru_cache(maxsize=1024)
def _counts(op_type: str, opset: int) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the least and most inputs and outputs of a standard operator, None if onnx does not know it."""
    schema = _schema(op_type, opset)
    return None if schema is None else ((schema.min_input, schema.max_input), (schema.min_output, schema.max_output))


def schema_errors(graph: GraphProto, opsets: Mapping[str, int]) -> Iterator[ConversionError]:
    """Yield an error for each node of the main graph that its operator's schema does not allow, types apart.

    ``opsets`` has the opset of each domain whose schemas are known; domains that onnx knows besides are not judged.
    """
    names = {value.name for value in (*graph.input, *graph.initializer)}
    for node in graph.node:
        domain = domain_name(node.domain)
        try:
            _check_operator(node, domain, opsets)
            check_counts(node, domain, opsets.get(domain, 1))
            _check_inputs(node, names)
        except ConversionError as error:
            yield error.located(node=node_name(node), op=node.op_type)
        names.update(node.output)
    for value in graph.output:
        if value.name not in names:
            yield ConversionError(f"no node computes the output '{value.name}'", hint=_IN_ORDER)


def _check_inputs(node: NodeProto, made: set[str]) -> None:
    missing = next((name for name in node.input if name and name not in made), None)
    if missing is not None:
        raise ConversionError(f"no node before it computes its input '{missing}'", hint=_IN_ORDER)


_KINDS = {
    getattr(defs.OpSchema.AttrType, name): number
    for name, number in AttributeProto.AttributeType.items()
    if name != "UNDEFINED"
}
_IN_ORDER = "Export the model again, whole and in order"


def _check_operator(node: NodeProto, domain: str, opsets: Mapping[str, int]) -> None:
    """Raise ConversionError for an operator that is not in the opset, or attributes that it does not take."""
    if domain and domain not in opsets and domain not in {schema.domain for schema in _others()}:
        raise ConversionError(f"neither ONNX nor onnxruntime has operators of the domain '{domain}'")
    if domain:
        return
    schema = _schema(node.op_type, opsets[domain])
    if schema is None or schema.deprecated:
        raise ConversionError(f"there is no {node.op_type} in opset {opsets[domain]}", hint="Export the model again")
    attributes = {each.name: each for each in node.attribute}
    for name, attribute in attributes.items():
        if name not in schema.attributes:
            raise ConversionError(f"{node.op_type} of opset {opsets[domain]} has no attribute '{name}'")
        if attribute.type != _KINDS[schema.attributes[name].type] and not attribute.ref_attr_name:
            raise ConversionError(f"the attribute '{name}' is not of the type that {node.op_type} takes")
    lacking = [name for name, each in schema.attributes.items() if each.required and name not in attributes]
    if lacking:
        raise ConversionError(f"the attribute '{lacking[0]}' is missing")


@lru_cache(maxsize=1)
def _others() -> list[defs.OpSchema]:
    return [schema for schema in defs.get_all_schemas() if schema.domain]


@lru_cache(maxsize=1024)
def _schema(op_type: str, opset: int) -> defs.OpSchema | None:
    try:
        return defs.get_schema(op_type, opset, "")
    except defs.SchemaError:
        return None
