"""The values of a written program at which it is cut: those that hold tensors of the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from qconvert.support.arrays import Array
from qconvert.validation.segments.programs import Samples, Value, WrittenProgram
from qconvert.validation.segments.relations import Match, Observed, Relation, match, nearest

Observe = Callable[[Sequence[int], Samples, Sequence[Value]], list[list[Array]]]
"""Runs some ops of a program on samples; returns the values that are asked for, one list for each sample."""

_ALIKE = 1e-6
"""The difference of two distances from which on one value is nearer to a tensor than another."""


@dataclass(frozen=True)
class Cut:
    """A tensor of the source and the value that holds it, in one way for its producer and its consumers."""

    tensor: str
    value: Value
    relation: Relation


@dataclass(frozen=True)
class SourceTensor:
    """A tensor of the source: the tensors that it is computed from, and its layer.

    ``is_moved``: its elements are only moved from other tensors. ``names`` are those that the file may have recorded
    for it. A value may hold the integers without their ``zero_point``.
    """

    sources: Sequence[str]
    is_moved: bool = False
    names: Collection[str] = ()
    zero_point: int = 0


@dataclass
class Plan:
    """The cuts of a program, by the names of the source's tensors; its inputs are cut in any case."""

    program: WrittenProgram
    cuts: dict[str, Cut] = field(default_factory=dict)

    @property
    def values(self) -> dict[Value, Cut]:
        """The cuts by their values."""
        return {cut.value: cut for cut in self.cuts.values()}

    @property
    def known(self) -> set[Value]:
        """The values at which segments end and begin."""
        return {*self.program.inputs, *self.values}

    def of(self, program: WrittenProgram) -> Plan | None:
        """Return the same cuts of another program that has the same structure, whatever it computes; else None."""
        if self.program.structure != program.structure:
            return None
        results = [(value for op in each.ops for value in op.results) for each in (self.program, program)]
        others = dict(zip(*results, strict=True))
        return Plan(program, {name: replace(cut, value=others[cut.value]) for name, cut in self.cuts.items()})

    def given(
        self,
        values: Sequence[Value],
        tensors: Sequence[Mapping[str, Array]],
        inputs: Sequence[Sequence[Array]],
    ) -> Samples:
        """Return what known values hold on each sample: the source's ``tensors``, or the program's ``inputs``."""
        cuts, places = self.values, {value: i for i, value in enumerate(self.program.inputs)}

        def held(value: Value, run: Mapping[str, Array], sample: Sequence[Array]) -> Array:
            cut = cuts.get(value)
            return sample[places[value]] if cut is None else cut.relation.written(run[cut.tensor])

        rows = zip(tensors, inputs, strict=True)
        return Samples(tuple(values), [[held(value, run, sample) for value in values] for run, sample in rows])


def plan_cuts(
    program: WrittenProgram,
    tensors: Mapping[str, SourceTensor],
    reference: Sequence[Mapping[str, Array]],
    inputs: Sequence[Sequence[Array]],
    observe: Observe,
    is_right: Callable[[Plan], bool] = lambda _: True,
    is_wrong: Callable[[Plan, str], bool] = lambda _, __: False,
    *,
    trusts_names: bool = False,
) -> Plan:
    """Find the values that hold tensors of the source.

    ``tensors`` has these in the source's order. The program runs from its ``inputs``; then what follows the values that
    were found runs again from the source's own tensors, until no more are found.

    Where the outputs are then not right, as ``is_right`` tells, a wrong value hides what follows it: the first tensor
    that is missing is in a value of its width that the file computes from the same tensors, whatever it holds: the last
    one of an op that bears one of its layer's names, else the first one. So it is in front of a tensor that the file
    computes otherwise from those that were found, as ``is_wrong`` tells; but there names alone count. ``trusts_names``:
    of two tensors that are alike, a value holds the one whose name its op bears.
    """
    plan, values = Plan(program), _results(program)
    sizes: dict[Value, int] = {}
    missing = {name: Observed([run[name] for run in reference], tensor.zero_point) for name, tensor in tensors.items()}
    while missing and values:
        ops, read = program.slice(values, plan.known)
        rows = observe(ops, plan.given(read, reference, inputs), values)
        seen = {value: Observed([row[i] for row in rows]) for i, value in enumerate(values)}
        sizes.update((value, observed.arrays[0].size) for value, observed in seen.items())
        cuts = _Assignment(plan, tensors, trusts_names).of(missing, seen)
        if not cuts and not is_right(plan):
            unmoved = {name: missing[name] for name in missing if not tensors[name].is_moved}
            cuts = _first_wrong(plan, tensors, unmoved, seen)
        cuts = cuts or _hidden(plan, tensors, missing, seen, is_wrong)
        if not cuts:
            break
        plan.cuts.update((cut.tensor, cut) for cut in cuts)
        missing = {name: tensor for name, tensor in missing.items() if name not in plan.cuts}
        wanted = {tensor.arrays[0].size for tensor in missing.values()}
        values = [value for value in _results(program) if value not in plan.known and sizes[value] in wanted]
    plan.cuts = {name: plan.cuts[name] for name in tensors if name in plan.cuts}
    return plan


def _results(program: WrittenProgram) -> list[Value]:
    return [value for op in program.ops for value in op.results]


