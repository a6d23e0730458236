"""Layers of a fused module: the smallest parts whose inputs and output are quantized tensors of the source."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import ConstantLike

from qconvert.api.conversion import QUANTIZING
from qconvert.dialects import stablehlo
from qconvert.dialects.composite import RECURRENTS
from qconvert.dialects.constants import is_constant
from qconvert.dialects.traits import Clamps, Contraction, Conversion, MovesElements, TakesElements
from qconvert.interpreter.core import main_function, returned
from qconvert.ir import TENSOR, node_names, quantized
from qconvert.rewriting import OpProof
from qconvert.validation.figures.channels import Channels


class Family(StrEnum):
    """The kind of a layer, which defines how exact it must be."""

    CONTRACTION = "contraction"
    AVERAGE = "average"
    MOVEMENT = "movement"
    ELEMENTWISE = "elementwise"
    RECURRENT = "recurrent"


@dataclass(frozen=True)
class Layer:
    """One layer as a module of its own.

    ``tensor`` names the quantized tensor of the source that it makes. ``inputs`` names its arguments: quantized
    tensors of the source or inputs of the model. ``node`` is the source node that feeds the quantize; ``nodes`` are all
    source nodes of the layer. ``bits`` is the width of the result's storage, ``range`` its least and largest integer,
    ``zero_point`` that of a tensor with one. ``is_binary`` is True if the layer computes one function of two tensors.
    ``channel`` is the dimension of the result's channels, None if it is not known.
    """

    tensor: str
    inputs: tuple[str, ...]
    module: ModuleOp
    node: str
    nodes: tuple[str, ...]
    family: Family
    bits: int
    range: tuple[int, int]
    is_binary: bool = False
    zero_point: int = 0
    channel: int | None = None


def passes_on(layer: Layer) -> bool:
    """Return True if a layer's elements are those of its inputs, perhaps in another type."""
    ops = main_function(layer.module).body.block.ops
    computing = (op for op in ops if not op.has_trait(ConstantLike) and not isinstance(op, ReturnOp))
    return all(op.has_trait(MovesElements) or op.has_trait(Conversion) for op in computing)


def proof_of(layer: Layer, proofs: Iterable[OpProof]) -> OpProof:
    """Return the proof of all ops of a layer; None if an op cannot be tried on all inputs, or no op has a proof.

    The bound is the largest bound of an op, if each op has a bound or a proof that holds. So is the measured error.
    """
    nodes = set(layer.nodes)
    found = [op for op in proofs if op.nodes and nodes.issuperset(op.nodes)]
    known = [op.proof for op in found if op.proof is not None]
    bounds = [op.bound for op in found if op.bound is not None]
    measured = [op.measured for op in found if op.measured is not None]
    is_bounded = bounds and all(op.bound is not None or (op.proof is not None and op.proof.holds) for op in found)
    return OpProof(
        layer.nodes,
        sum(known[1:], known[0]) if known and len(known) == len(found) else None,
        max(bounds) if is_bounded else None,
        max(measured, default=None),
    )


def split_layers(
    module: ModuleOp,
    input_names: Iterable[str],
    op_types: Mapping[str, str] | None = None,
    tensors: Mapping[str, Collection[str]] | None = None,
) -> tuple[Layer, ...]:
    """Return the layers of ``@main`` in order; ops that no quantized tensor depends on (a float head) are left out.

    ``op_types`` maps source nodes to operators; with it a layer is named after the node that feeds its quantize.
    ``tensors`` names those at which layers end, each with the inputs and tensors at which its layer begins; a layer
    that reads other inputs of the model begins at any of ``tensors``. By default these are all quantized tensors.
    """
    arguments = main_function(module).body.block.args
    names: dict[SSAValue, str] = dict(zip(arguments, input_names, strict=True))
    layers, channels = [], Channels(module)
    for name, value in tagged(module):
        if tensors is not None and name not in tensors:
            continue
        known = names if tensors is None else _from(value, names, tensors[name])
        ops, inputs = slice_of(value, known)
        if inputs:
            layer = _layer(name, ops, inputs, names, op_types or {})
            layers.append(replace(layer, channel=channels.of(value)))
        if not is_constant(value):  # a constant that the model quantizes stays one: forms may need its numbers
            names[value] = name
    return tuple(layers)


def _from(value: SSAValue, names: dict[SSAValue, str], wanted: Collection[str]) -> dict[SSAValue, str]:
    """Return the named values that are wanted if a value follows from them alone, else all."""
    known = {each: name for each, name in names.items() if name in wanted}
    ops, _ = slice_of(value, known)
    others = (each for op in ops for each in op.operands if isinstance(each, BlockArgument))
    return known if all(each in known for each in others) else names


