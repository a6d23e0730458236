"""A written program as what is cut: its ops, the values between them, and pieces of it as programs of their own."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import ModuleOp

from qconvert.engines.modules import Program
from qconvert.support.arrays import Array

Value: TypeAlias = Hashable
"""A value of a written program: an SSA value of MLIR, the name of an ONNX tensor, the index of a TFLite tensor."""


class WrittenOp(NamedTuple):
    """An op of a written program: its name for messages, the values that it reads and those that it makes.

    Constants are no values: an op reads only inputs and what other ops make.
    """

    name: str
    operands: tuple[Value, ...]
    results: tuple[Value, ...]


@dataclass(frozen=True)
class Samples:
    """Arrays for the inputs of a piece, one list for each sample."""

    inputs: tuple[Value, ...]
    arrays: list[list[Array]]


class WrittenProgram(ABC):
    """A program read back from what was written; ops are in an order in which they can run."""

    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    ops: tuple[WrittenOp, ...]

    @abstractmethod
    def piece(self, ops: Sequence[int], given: Samples, outputs: Sequence[Value]) -> Program:
        """Return the ops at some places as a program that takes the given values and returns ``outputs``."""

    @abstractmethod
    def module(self, ops: Sequence[int], given: Samples, outputs: Sequence[Value]) -> ModuleOp:
        """Return a piece as a module that the interpreter evaluates."""

    def file(self, piece: Program, results: Sequence[Array]) -> bytes:
        """Return a piece as a file for users; ``results`` tell the types of what it returns."""
        del results
        return piece.text.encode() if isinstance(piece.text, str) else piece.text

    @cached_property
    def makers(self) -> dict[Value, int]:
        """The place of the op that makes each value."""
        return {value: place for place, op in enumerate(self.ops) for value in op.results}

    @cached_property
    def structure(self) -> list[tuple[tuple[int, ...], int]]:
        """The places of the values that each op reads among all values, and the number of its results.

        Inputs come first, then results, then what no op makes, such as the states of a file.
        """
        results = (value for op in self.ops for value in op.results)
        operands = (value for op in self.ops for value in op.operands)
        places = {value: place for place, value in enumerate(dict.fromkeys([*self.inputs, *results, *operands]))}
        return [(tuple(places[value] for value in op.operands), len(op.results)) for op in self.ops]

    def bears(self, value: Value, names: Collection[str]) -> bool:
        """Return True if the op that makes a value bears a name, as recorded, maybe with a number behind it."""
        name = self.ops[self.makers[value]].name
        _, quote, quoted = name.partition("'")
        recorded = quoted.removesuffix("'") if quote else name
        return recorded in names or re.sub(r"_\d+$", "", recorded) in names

    def slice(self, values: Iterable[Value], known: Collection[Value]) -> tuple[list[int], list[Value]]:
        """Return the places of the ops that compute values from known ones, in order, and the known ones they read.

        The ops behind a known value are not passed, but for the values themselves.
        """
        needed, read = set[int](), dict[Value, None]()
        stack = [self.makers[value] for value in values if value in self.makers]
        while stack:
            place = stack.pop()
            if place in needed:
                continue
            needed.add(place)
            operands = self.ops[place].operands
            read.update((value, None) for value in operands if value in known)
            stack.extend(self.makers[value] for value in operands if value not in known and value in self.makers)
        return sorted(needed), list(read)
