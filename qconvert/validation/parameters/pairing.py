"""The operators that two programs have in common: by name, by their order, and by what they read and feed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from xdsl.ir import Operation

from qconvert.ir import node_names
from qconvert.validation.parameters.operators import Operators


class Pairs(NamedTuple):
    """Operators of the first program with those of the second; ``back`` is the reverse of ``forth``."""

    forth: dict[Operation, Operation]
    back: dict[Operation, Operation]

    def add(self, one: Operation, other: Operation) -> None:
        """Pair two operators."""
        self.forth[one] = other
        self.back[other] = one


def paired(first: Operators, second: Operators) -> Pairs:
    """Return the operators that two programs have in common. Shapes and constants are no evidence.

    Operators of one name and op are paired first if both programs have as many of them, then operators of one op that
    stand in the same order, then operators of one op between pairs.
    """
    pairs = Pairs({}, {})
    _by_name(first.ops, second.ops, pairs)
    _by_order(first.ops, second.ops, pairs)
    while _by_neighbours(first, second, pairs):
        pass
    return pairs


def _by_name(first: Sequence[Operation], second: Sequence[Operation], pairs: Pairs) -> None:
    groups: dict[Hashable, tuple[list[Operation], list[Operation]]] = defaultdict(lambda: ([], []))
    for side, ops in enumerate((first, second)):
        for op in ops:
            if names := node_names(op.location):
                groups[names, op.name][side].append(op)
    for mine, theirs in groups.values():
        if len(mine) == len(theirs):
            for one, other in zip(mine, theirs, strict=True):
                pairs.add(one, other)


def _by_order(first: Sequence[Operation], second: Sequence[Operation], pairs: Pairs) -> None:
    """Pair the operators that are left where the sequences of pairs and ops agree."""
    mine = [_token(op, pairs.forth.get(op)) for op in first]
    theirs = [_token(pairs.back.get(op, op), pairs.back.get(op)) for op in second]
    for start, other, count in _common(mine, theirs):
        for one, two in zip(first[start : start + count], second[other : other + count], strict=True):
            if one not in pairs.forth and two not in pairs.back:
                pairs.add(one, two)


def _token(op: Operation, partner: Operation | None) -> Hashable:
    return op.name if partner is None else op


def _common(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[tuple[int, int, int]]:
    """Return the parts that two sequences have in common: both starts and a length.

    Equal beginnings and ends are found first: a matcher of long sequences takes quadratic time.
    """
    shorter = min(len(first), len(second))
    head = next((i for i in range(shorter) if first[i] != second[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if first[-1 - i] != second[-1 - i]), rest)
    inner = SequenceMatcher(
        None, first[head : len(first) - tail], second[head : len(second) - tail], autojunk=False
    ).get_matching_blocks()
    return [
        (0, 0, head),
        *((block.a + head, block.b + head, block.size) for block in inner),
        (len(first) - tail, len(second) - tail, tail),
    ]


def _by_neighbours(first: Operators, second: Operators, pairs: Pairs) -> int:
    """Pair operators of one op that read from pairs, or feed them; return the number of new pairs."""
    before = len(pairs.forth)
    waiting: dict[Hashable, list[Operation]] = defaultdict(list)
    known = {other: other for other in pairs.back}
    for op in second.ops:
        if op not in pairs.back:
            for key in _neighbours(op, known):
                waiting[key].append(op)
    for op in first.ops:
        if op in pairs.forth:
            continue
        for key in _neighbours(op, pairs.forth):
            others = [other for other in waiting.get(key, ()) if other not in pairs.back]
            if len(others) == 1:
                pairs.add(op, others[0])
                break
    return len(pairs.forth) - before


def _neighbours(op: Operation, known: dict[Operation, Operation]) -> list[Hashable]:
    """Return the places of an operator between operators that are known: behind one, and in front of one."""
    behind = [
        (op.name, "reads", known[owner], place)
        for place, operand in enumerate(op.operands)
        if isinstance(owner := operand.owner, Operation) and owner in known
    ]
    in_front = [
        (op.name, "feeds", known[use.operation], use.index)
        for result in op.results
        for use in result.uses
        if use.operation in known
    ]
    return [*behind, *in_front]
