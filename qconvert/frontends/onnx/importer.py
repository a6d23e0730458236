"""The import of an ONNX graph: nodes in topological order, each by its operator's importer."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from onnx import GraphProto, NodeProto, TensorProto
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo import ConstantOp
from qconvert.frontends.base import Imported
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary, main_function, needed
from qconvert.frontends.onnx.context import OPERATORS, Importer, NodeContext, OnnxOp
from qconvert.frontends.onnx.model import OnnxModel, decode_model, input_type
from qconvert.frontends.onnx.plugins import load_plugins
from qconvert.frontends.onnx.structure import check_counts, domain_name, node_name, refuse_broken_structure
from qconvert.frontends.onnx.tensors import TensorReader
from qconvert.ir import Tensor, named, tensor
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError


@dataclass(slots=True)
class _Graph:
    """The state of an import: ``values`` by tensor name, and ``unsupported`` outputs with their operator."""

    model: OnnxModel
    tensors: TensorReader
    block: Block
    initializers: dict[str, TensorProto]
    boundary: Boundary
    values: dict[str, SSAValue] = field(default_factory=dict)
    argument_names: list[str] = field(default_factory=list)
    unsupported: dict[str, str] = field(default_factory=dict)
    scalars: dict[tuple[bytes, tuple[int, ...], Attribute], SSAValue] = field(default_factory=dict)

    def add_argument(self, name: str, type: Tensor) -> None:
        argument = self.block.insert_arg(type, len(self.block.args))
        argument.location = named(name)
        self.values[name] = argument
        self.argument_names.append(name)

    def value(self, name: str) -> SSAValue | None:
        """Return a tensor by name, None for an absent input. An initializer becomes a constant at its first use."""
        if not name:
            return None
        if name not in self.values and name in self.initializers:
            array = self.tensors.held(self.initializers[name], self.model.weights.get(name))
            op = ConstantOp.of(array, self.tensors.element(self.initializers[name]))
            op.location = named(name)
            self.block.add_op(op)
            self.values[name] = op.output
        if name in self.unsupported:
            raise ConversionError(f"'{name}' is used, an output of {self.unsupported[name]} that is not supported")
        if name not in self.values:
            raise ConversionError(
                f"no node before it computes its input '{name}'", hint="Export the model again, whole and in order"
            )
        return self.values[name]


def import_model(content: Content, dims: Dimensions | None = None, boundary: Boundary | None = None) -> Imported:
    """Decode an ONNX model and import its graph as ``@main``.

    Raises ConversionError naming the node where an operator, a type or a shape is not supported.
    """
    model = decode_model(content, dims or Dimensions())
    module = _import_graph(model, boundary or Boundary())
    op_types = {node_name(node): node.op_type for node in model.proto.graph.node}
    tensors = {node_name(node): node.output[0] for node in model.proto.graph.node if node.output}
    return Imported(module, op_types, model.opset(""), tensors)


def unsupported_nodes(content: Content) -> list[ConversionError]:
    """Return an error for each node whose operator has no importer, in the file's order; nothing is imported.

    Raises ConversionError if the bytes are not an ONNX model.
    """
    model = decode_model(content, Dimensions())
    errors = []
    for node in model.proto.graph.node:
        domain = domain_name(node.domain)
        try:
            _importer(domain, node.op_type, model.opset(domain))
        except ConversionError as error:
            errors.append(error.located(node=node_name(node), op=node.op_type))
    return errors


def _import_graph(model: OnnxModel, boundary: Boundary) -> ModuleOp:
    graph = model.proto.graph
    refuse_broken_structure(graph)
    initializers = {t.name: t for t in graph.initializer}
    state = _Graph(model, TensorReader(model.folder), Block(), initializers, boundary)
    for value in graph.input:
        if value.name in boundary.inputs or value.name not in initializers:
            state.add_argument(value.name, input_type(model, value))
    model.dims.refuse_unknown()
    output_names = boundary.outputs or tuple(output.name for output in graph.output)
    for node in _in_order(graph, state, (*output_names, *boundary.inputs)):
        _import_node(state, node)
    state.tensors.check()
    return _function(state, output_names)


def _in_order(graph: GraphProto, state: _Graph, outputs: Sequence[str]) -> Iterator[NodeProto]:
    """Yield the nodes that the outputs need, each after the nodes that make its inputs.

    Raises ConversionError that names a node on a cycle or a tensor that no node makes.
    """
    makers = {name: node for node in graph.node for name in node.output if name and name not in state.values}
    ordered = _needed(makers, outputs, state)
    waiting = {id(n): len({id(makers[i]) for i in n.input if i in makers}) for n in ordered}
    users: dict[int, list[NodeProto]] = {}
    for node in ordered:
        for maker in {id(makers[name]) for name in node.input if name in makers}:
            users.setdefault(maker, []).append(node)
    ready = deque(node for node in ordered if waiting[id(node)] == 0)
    done = 0
    while ready:
        node = ready.popleft()
        done += 1
        yield node
        for user in users.get(id(node), ()):
            waiting[id(user)] -= 1
            if waiting[id(user)] == 0:
                ready.append(user)
    if done < len(ordered):
        stuck = next(node for node in ordered if waiting[id(node)] > 0)
        raise ConversionError(
            "the node is part of a cycle, or its input depends on one",
            node=node_name(stuck),
            op=stuck.op_type,
            hint="An ONNX graph has no cycles",
        )


def _needed(makers: Mapping[str, NodeProto], outputs: Sequence[str], state: _Graph) -> list[NodeProto]:
    """Return the nodes that the outputs depend on, in the file's order."""
    for name in outputs:
        if name not in state.values and name not in makers and name not in state.initializers:
            raise state.boundary.unknown(name)
    return needed(makers, lambda node: node.input, outputs)


