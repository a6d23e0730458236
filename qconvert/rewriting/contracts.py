"""Contracts: forms of ops that a writer or a pass takes for granted, each stated once and checked op by op.

A writer checks its contracts in every conversion, before it writes. A pass checks what it requires and what it ensures.
All contracts of a check share one walk over the module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.ir import describe, place
from qconvert.support.errors import ConversionError


class Contract(NamedTuple):
    """A statement about single ops that must hold for a whole module.

    ``name`` completes the sentence "The writer needs ...". ``breach`` returns what is wrong with an op of ``kinds``, or
    None; the reason may be empty. ``remedy`` is an advice to the user.
    """

    name: str
    breach: Callable[[Any], str | None]
    kinds: tuple[type, ...]
    remedy: str


def contract(name: str, *kinds: type[Operation], remedy: str) -> Callable[[Callable[[Any], str | None]], Contract]:
    """Make a contract of the decorated function, which returns what is wrong with an op of ``kinds``, or None.

    ::

        @contract("broadcasts whose dimensions rise", BroadcastInDimOp, remedy="Run the pass order-broadcasts first")
        def RISING(op: BroadcastInDimOp) -> str | None:
            dimensions = list(as_tuple(op.broadcast_dimensions))
            return None if dimensions == sorted(dimensions) else f"found {dimensions}"
    """
    return lambda breach: Contract(name, breach, kinds or (Operation,), remedy)


def no_op(
    name: str, is_such: Callable[[Operation], bool], remedy: str = "Run the pass that ensures it first"
) -> Contract:
    """Return the contract that no op of a module is of a kind."""
    return Contract(name, lambda op: "" if is_such(op) else None, (Operation,), remedy)


class Breach(NamedTuple):
    """An op that breaks a contract, with the reason."""

    op: Operation
    contract: Contract
    reason: str


def breaches(module: ModuleOp, contracts: Iterable[Contract]) -> Iterator[Breach]:
    """Yield the breaches of contracts in the order of the ops. One walk checks all contracts."""
    listed = tuple(contracts)
    concerned: dict[type[Operation], list[Contract]] = {}
    for op in module.walk() if listed else ():
        kind = type(op)
        if kind not in concerned:
            concerned[kind] = [contract for contract in listed if issubclass(kind, contract.kinds)]
        for contract in concerned[kind]:
            reason = contract.breach(op)
            if reason is not None:
                yield Breach(op, contract, reason)


def check_contracts(module: ModuleOp, contracts: Iterable[Contract], needed_by: str) -> None:
    """Raise ConversionError for the first breach, with the op's node, what ``needed_by`` needs, and the remedy."""
    for op, contract, reason in breaches(module, contracts):
        found = f"{needed_by} needs {contract.name}{f', {reason}' if reason else ''}"
        raise ConversionError(found, hint=contract.remedy, node=describe(op), op=op.name, file=place(op))