def sources_of_outputs(module: ModuleOp, input_names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return, for each output, the quantized tensors and the inputs of the model that it is computed from directly."""
    names: dict[SSAValue, str] = dict(zip(main_function(module).args, input_names, strict=True))
    names.update((value, name) for name, value in tagged(module) if not is_constant(value))
    return tuple(
        tuple(names[each] for each in ([value] if value in names else slice_of(value, names)[1]))
        for value in returned(module)
    )


def is_merged(layer: Layer) -> bool:
    """Return True if a layer computes several quantized tensors of the source, beside those that it only moves."""
    tensors = [value.owner for _, value in tagged(layer.module) if not is_constant(value)]
    return len([op for op in tensors if isinstance(op, Operation) and not op.has_trait(MovesElements)]) > 1


def tagged(module: ModuleOp) -> Iterator[tuple[str, SSAValue]]:
    """Yield the quantized tensors of the source that ``@main`` still makes, by name and in order."""
    for op in main_function(module).body.block.ops:
        tag = op.attributes.get(TENSOR)
        if isinstance(tag, StringAttr):
            yield tag.data, op.results[0]


def slice_of(value: SSAValue, names: dict[SSAValue, str]) -> tuple[list[Operation], list[SSAValue]]:
    """Return the ops that compute a value from named values, in order, and those named values."""
    needed: dict[Operation, None] = {}
    inputs: dict[SSAValue, None] = {}
    stack: list[tuple[SSAValue, bool]] = [(value, False)]
    while stack:
        current, expanded = stack.pop()
        op = current.owner
        if not isinstance(op, Operation):
            continue
        if expanded:
            needed[op] = None
        elif op not in needed:
            stack.append((current, True))
            inputs.update((operand, None) for operand in op.operands if operand in names)
            stack.extend((operand, False) for operand in op.operands if operand not in names)
    return list(needed), list(inputs)


def as_module(value: SSAValue, ops: Sequence[Operation], inputs: Sequence[SSAValue]) -> ModuleOp:
    """Return a module whose ``@main`` computes a value from others by copies of the ops."""
    block = Block(arg_types=[each.type for each in inputs])
    values: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
    for part in ops:
        block.add_op(part.clone(values))
    result = values[value]
    block.add_op(ReturnOp(result))
    return ModuleOp([FuncOp("main", ([each.type for each in inputs], [result.type]), Region(block))])


def _layer(
    tensor: str,
    ops: list[Operation],
    inputs: list[SSAValue],
    names: dict[SSAValue, str],
    op_types: Mapping[str, str],
) -> Layer:
    value = ops[-1].results[0]
    element = quantized(value)
    computing = [part for part in ops if not isinstance(part, stablehlo.ConstantOp)]
    nodes = [name for part in computing for name in node_names(part.location)]
    return Layer(
        tensor,
        tuple(names[value] for value in inputs),
        as_module(value, ops, inputs),
        _feeding_node(nodes, op_types) or tensor,
        tuple(dict.fromkeys(nodes)),
        _family(ops),
        0 if element is None else element.storage.width,
        (0, 0) if element is None else (element.storage.minimum, element.storage.maximum),
        _is_binary(computing),
        element.zero_point if element is not None and element.is_per_tensor else 0,
    )


def _feeding_node(nodes: list[str], op_types: Mapping[str, str]) -> str | None:
    """Return the node of the last op that is not a quantize, or the quantize if a layer has no other node.

    ``nodes`` has those of each op: a node has several ops, of which the first may precede what other nodes compute.
    """
    computing = [node for node in nodes if op_types.get(node) not in QUANTIZING]
    named = computing or nodes
    return named[-1] if named else None


def _is_binary(ops: list[Operation]) -> bool:
    """Return True if one function of two tensors is all that ops compute, besides clamps and changes of type."""
    others = [op for op in ops if not op.has_trait(Conversion) and not _only_selects(op)]
    return len(others) == 1 and isinstance(others[0], stablehlo.BinaryOp)


def _family(ops: list[Operation]) -> Family:
    if any(isinstance(op, RECURRENTS) for op in ops):
        return Family.RECURRENT
    if any(op.has_trait(Contraction) for op in ops):
        return Family.CONTRACTION
    if any(isinstance(op, stablehlo.ReductionOp) and isinstance(op.combiner, stablehlo.AddOp) for op in ops):
        return Family.AVERAGE
    if all(_only_selects(op) for op in ops):
        return Family.MOVEMENT
    return Family.ELEMENTWISE


def _only_selects(op: Operation) -> bool:
    """Return True if an op returns integers of its operands. A maximum of two tensors may rescale one, which rounds."""
    if isinstance(op, stablehlo.ReductionOp):
        return op.combiner is not None and op.combiner.has_trait(Clamps)
    is_binary = isinstance(op, stablehlo.BinaryOp)
    return op.has_trait(ConstantLike) or (op.has_trait(TakesElements) and not is_binary)