def _import_node(state: _Graph, node: NodeProto) -> None:
    """Emit one node's ops and record its results; errors name the node."""
    name, domain = node_name(node), domain_name(node.domain)
    try:
        build = OpBuilder(named(name))
        inputs = [state.value(input_name) for input_name in node.input]
        context = NodeContext(node, state.model.opset(domain), inputs, build, state.tensors, state.scalars)
        importer = _importer(domain, node.op_type, context.opset)
        check_counts(node, domain, context.opset)
        results = importer(context)
        context.refuse_unread()
    except ConversionError as error:
        raise error.located(node=name, op=node.op_type) from error
    state.block.add_ops(build.ops)
    listed = (results,) if isinstance(results, SSAValue) else tuple(results)
    for output, value in zip(node.output, listed, strict=False):
        _record(state, output, value)
    state.unsupported.update((output, node.op_type) for output in node.output[len(listed) :] if output)


def _record(state: _Graph, output: str, value: SSAValue) -> None:
    if output in state.boundary.inputs:
        state.add_argument(output, tensor(value))
    elif output:
        state.values[output] = value


@lru_cache(maxsize=1024)
def _importer(domain: str, op_type: str, opset: int) -> Importer:
    """Return the importer of an operator in an opset: the newest one that is valid from this opset or an earlier one.

    Plugins are searched only if qconvert has no importer, because the search takes longer than reading most models.
    """
    if not op_type:
        raise ConversionError("the node has no operator", hint="Export the model again")
    importer = _newest(domain, op_type, opset)
    if importer is None:
        load_plugins()
        importer = _newest(domain, op_type, opset)
    if importer is None:
        versions = _versions(domain, op_type)
        since = f"; it is from opset {min(versions)} on" if versions else ""
        raise ConversionError(
            f"the operator {domain or 'ai.onnx'}.{op_type} is not supported in opset {opset}{since}",
            hint="A plugin can add it (python -m pydoc qconvert.testing shows how); --outputs cuts the model before it",
        )
    return importer


def _newest(domain: str, op_type: str, opset: int) -> Importer | None:
    versions = _versions(domain, op_type)
    since = max((version for version in versions if version <= opset), default=None)
    return OPERATORS.get(versions[since]) if since is not None else None


def _versions(domain: str, op_type: str) -> dict[int, OnnxOp]:
    """Return the registered versions of an operator by their first opset."""
    return {key.since: key for key in OPERATORS if (key.domain, key.op_type) == (domain, op_type)}


def _function(state: _Graph, output_names: Sequence[str]) -> ModuleOp:
    """Return the module with ``@main``; attributes and argument locations keep the names of inputs and outputs."""
    results: list[tuple[str, SSAValue]] = []
    for name in output_names:
        value = state.value(name)
        if value is None:
            raise ConversionError("an output has no name")
        results.append((name, value))
    return ModuleOp([main_function(state.block, state.argument_names, results, state.boundary.inputs)])
