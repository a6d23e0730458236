"""``@main`` of a graph that is imported: the names of its inputs and outputs, and cutting it at tensors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from qconvert.dialects.port_names import INPUT_NAMES, OUTPUT_NAMES
from qconvert.support.errors import ConversionError

Node = TypeVar("Node")
Name = TypeVar("Name", bound=Hashable)


class Boundary(NamedTuple):
    """The tensors where an imported part of a model starts and ends; empty: the model's own inputs and outputs."""

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    def unknown(self, name: str) -> ConversionError:
        """Return the error for a name that no tensor has."""
        kind = "input" if name in self.inputs else "output"
        return ConversionError(f"no node computes {kind} '{name}'", hint="Name tensors that the model computes")


def needed(makers: Mapping[Name, Node], takes: Callable[[Node], Iterable[Name]], wanted: Iterable[Name]) -> list[Node]:
    """The nodes that some tensors depend on, in the order of ``makers``, which gives the node of each tensor."""
    seen: set[int] = set()
    stack = list(wanted)
    while stack:
        node = makers.get(stack.pop())
        if node is not None and id(node) not in seen:
            seen.add(id(node))
            stack.extend(takes(node))
    found = {id(node): node for node in makers.values() if id(node) in seen}
    return list(found.values())


def main_function(
    block: Block, inputs: Sequence[str], outputs: Sequence[tuple[str, SSAValue]], kept: Sequence[str] = ()
) -> FuncOp:
    """The function of a block whose arguments are named ``inputs``, with named ``outputs`` as results.

    Where ``kept`` names inputs, those are left, in this order, and only what leads to the outputs. Raises
    ConversionError where the outputs need another one.
    """
    results = [value for _, value in outputs]
    block.add_op(ReturnOp(*results))
    if kept:
        _keep_arguments(block, inputs, kept)
    types = [argument.type for argument in block.args], [value.type for value in results]
    function = FuncOp("main", types, Region(block))
    function.attributes[INPUT_NAMES] = _texts(dict.fromkeys(kept) if kept else inputs)
    function.attributes[OUTPUT_NAMES] = _texts(name for name, _ in outputs)
    return function


def _keep_arguments(block: Block, names: Sequence[str], kept: Sequence[str]) -> None:
    for op in reversed(list(block.ops)):
        if not isinstance(op, ReturnOp) and not any(result.uses for result in op.results):
            block.erase_op(op)
    arguments = dict(zip(names, tuple(block.args), strict=True))
    for name in dict.fromkeys((*kept, *arguments)):
        old = arguments[name]
        if name in kept:
            new = block.insert_arg(old.type, len(block.args))
            new.location = old.location
            old.replace_all_uses_with(new)
        elif old.uses:
            raise ConversionError(f"the outputs need input '{name}' too", hint="Name it in the inputs of the cut")
        block.erase_arg(old)


def _texts(names: Iterable[str]) -> ArrayAttr[StringAttr]:
    return ArrayAttr([StringAttr(name) for name in names])