class _Assignment:
    """The choice of a value for each tensor, each value for one tensor.

    A tensor is held behind the values of the tensors that the source computes it from. Of several values that are alike
    it takes the first that is free, and one of its own width before wider ones, whose elements may lie beyond its range
    on other samples. A value that two tensors are alike holds the later one: the format merges the layer of the earlier
    one into that of the later one. But elements that are only moved stay in the value of the earlier one.
    """

    def __init__(self, plan: Plan, tensors: Mapping[str, SourceTensor], trusts_names: bool) -> None:
        self._places, self._tensors, self._program = plan.program.makers, tensors, plan.program
        self._trusts_names = trusts_names
        self._cuts = {name: cut.value for name, cut in plan.cuts.items()}
        self._holders: dict[Value, tuple[str, Match]] = {}

    def of(self, tensors: Mapping[str, Observed], values: Mapping[Value, Observed]) -> list[Cut]:
        """Return the values that hold tensors."""
        by_size: dict[int, list[Value]] = {}
        for value, observed in values.items():
            by_size.setdefault(observed.arrays[0].size, []).append(value)
        for name, tensor in tensors.items():
            first = max(
                (self._places[self._cuts[each]] for each in self._tensors[name].sources if each in self._cuts),
                default=0,
            )
            later = [value for value in by_size.get(tensor.arrays[0].size, []) if self._places[value] >= first]
            tried = [(value, match(tensor, values[value])) for value in later]
            self._choose(name, tensor, [(value, match) for value, match in tried if match is not None])
        return [Cut(name, value, match.relation) for value, (name, match) in self._holders.items()]

    def _choose(self, name: str, tensor: Observed, matches: Sequence[tuple[Value, Match]]) -> None:
        least = min((match.distance for _, match in matches), default=0.0) + _ALIKE
        near = [(value, match) for value, match in matches if match.distance <= least]
        near.sort(key=lambda each: _is_wide(each[1], tensor))
        free = [each for each in near if each[0] not in self._holders]
        if free:
            self._take(name, *free[0])
        elif near and not self._tensors[name].is_moved:
            value, best = near[0]
            holder, other = self._holders[value]
            if best.distance <= other.distance + _ALIKE and not self._is_named(holder, value):
                del self._cuts[holder]
                self._take(name, value, best)

    def _is_named(self, name: str, value: Value) -> bool:
        return self._trusts_names and self._program.bears(value, self._tensors[name].names)

    def _take(self, name: str, value: Value, match: Match) -> None:
        self._holders[value] = name, match
        self._cuts[name] = value


def _first_wrong(
    plan: Plan,
    tensors: Mapping[str, SourceTensor],
    missing: Mapping[str, Observed],
    values: Mapping[Value, Observed],
    *,
    needs_name: bool = False,
) -> list[Cut]:
    """Return the value of the first missing tensor of which the file computes a value from the same tensors."""
    offsets = Counter(cut.relation.offset for cut in plan.cuts.values())
    held = {value: cut.tensor for value, cut in plan.values.items()}
    for name, tensor in missing.items():
        found, roots = list[Value](), _roots(name, plan, tensors)
        for value, observed in values.items():
            first = observed.arrays[0]
            if first.size == tensor.arrays[0].size and first.dtype.itemsize == tensor.arrays[0].dtype.itemsize:
                read = {held.get(each, "") for each in plan.program.slice([value], plan.known)[1]}
                found += [value] if read and read <= roots else []
        named = [value for value in found if plan.program.bears(value, tensors[name].names)]
        if named or (found and not needs_name):
            value = named[-1] if named else found[0]
            rank = tensor.arrays[0].ndim
            known = [cut.relation.order for cut in plan.cuts.values() if len(cut.relation.order) == rank]
            offset = offsets.most_common(1)[0][0] if offsets else 0
            return [Cut(name, value, nearest(tensor, values[value], offset, known))]
    return []


def _hidden(
    plan: Plan,
    tensors: Mapping[str, SourceTensor],
    missing: Mapping[str, Observed],
    values: Mapping[Value, Observed],
    is_wrong: Callable[[Plan, str], bool],
) -> list[Cut]:
    """Return the value of the first missing tensor in front of a wrong one that an op bears the name of."""
    for name in (each for each in tensors if each in plan.cuts):
        between = _between(name, plan, tensors)
        inner = {each: missing[each] for each in tensors if each in between and not tensors[each].is_moved}
        if inner and is_wrong(plan, name):
            places = {*plan.program.slice([plan.cuts[name].value], plan.known)[0]}
            near = {value: observed for value, observed in values.items() if plan.program.makers[value] in places}
            cuts = _first_wrong(plan, tensors, inner, near, needs_name=True)
            if cuts:
                return cuts
    return []


def _between(name: str, plan: Plan, tensors: Mapping[str, SourceTensor]) -> set[str]:
    """Return the tensors that the file does not hold, between one and those that it holds."""
    found = {each for each in tensors[name].sources if each in tensors and each not in plan.cuts}
    return found.union(*(_between(each, plan, tensors) for each in found))


def _roots(name: str, plan: Plan, tensors: Mapping[str, SourceTensor]) -> set[str]:
    """Return the tensors that the file holds from which the source computes one; '' stands for inputs of the model."""
    found = set[str]()
    for each in tensors[name].sources:
        found |= {each} if each in plan.cuts else _roots(each, plan, tensors) if each in tensors else {""}
    return found


def _is_wide(match: Match, tensor: Observed) -> bool:
    """Return True if a value has wider elements than a tensor."""
    return match.relation.dtype.itemsize > tensor.arrays[0].dtype.itemsize
