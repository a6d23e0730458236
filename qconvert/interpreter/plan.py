"""The plan of a block: what its evaluation needs, prepared once.

A plan has a step for each op, or for several ops that are computed together, with the function that computes it and the
places of its operands and results in one list of values. Constants are in the list from the start, and so is what ops
make of them by moving elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import ConstantLike, IsTerminator

from qconvert.dialects.traits import MovesElements
from qconvert.interpreter.core import evaluate_op, implementation_of, located
from qconvert.interpreter.implementation import Array, Compute, Constants, Prepared
from qconvert.ir.late import LateArray
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget

Prepare: TypeAlias = Callable[[Operation, Constants], Prepared | None]
"""Returns what is prepared of an op and the constants of its block, or None for an op that is evaluated as it is."""

AROUND: ContextVar[Mapping[SSAValue, Array] | None] = ContextVar("around", default=None)
"""The values around the op that is evaluated; the op's regions may use them."""


@dataclass(slots=True)
class StepBudget:
    """Counts the ops that are evaluated for one sample: loops, or functions that call each other, may have no end."""

    left: int = field(default_factory=lambda: budget().steps)

    def take(self, count: int) -> None:
        """Count ops; raise ConversionError if they are too many."""
        self.left -= count
        if self.left < 0:
            found = f"the evaluation takes more than {budget().steps:,} ops, each iteration of a loop counted"
            raise ConversionError(found, hint="Raise the limit with --max-steps")


STEPS: ContextVar[StepBudget | None] = ContextVar("steps", default=None)


class _Step(NamedTuple):
    """The computation of one or several ops; errors name the first of them.

    Values are named by their places. No later step uses the values at ``last_uses``. ``around`` lists the values that
    the op's regions use, None for an op without regions.
    """

    op: Operation
    compute: Compute
    operands: tuple[int, ...]
    results: tuple[int, ...]
    last_uses: tuple[int, ...]
    around: tuple[tuple[SSAValue, int], ...] | None

    def run(self, values: list[Any]) -> None:
        """Compute the results, and drop what no later step uses."""
        operands = [values[place] for place in self.operands]
        found = self.compute(operands) if self.around is None else self._run_among(operands, values)
        results = found if isinstance(found, tuple) else (found,)
        for place, result in zip(self.results, results, strict=True):
            values[place] = result
        for place in self.last_uses:
            values[place] = None

    def _run_among(self, operands: list[Array], values: list[Any]) -> Array | tuple[Array, ...]:
        token = AROUND.set({value: values[place] for value, place in self.around or ()})
        try:
            return self.compute(operands)
        finally:
            AROUND.reset(token)


class Plan:
    """The plan of a block, which must not change any more.

    The list of values has the arguments, the values around the block that it uses, the constants, and the results of
    the steps.
    """

    def __init__(self, block: Block, prepare: Prepare | None = None) -> None:
        last = block.last_op
        if last is None or not last.has_trait(IsTerminator):
            raise ConversionError("a block without a terminator cannot be evaluated")
        ops = [op for op in block.ops if op is not last]
        constants = _constants(ops) if prepare is not None else {}
        parts = _parts([op for op in ops if not constants.keys() & {*op.results}], constants, prepare)
        made = [result for part in parts for result in part.ops[-1].results]
        own = {*block.args, *constants, *made}
        used = dict.fromkeys(value for part in parts for value in part.used) | dict.fromkeys(last.operands)
        self._outer = [value for value in used if value not in own]
        places = {value: i for i, value in enumerate((*block.args, *self._outer, *constants, *made))}
        before = len(block.args) + len(self._outer)
        self._initial = [*[None] * before, *constants.values(), *[None] * len(made)]
        self._count = len(ops) + 1
        last_uses = _last_uses(parts, {*last.operands, *constants})
        self._steps = [part.step(places, last_uses.get(part, ())) for part in parts]
        self._returned = [places[operand] for operand in last.operands]

    def run(self, arguments: Sequence[Array]) -> tuple[Array, ...]:
        """Return the operands of the block's terminator. Raises ConversionError, which names an op and its node."""
        (STEPS.get() or StepBudget()).take(self._count)
        values: list[Any] = self._initial.copy()
        values[: len(arguments)] = arguments
        around = AROUND.get() or {}
        for place, value in enumerate(self._outer, len(arguments)):
            values[place] = around[value]
        for step in self._steps:
            try:
                step.run(values)
            except (ConversionError, MemoryError) as error:
                raise located(error, step.op) from error
        return tuple([values[place] for place in self._returned])


@dataclass(frozen=True, eq=False)
class _Part:
    """Ops that are computed together, the function, and the values that it takes."""

    ops: tuple[Operation, ...]
    operands: tuple[SSAValue, ...]
    compute: Compute

    @property
    def inner(self) -> dict[SSAValue, None]:
        """The values that the ops' regions use, of the block or around it, in order."""
        walked = [inner for op in self.ops if op.regions for inner in op.walk() if inner is not op]
        arguments = [arg for op in self.ops for region in op.regions for block in region.blocks for arg in block.args]
        for inner in walked:
            arguments += [arg for region in inner.regions for block in region.blocks for arg in block.args]
        own = {*arguments, *(result for inner in walked for result in inner.results)}
        return dict.fromkeys(value for inner in walked for value in inner.operands if value not in own)

    @property
    def used(self) -> tuple[SSAValue, ...]:
        """All values that the computation needs."""
        return (*self.operands, *self.inner)

    def step(self, places: Mapping[SSAValue, int], last_uses: Iterable[SSAValue]) -> _Step:
        """Return the computation with places for values."""
        has_regions = any(op.regions for op in self.ops)
        return _Step(
            self.ops[0],
            self.compute,
            tuple(places[value] for value in self.operands),
            tuple(places[value] for value in self.ops[-1].results),
            tuple(places[value] for value in last_uses),
            tuple((value, places[value]) for value in self.inner) if has_regions else None,
        )


def _parts(ops: Sequence[Operation], constants: Constants, prepare: Prepare | None) -> list[_Part]:
    """Return the computations of a block; one of several ops has the place of the last of them."""
    taken: set[Operation] = set()
    by_last: dict[Operation, _Part] = {}
    for op in ops:
        if op in taken:
            continue
        found = None if prepare is None else prepare(op, constants)
        if found is None:
            part = _Part((op,), tuple(op.operands), partial(implementation_of(op), op))
        else:
            part = _Part(found.ops, found.operands, found.compute)
        taken.update(part.ops)
        by_last[part.ops[-1]] = part
    return [by_last[op] for op in ops if op in by_last]


def _constants(ops: Iterable[Operation]) -> dict[SSAValue, Array]:
    """Return the arrays of constants that are in memory, and of ops that only move their elements."""
    known: dict[SSAValue, Array] = {}
    for op in ops:
        if op.has_trait(ConstantLike):
            if isinstance(getattr(op, "held", None), LateArray):
                continue
        elif not op.has_trait(MovesElements) or op.regions or not all(operand in known for operand in op.operands):
            continue
        known |= zip(op.results, evaluate_op(op, [known[operand] for operand in op.operands]), strict=True)
    return known


def _last_uses(parts: Sequence[_Part], kept: set[SSAValue]) -> dict[_Part, list[SSAValue]]:
    """Return, for each computation, the values that no later one uses, but for those that are kept."""
    last = {value: part for part in parts for value in (*part.used, *part.ops[-1].results)}
    by_part: dict[_Part, list[SSAValue]] = {}
    for value, part in last.items():
        if value not in kept:
            by_part.setdefault(part, []).append(value)
    return by_part
