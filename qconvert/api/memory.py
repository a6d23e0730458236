"""The memory of activations: which values exist while each part of a function runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from xdsl.ir import Operation, SSAValue


def lives_of(
    parts: Sequence[Sequence[Operation]], arguments: Iterable[SSAValue], terminator: Operation
) -> dict[SSAValue, range]:
    """Return the parts during which each value is in memory that an argument is or that one part makes for another.

    A value is there from the part that makes it, an argument from the first, to the last part that uses it; a result of
    the function to the end. Values within a part, and constants outside the parts, are left out.
    """
    found = {argument: range(1) for argument in arguments}
    makers: dict[SSAValue, int] = {result: i for i, part in enumerate(parts) for op in part for result in op.results}
    uses = [(operand, i) for i, part in enumerate(parts) for operand in operands_of(part)]
    for value, i in [*uses, *((operand, len(parts)) for operand in terminator.operands)]:
        if value in found or makers.get(value, i) != i:
            first = makers.get(value, 0)
            stop = max(i + 1, first + 1, found[value].stop if value in found else 0)
            found[value] = range(first, min(stop, len(parts)))
    return found


def operands_of(ops: Iterable[Operation]) -> Iterator[SSAValue]:
    """Yield the values that ops use, also in their regions."""
    for op in ops:
        for inner in op.walk():
            yield from inner.operands


def live_bytes(lives: Mapping[SSAValue, range], sizes: Mapping[SSAValue, int | None], count: int) -> list[int | None]:
    """Return the bytes that are in memory during each of ``count`` parts; None where a size is open."""
    known, opened = [0] * (count + 1), [0] * (count + 1)
    for value, life in lives.items():
        size = sizes[value]
        for changes, amount in ((known, size or 0), (opened, int(size is None))):
            changes[min(life.start, count)] += amount
            changes[min(life.stop, count)] -= amount
    found: list[int | None] = []
    total = unknown = 0
    for change, change_of_unknown in zip(known[:count], opened[:count], strict=True):
        total, unknown = total + change, unknown + change_of_unknown
        found.append(None if unknown else total)
    return found
