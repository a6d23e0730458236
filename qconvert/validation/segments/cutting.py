"""A judged file in segments: each is run from the reference's integers at its inputs to the values that it makes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from xdsl.dialects.func import ReturnOp
from xdsl.traits import ConstantLike

from qconvert.dialects.traits import MovesElements
from qconvert.engines.modules import Results
from qconvert.support.arrays import Array
from qconvert.support.errors import ConversionError, EngineError, UsageError
from qconvert.validation.case import Case
from qconvert.validation.figures.details import Stated
from qconvert.validation.figures.measures import Differences
from qconvert.validation.layers import Layer, split_layers
from qconvert.validation.limits.limits import FLOAT_LIMIT
from qconvert.validation.ports import ConvertedPorts
from qconvert.validation.runs import carried, restored
from qconvert.validation.segments.planning import Plan, SourceTensor, plan_cuts
from qconvert.validation.segments.programs import Samples, Value, WrittenProgram
from qconvert.validation.segments.reading import read_program
from qconvert.validation.segments.running import Piece, Runner
from qconvert.validation.segments.stated import stated

_LEAST_LOOKED_AT = 2
_LOOKED_BYTES = 1 << 22


def looked_at(sample_bytes: int) -> int:
    """Return the number of samples on which values of a file are matched with tensors of so many bytes.

    A few elements do not tell values apart, so that small models need more samples.
    """
    return max(_LEAST_LOOKED_AT, _LOOKED_BYTES // sample_bytes)


@dataclass(frozen=True, eq=False)
class Segments:
    """A file that is cut: the plan, and the layers between the tensors of the source that the file holds.

    Several layers of the source are one layer here if the file does not hold what is between them. ``reads`` has, for
    each tensor, the inputs of the model and the tensors that the file computes it from.
    """

    plan: Plan
    layers: tuple[Layer, ...]
    reads: Mapping[str, tuple[str, ...]]
    _stated: dict[str, Stated] = field(default_factory=dict)

    @property
    def program(self) -> WrittenProgram:
        """Return the program of the file."""
        return self.plan.program

    @cached_property
    def _slices(self) -> dict[str, tuple[list[int], list[Value]]]:
        """The ops of each layer by its tensor, and the values that they read."""
        return {
            layer.tensor: self.program.slice([self.plan.cuts[layer.tensor].value], self.plan.known)
            for layer in self.layers
        }

    @cached_property
    def _tail(self) -> tuple[list[int], list[Value], list[Value]]:
        """The ops from the last cuts to the outputs, the values that they read, and the outputs that they make."""
        outputs = list(dict.fromkeys(value for value in self.program.outputs if value not in self.plan.known))
        return *self.program.slice(outputs, self.plan.known), outputs

    @cached_property
    def unjudged(self) -> tuple[str, ...]:
        """The ops of the file in no segment: nothing that is compared depends on them."""
        judged = {*self._tail[0]}.union(*(ops for ops, _ in self._slices.values()))
        return tuple(op.name for place, op in enumerate(self.program.ops) if place not in judged)

    def pieces(self, case: Case) -> list[Piece]:
        """Return the piece of the file for each layer, with the reference's integers that it is given."""
        inputs = _inputs(case)
        return [
            Piece(ops, self._given(case, read, inputs), [self.plan.cuts[layer.tensor].value])
            for layer, (ops, read) in zip(self.layers, self._slices.values(), strict=True)
        ]

    def answers(self, case: Case, *, rewriting: bool = False) -> list[Results | EngineError]:
        """Return what the file computes of each layer, from the reference's integers, as the source's integers."""
        pieces = self.pieces(case)

        def begun(number: int) -> None:
            case.progress(f"comparing layers: {number} of {len(pieces)}, '{self.layers[number - 1].node}'")

        answers = _runner(case, self.program).run(pieces, begun, rewriting=rewriting)
        return [self._restored(layer, answer) for layer, answer in zip(self.layers, answers, strict=True)]

    def _restored(self, layer: Layer, answer: Results | EngineError) -> Results | EngineError:
        relation = self.plan.cuts[layer.tensor].relation
        return answer if isinstance(answer, EngineError) else [[relation.source(array)] for [array] in answer]

    def _given(self, case: Case, values: Sequence[Value], inputs: Sequence[Sequence[Array]]) -> Samples:
        return self.plan.given(values, case.reference.tensors, inputs)

    def stated(self, case: Case) -> Mapping[str, Stated]:
        """Return what the file states of each layer, by its tensor."""
        if not self._stated:
            first = replace(case, samples=case.samples[:1])
            runs, inputs = case.reference.tensors[:1], _inputs(first)
            for tensor, (ops, read) in self._slices.items():
                given, value = self.plan.given(read, runs, inputs), self.plan.cuts[tensor].value
                self._stated[tensor] = self._stated_of(tensor, ops, given, value)
        return self._stated

    def _stated_of(self, tensor: str, ops: Sequence[int], given: Samples, value: Value) -> Stated:
        try:
            return stated(self.program.module(ops, given, [value]), self.reads[tensor], tensor)
        except ConversionError as error:
            return Stated((), (), str(error))

    def outputs(self, case: Case) -> Results | EngineError:
        """Return the outputs of the file, computed from the reference's integers at the last cuts."""
        inputs = _inputs(case)
        ops, read, made = self._tail
        answer: Results | EngineError = [[] for _ in inputs]
        if made:
            [answer] = _runner(case, self.program).run([Piece(ops, self._given(case, read, inputs), made)])
        if isinstance(answer, EngineError):
            return answer
        known = [value for value in self.program.outputs if value in self.plan.known]
        rows = zip(self._given(case, known, inputs).arrays, answer, strict=True)
        held = [dict(zip([*known, *made], [*given, *results], strict=True)) for given, results in rows]
        found = [[row[value] for value in self.program.outputs] for row in held]
        return restored(case.ports, found)

    def inner_values(self, case: Case) -> dict[str, list[Array]] | EngineError:
        """Return the tensors that the file holds, by name and from end to end, one array for each sample."""
        inputs = _inputs(case)
        values = [cut.value for cut in self.plan.cuts.values()]
        ops, read = self.program.slice(values, self.program.inputs)
        given = Plan(self.program).given(read, case.reference.tensors, inputs)
        [answer] = _runner(case, self.program).run([Piece(ops, given, values)])
        if isinstance(answer, EngineError):
            return answer
        cuts = enumerate(self.plan.cuts.items())
        return {name: [cut.relation.source(row[i]) for row in answer] for i, (name, cut) in cuts}


