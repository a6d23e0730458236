"""The nodes of a model: their tensors, scales, multiply-accumulates, weights and memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import ConstantLike

from qconvert.api.conversion import QUANTIZING
from qconvert.api.macs import in_integers, macs
from qconvert.api.memory import live_bytes, lives_of, operands_of
from qconvert.api.models import Model
from qconvert.api.tensors import TensorInfo, describe_tensor, is_weight
from qconvert.dialects import stablehlo
from qconvert.ir import element_type, is_float, node_names, place


class Arithmetic(StrEnum):
    """The numbers that a node computes with; ``mixed``: products of integers, and other ops on floats."""

    INTEGER = "integer"
    FLOAT = "float"
    MIXED = "mixed"


@dataclass(frozen=True)
class NodeInfo:
    """A source node, or several that became one computation.

    ``nodes`` has the names without nodes that only quantize, or the op's place in a text; ``operators`` has the
    source's operators, ``ops`` the ops of the IR. ``inputs`` and ``outputs`` are the tensors that come from and go to
    other nodes, ``weights`` the constants, whose sizes ``weights_bytes`` adds up. ``live_bytes`` is the size of all
    activations that are in memory while the node runs, None where a size is open. ``sources`` are the numbers of the
    nodes whose results it takes, from 0; ``model_inputs`` and ``model_outputs`` are those of the model.
    """

    nodes: tuple[str, ...]
    operators: tuple[str, ...]
    ops: tuple[str, ...]
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    weights: tuple[TensorInfo, ...]
    macs: int
    arithmetic: Arithmetic
    weights_bytes: int
    live_bytes: int | None
    sources: tuple[int, ...] = ()
    model_inputs: tuple[str, ...] = ()
    model_outputs: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The names with the operators; for a node without a name the names of its ops."""
        kinds = ", ".join(self.operators or self.ops)
        return f"{', '.join(self.nodes)} ({kinds})" if self.nodes else kinds


def nodes_of(model: Model, body: Block) -> tuple[NodeInfo, ...]:
    """Return the nodes of a function's body in order: its ops but constants, those with the same source as one node.

    A node stands where its first op stands. The body's values must be those of ``model`` after fusion.
    """
    *ops, terminator = body.ops
    computing = [op for op in ops if not op.has_trait(ConstantLike)]
    grouped: dict[_Source | Operation, list[Operation]] = {}
    for op in computing:
        grouped.setdefault(_key(model, op), []).append(op)
    parts = list(grouped.values())
    lives = lives_of(parts, body.args, terminator)
    tensors = {value: describe_tensor(value) for value in lives}
    arguments = zip(body.args, model.input_names, strict=True)
    tensors |= {value: describe_tensor(value, name) for value, name in arguments}
    live = live_bytes(lives, {value: tensor.bytes for value, tensor in tensors.items()}, len(parts))
    nodes = [_node(model, part, tensors, size) for part, size in zip(parts, live, strict=True)]
    makers: dict[SSAValue, int] = {result: i for i, part in enumerate(parts) for op in part for result in op.results}
    results = list(zip(terminator.operands, model.output_names, strict=True))
    names: dict[SSAValue, str] = dict(zip(body.args, model.input_names, strict=True))
    return tuple(
        replace(
            node,
            sources=tuple(sorted({makers[value] for value in operands_of(part) if makers.get(value, i) != i})),
            model_inputs=tuple(dict.fromkeys(names[value] for value in operands_of(part) if value in names)),
            model_outputs=tuple(name for value, name in results if makers.get(value) == i),
        )
        for i, (node, part) in enumerate(zip(nodes, parts, strict=True))
    )


_Source: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


def _key(model: Model, op: Operation) -> _Source | Operation:
    """Return the sources that the ops of one node share; an op without a source stands for itself."""
    source = source_of(model, [op])
    return source if source[0] else op


def source_of(model: Model, ops: Sequence[Operation]) -> _Source:
    """Return the source nodes of ops, or their places in a text without names, and the nodes' operators.

    Nodes that only quantize are left out beside others. An op that only changes the storage of an argument has no node.
    """
    names = list(dict.fromkeys(name for op in ops for name in node_names(op.location)))
    computing = [name for name in names if model.op_types.get(name) not in QUANTIZING] or names
    operators = dict.fromkeys(model.op_types[name] for name in computing if name in model.op_types)
    places = dict.fromkeys(where for op in ops if (where := place(op)) is not None)
    return tuple(computing or places), tuple(operators)


def _node(
    model: Model, part: Sequence[Operation], tensors: dict[SSAValue, TensorInfo], live_bytes: int | None
) -> NodeInfo:
    made = {result for op in part for result in op.results}
    taken = dict.fromkeys(value for value in operands_of(part) if value not in made)
    weights = tuple(describe_tensor(value) for value in taken if is_weight(value.owner))
    return NodeInfo(
        *source_of(model, part),
        tuple(dict.fromkeys(op.name for op in part)),
        tuple(tensors[value] for value in taken if value in tensors),
        tuple(tensors[value] for op in part for value in op.results if value in tensors),
        weights,
        sum(macs(inner) for op in part for inner in op.walk()),
        _arithmetic(part),
        sum(weight.bytes or 0 for weight in weights),
        live_bytes,
    )


def _arithmetic(part: Sequence[Operation]) -> Arithmetic:
    if not any(map(computes_on_floats, part)):
        return Arithmetic.INTEGER
    products = [inner for op in part for inner in op.walk() if macs(inner)]
    return Arithmetic.MIXED if any(map(in_integers, products)) else Arithmetic.FLOAT


def computes_on_floats(op: Operation) -> bool:
    """Return True for an op that makes floats, unless it is a constant or only dequantizes."""
    if isinstance(op, stablehlo.UniformDequantizeOp) or op.has_trait(ConstantLike):
        return False
    return any(isinstance(value.type, TensorType) and is_float(element_type(value)) for value in op.results)
