"""A fused module cut into layers: the smallest parts whose inputs and output are quantized tensors of the source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import ConstantLike

from qconvert.dialects import stablehlo
from qconvert.dialects.composite import RECURRENTS
from qconvert.dialects.stablehlo.reduction import ReductionOp
from qconvert.dialects.traits import Clamps, Contraction, TakesElements
from qconvert.interpreter.core import main_function
from qconvert.ir.attributes import TENSOR
from qconvert.ir.locations import node_names
from qconvert.ir.types import quantized


class Family(StrEnum):
    """What a layer does, which decides how exact it must be."""

    CONTRACTION = "contraction"
    AVERAGE = "average"
    MOVEMENT = "movement"
    ELEMENTWISE = "elementwise"
    RECURRENT = "recurrent"


@dataclass(frozen=True)
class Layer:
    """One layer as a module of its own.

    ``tensor`` names the quantized tensor of the source that it makes; ``inputs`` names what @main takes: quantized
    tensors of the source or inputs of the model. ``node`` is the source node that feeds the quantize, ``nodes`` all the
    layer stands for. ``bits`` is the width of the result's storage.
    """

    tensor: str
    inputs: tuple[str, ...]
    module: ModuleOp
    node: str
    nodes: tuple[str, ...]
    family: Family
    bits: int


def split_layers(
    module: ModuleOp, input_names: Iterable[str], op_types: Mapping[str, str] | None = None
) -> tuple[Layer, ...]:
    """The layers of ``@main`` in order; what leads to no quantized tensor (a float head) is in none of them.

    ``op_types`` gives the operator of each source node, by which a layer is named after what feeds its quantize.
    """
    block = main_function(module).body.block
    names: dict[SSAValue, str] = dict(zip(block.args, input_names, strict=True))
    layers = []
    for op in block.ops:
        tag = op.attributes.get(TENSOR)
        if isinstance(tag, StringAttr):
            ops, inputs = _slice(op, names)
            if inputs:
                layers.append(_layer(tag.data, ops, inputs, names, op_types or {}))
            names[op.results[0]] = tag.data
    return tuple(layers)


def _slice(op: Operation, names: dict[SSAValue, str]) -> tuple[list[Operation], list[SSAValue]]:
    """The ops behind ``op`` up to named values, in order, and the named values they take."""
    needed: dict[Operation, int] = {}
    inputs: dict[SSAValue, None] = {}

    def visit(current: Operation) -> None:
        stack: list[tuple[Operation, bool]] = [(current, False)]
        while stack:
            top, expanded = stack.pop()
            if expanded:
                needed.setdefault(top, len(needed))
            elif top not in needed:
                stack.append((top, True))
                for operand in top.operands:
                    if operand in names:
                        inputs[operand] = None
                    elif isinstance(operand.owner, Operation):
                        stack.append((operand.owner, False))

    visit(op)
    return sorted(needed, key=needed.__getitem__), list(inputs)


def _layer(
    tensor: str,
    ops: list[Operation],
    inputs: list[SSAValue],
    names: dict[SSAValue, str],
    op_types: Mapping[str, str],
) -> Layer:
    block = Block(arg_types=[value.type for value in inputs])
    values: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
    for part in ops:
        block.add_op(part.clone(values))
    result = values[ops[-1].results[0]]
    block.add_op(ReturnOp(result))
    module = ModuleOp([FuncOp("main", ([value.type for value in inputs], [result.type]), Region(block))])
    element = quantized(result)
    computing = [part for part in ops if not isinstance(part, stablehlo.ConstantOp)]
    nodes = tuple(dict.fromkeys(name for part in computing for name in node_names(part.location)))
    return Layer(
        tensor,
        tuple(names[value] for value in inputs),
        module,
        _feeding_node(nodes, op_types) or tensor,
        nodes,
        _family(ops),
        0 if element is None else element.storage.width,
    )


_QUANTIZING = ("QuantizeLinear", "DequantizeLinear", "QUANTIZE", "DEQUANTIZE")


def _feeding_node(nodes: tuple[str, ...], op_types: Mapping[str, str]) -> str | None:
    """The last node that computes; a quantize itself where a layer is nothing else."""
    computing = [node for node in nodes if op_types.get(node) not in _QUANTIZING]
    named = computing or list(nodes)
    return named[-1] if named else None


def _family(ops: list[Operation]) -> Family:
    if any(isinstance(op, RECURRENTS) for op in ops):
        return Family.RECURRENT
    if any(op.has_trait(Contraction) for op in ops):
        return Family.CONTRACTION
    if any(isinstance(op, ReductionOp) and isinstance(op.combiner, stablehlo.AddOp) for op in ops):
        return Family.AVERAGE
    if all(_only_selects(op) for op in ops):
        return Family.MOVEMENT
    return Family.ELEMENTWISE


def _only_selects(op: Operation) -> bool:
    """Return whether an op gives integers of its operands; a maximum of two may have to rescale one, and rounds."""
    if isinstance(op, ReductionOp):
        return op.combiner is not None and op.combiner.has_trait(Clamps)
    is_binary = isinstance(op, stablehlo.BinaryOp)
    return op.has_trait(ConstantLike) or (op.has_trait(TakesElements) and not is_binary)


def tensor_names(module: ModuleOp) -> Iterator[str]:
    """The quantized tensors of the source that the module still makes, in order."""
    for op in main_function(module).body.block.ops:
        tag = op.attributes.get(TENSOR)
        if isinstance(tag, StringAttr):
            yield tag.data