def segments_of(case: Case, count: int = _LEAST_LOOKED_AT) -> Segments:
    """Cut the file of a case, by the first ``count`` of its samples.

    A given file that has the structure of a fresh conversion is cut where that is: its numbers may be wrong. Raises
    EngineError if the engine refuses the whole file, ConversionError if it cannot be read back, UsageError if it keeps
    states that are inputs of the source.
    """
    case.progress("looking for the layers in the file")
    program = read_program(case.file.program, case.to, case.file.file)
    if (len(program.inputs), len(program.outputs)) != (len(_inputs(case)[0]), len(case.model.output_names)):
        found = f"{case.file.file} keeps states between its calls, which cannot be given to it"
        raise UsageError(f"{found}. Exchange the files, or compare its conversion, whose states are inputs")
    plan = _plan_of_fresh(case, program, count) or _planned(case, program, count)
    reads = _reads(plan, case.ports.input_names(case.model.input_names))
    return Segments(plan, layers_in_file(case, reads), reads)


def _plan_of_fresh(case: Case, program: WrittenProgram, count: int) -> Plan | None:
    """Return the cuts of a fresh conversion as those of a given file, None if they have not the same structure."""
    if case.fresh is None:
        return None
    fresh = read_program(case.fresh.program, case.to, case.fresh.file)
    if fresh.structure != program.structure:
        return None
    ports = ConvertedPorts.of(case.converted.fused, case.options, case.target)
    return _planned(replace(case, file=case.fresh, ports=ports, is_own=True), fresh, count).of(program)


