"""Inlining of model-local functions. A budget limits it, because untrusted functions can expand without end.

Source: ONNX IR specification, "Functions"; ``FunctionProto`` in onnx.proto.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto, defs

from qconvert.frontends.onnx.structure import DEFAULT_DOMAIN, domain_name
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget

Key: TypeAlias = tuple[str, str, str]
"""Domain, name and overload of a function."""


def inline_functions(model: ModelProto) -> None:
    """Replace calls of the model's own functions with their bodies, in place.

    Raises ConversionError that names a function which calls itself, grows past the budget, is called with too many
    arguments, or needs operators of another version than the model.
    """
    if not model.functions:
        return
    functions = {(domain_name(f.domain), f.name, f.overload): f for f in model.functions}
    opsets = {domain_name(opset.domain): opset.version for opset in model.opset_import}
    inliner = _Inliner(functions, opsets, _tensor_names(model))
    nodes = list(inliner.expanded(model.graph.node, ()))
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    for domain, version in opsets.items():
        if domain not in {domain_name(opset.domain) for opset in model.opset_import}:
            model.opset_import.add(domain=domain, version=version)
    del model.functions[:]


def _tensor_names(model: ModelProto) -> set[str]:
    graph = model.graph
    names = {value.name for value in (*graph.input, *graph.initializer)}
    return names.union(*(node.output for node in graph.node))


class _Call(NamedTuple):
    """A call that is being expanded: the function's key, the calling node, and the prefix of its inner names."""

    key: Key
    node: NodeProto
    prefix: str


@dataclass(slots=True)
class _Inliner:
    """Expands calls. ``opsets`` grows by the domains that functions import and the model does not."""

    functions: Mapping[Key, FunctionProto]
    opsets: dict[str, int]
    names: set[str]
    nodes: int = 0
    bytes: int = 0
    prefixes: dict[str, int] = field(default_factory=dict)

    def expanded(self, nodes: Sequence[NodeProto], calls: tuple[_Call, ...]) -> Iterator[NodeProto]:
        """Yield the nodes with every call replaced; ``calls`` are the calls being expanded, outermost first."""
        for node in nodes:
            key = (domain_name(node.domain), node.op_type, node.overload)
            self._count(node, calls)
            if key in self.functions:
                yield from self._body(self._call(node, key, calls), calls)
            else:
                yield node

    def _count(self, node: NodeProto, calls: tuple[_Call, ...]) -> None:
        """Count a copied node and its bytes."""
        if not calls:
            return
        limits, place = budget(), {"node": calls[-1].prefix, "op": calls[-1].node.op_type}
        self.nodes += 1
        self.bytes += node.ByteSize()
        limits.check("ops", self.nodes, f"{self.nodes} nodes of inlined functions", **place)
        limits.check("constant_bytes", self.bytes, f"{self.bytes} bytes of inlined functions", **place)

    def _call(self, node: NodeProto, key: Key, calls: tuple[_Call, ...]) -> _Call:
        call = _Call(key, node, self._prefix(node))
        function = self.functions[key]
        if any(outer.key == key for outer in calls):
            raise _refusal(f"the function '{_text(key)}' calls itself", call, "ONNX functions may not be recursive")
        if len(calls) >= budget().calls:
            raise _refusal(f"functions are nested more than {budget().calls} deep", call)
        if len(node.input) > len(function.input) or len(node.output) > len(function.output):
            counts = f"{len(node.input)} inputs and {len(node.output)} outputs"
            takes = f"{len(function.input)} and {len(function.output)}"
            raise _refusal(f"the function '{_text(key)}' is called with {counts}, it has {takes}", call)
        self._import_opsets(function, call)
        return call

    def _prefix(self, node: NodeProto) -> str:
        """Return the prefix of a call's inner names: the node's name, made unique."""
        base = node.name or node.op_type
        used = self.prefixes.get(base, 0)
        self.prefixes[base] = used + 1
        return f"{base}_{used}" if used else base

    def _import_opsets(self, function: FunctionProto, call: _Call) -> None:
        """Merge a function's imports; another version is accepted only if the operators used did not change between."""
        for opset in function.opset_import:
            domain = domain_name(opset.domain)
            version = self.opsets.setdefault(domain, opset.version)
            if version == opset.version:
                continue
            for node in function.node:
                if domain_name(node.domain) == domain and not _unchanged(node.op_type, domain, version, opset.version):
                    raise _refusal(
                        f"the function '{_text(call.key)}' uses {node.op_type} of opset {opset.version}, "
                        f"the model imports opset {version} of domain '{domain or DEFAULT_DOMAIN}'",
                        call,
                        "Export the model with one opset for all",
                    )

    def _body(self, call: _Call, calls: tuple[_Call, ...]) -> Iterator[NodeProto]:
        """Yield the function's nodes with actual names and attributes; calls among them are expanded."""
        function = self.functions[call.key]
        renamed = self._renaming(function, call)
        attributes = _attributes(function, call)
        nodes = [_instance(node, renamed, attributes, call.prefix) for node in function.node]
        yield from self.expanded(nodes, (*calls, call))
        yield from _passed_through(function, call)

    def _renaming(self, function: FunctionProto, call: _Call) -> dict[str, str]:
        """Return the actual name for each formal and inner name of the function."""
        actual_inputs = [*call.node.input, *[""] * (len(function.input) - len(call.node.input))]
        renamed = {"": "", **dict(zip(function.input, actual_inputs, strict=True))}
        for formal, actual in zip(function.output, call.node.output, strict=False):
            if actual and formal not in function.input:
                renamed.setdefault(formal, actual)
        for name in (name for node in function.node for name in node.output):
            if name not in renamed:
                renamed[name] = self._fresh(f"{call.prefix}/{name}")
        return renamed

    def _fresh(self, base: str) -> str:
        """Return an unused tensor name: ``base``, with a number if needed."""
        name, number = base, 1
        while name in self.names:
            name, number = f"{base}_{number}", number + 1
        self.names.add(name)
        return name


def _refusal(found: str, call: _Call | None, hint: str = "") -> ConversionError:
    if call is None:
        return ConversionError(found, hint=hint)
    return ConversionError(found, hint=hint, node=call.prefix, op=call.node.op_type)


def _text(key: Key) -> str:
    domain, name, overload = key
    return f"{domain}.{name}" + (f":{overload}" if overload else "")


def _unchanged(op_type: str, domain: str, one: int, other: int) -> bool:
    """Return True if two opset versions define the same version of an operator."""
    try:
        schemas = [defs.get_schema(op_type, version, domain) for version in (one, other)]
    except defs.SchemaError:
        return False
    return schemas[0].since_version == schemas[1].since_version


def _attributes(function: FunctionProto, call: _Call) -> dict[str, AttributeProto]:
    """Return the values of the function's attributes: those of the call, else the defaults."""
    values = {default.name: default for default in function.attribute_proto}
    declared = {*values, *function.attribute}
    for attribute in call.node.attribute:
        if attribute.name not in declared:
            raise _refusal(f"the function '{_text(call.key)}' has no attribute '{attribute.name}'", call)
        values[attribute.name] = attribute
    return values


def _instance(
    node: NodeProto, renamed: Mapping[str, str], attributes: Mapping[str, AttributeProto], prefix: str
) -> NodeProto:
    """Return a node of a body with its actual names; an unknown name gets the prefix and is refused later."""
    copy = NodeProto()
    copy.CopyFrom(node)
    copy.name = f"{prefix}/{node.name or node.op_type}"
    del copy.input[:], copy.output[:], copy.attribute[:]
    copy.input.extend(renamed.get(name, f"{prefix}/{name}") for name in node.input)
    copy.output.extend(renamed[name] for name in node.output)
    for attribute in node.attribute:
        value = attributes.get(attribute.ref_attr_name) if attribute.ref_attr_name else attribute
        if value is not None:
            added = copy.attribute.add()
            added.CopyFrom(value)
            added.name = attribute.name
    return copy


def _passed_through(function: FunctionProto, call: _Call) -> Iterator[NodeProto]:
    """Yield an Identity for each output that the body does not name: an input, or an output named twice."""
    formals = list(zip(function.output, call.node.output, strict=False))
    actual_inputs = dict(zip(function.input, call.node.input, strict=False))
    first: dict[str, str] = {}
    for formal, actual in formals:
        source = actual_inputs.get(formal) or first.get(formal)
        if actual and source:
            yield NodeProto(op_type="Identity", name=f"{call.prefix}/{formal}", input=[source], output=[actual])
        elif actual:
            first[formal] = actual