def _planned(case: Case, program: WrittenProgram, count: int) -> Plan:
    """Return the cuts of the program of a case's file, by the numbers of some samples."""
    tensors = {layer.tensor: _source_tensor(layer) for layer in case.layers}
    runs, inputs = case.reference.tensors[:count], _inputs(case)[:count]
    few = replace(case, samples=case.samples[:count], reference=replace(case.reference, tensors=runs, optimised=[]))

    def is_right(plan: Plan) -> bool:
        if not case.computes_hybrids_alike:
            return True  # the outputs differ by what the source quantizes at run time, and tell of no wrong value
        results = Segments(plan, (), {}).outputs(few)
        if isinstance(results, EngineError):
            return False
        pairs = [(run[name], row[i]) for run, row in zip(runs, results, strict=True) for i, name in enumerate(names)]
        return all(Differences.of(*pair).relative <= FLOAT_LIMIT for pair in pairs)

    def is_wrong(plan: Plan, name: str) -> bool:
        if case.is_own:
            return False
        cut = plan.cuts[name]
        ops, read = program.slice([cut.value], plan.known)
        [answer] = runner.run([Piece(ops, plan.given(read, runs, inputs), [cut.value])])
        if isinstance(answer, EngineError):
            return False
        return any(_is_far(run[name], cut.relation.source(row[0])) for run, row in zip(runs, answer, strict=True))

    names, runner = case.model.output_names, _runner(case, program)
    looks = (runner.observe, is_right, is_wrong)
    return plan_cuts(program, tensors, runs, inputs, *looks, trusts_names=not case.is_own)


_FEW = 0.01
"""The share of elements that rounding may move in a layer whose value is looked for no further."""


def _is_far(expected: Array, found: Array) -> bool:
    """Return True if elements are more than 1 LSB apart or more than a few differ; floats by more than rounding."""
    apart = Differences.of(expected.reshape(-1), found.reshape(-1).astype(expected.dtype))
    if expected.dtype.kind in "iu":
        return apart.largest > 1 or apart.exact < 1 - _FEW
    return not apart.relative <= FLOAT_LIMIT


def _source_tensor(layer: Layer) -> SourceTensor:
    return SourceTensor(layer.inputs, _only_moves(layer), (layer.tensor, *layer.nodes), layer.zero_point)


def layers_in_file(case: Case, reads: Mapping[str, Collection[str]]) -> tuple[Layer, ...]:
    """Return the layers between the tensors that the file holds, each named after the layer of the source that ends it.

    ``reads`` has the tensors, with those from which the file computes them.
    """
    model, nodes = case.model, {layer.tensor: layer.node for layer in case.split}
    layers = split_layers(case.converted.fused, model.input_names, model.op_types, reads)
    return tuple(replace(layer, node=nodes[layer.tensor]) for layer in layers)


def _reads(plan: Plan, input_names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the inputs of the model and the tensors of the source that the file computes each cut from."""
    names = dict(zip(plan.program.inputs, input_names, strict=True))
    names.update((value, cut.tensor) for value, cut in plan.values.items())
    slices = {name: plan.program.slice([cut.value], plan.known)[1] for name, cut in plan.cuts.items()}
    return {name: tuple(names[value] for value in read) for name, read in slices.items()}


def _runner(case: Case, program: WrittenProgram) -> Runner:
    return Runner(program, case.target, case.engine, case.limits)


def _inputs(case: Case) -> list[list[Array]]:
    """Return the samples as the file's inputs."""
    return carried(case.ports, case.inputs)


def _only_moves(layer: Layer) -> bool:
    """Return True if a layer's result has the elements of other tensors, whatever these are."""
    ops = [op for op in layer.module.walk() if not op.has_trait(ConstantLike) and not isinstance(op, ReturnOp)]
    return all(op.has_trait(MovesElements) for op in ops[2:])
