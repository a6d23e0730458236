"""The parameters of two models compared: nothing is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

from xdsl.ir import Operation

from qconvert.api import Model, load
from qconvert.api.loading import Source
from qconvert.support.counting import counted
from qconvert.support.version import installed_version
from qconvert.validation.parameters.constants import Fact
from qconvert.validation.parameters.differences import facts_of, port_facts
from qconvert.validation.parameters.findings import SCHEMA, DiffedFile, Difference, Finding
from qconvert.validation.parameters.layer_names import LayerNames
from qconvert.validation.parameters.operands import Programs
from qconvert.validation.parameters.operators import Operators, kind
from qconvert.validation.parameters.pairing import paired
from qconvert.validation.parameters.purposes import purposes_of
from qconvert.validation.parameters.same_form import LARGE_BYTES, Form, Options, forms, rank, rare_forms
from qconvert.validation.parameters.shown_options import flags

_HINT = "If one file was written with options of its format that it does not show, give the same options"


def diff(first: Source | Model, second: Source | Model, options: Options | None = None) -> Difference:
    """Return how the parameters of two models differ.

    Models of two formats are compared in one of these: ``options`` returns those to convert with to a format, by
    default those that the other file shows. Raises ConversionError naming file and node if a model cannot be read or
    brought into the other's format, UsageError if a file cannot be opened.
    """
    models = tuple(each if isinstance(each, Model) else load(each) for each in (first, second))
    best = _nearest(models, options)
    files = [DiffedFile(model.file, str(model.format)) for model in models]
    return Difference(
        schema=SCHEMA,
        qconvert=installed_version(),
        first=files[0],
        second=files[1],
        compared_as=str(best.form.format),
        options=flags(best.form.options),
        operators=best.operators,
        findings=tuple(best.findings),
        on_purpose=tuple(best.purposes),
        equal=not best.findings,
        hint="" if best.is_aligned or options else _HINT,
    )


def _nearest(models: Sequence[Model], options: Options | None) -> _Compared:
    """Return the comparison with the fewest differences, or the first one in which operators have the same forms.

    Options that write other operators are tried last, where none are given and operators differ.
    """
    best = _least(models, forms(models[0], models[1], options), None)
    assert best is not None
    if not best.is_aligned and options is None and not _are_large(models):
        best = _least(models, rare_forms(models[0], models[1]), best) or best
    return best


def _least(models: Sequence[Model], every: Generator[Form], best: _Compared | None) -> _Compared | None:
    with closing(every):
        for form in every:
            compared = _compared(form, models)
            if best is None or len(compared.findings) < len(best.findings):
                best = compared
            if not compared.findings or (compared.is_aligned and (form.is_of_files or _are_large(models))):
                break
    return best


def _are_large(models: Sequence[Model]) -> bool:
    """Return True if conversions of the models take seconds."""
    return any(model.opened is not None and model.opened.size >= LARGE_BYTES for model in models)


class _Compared(NamedTuple):
    """Two models in one form: what differs, and whether both have the same operators in the same form."""

    form: Form
    findings: list[Finding]
    purposes: list[str]
    operators: tuple[int, int]
    is_aligned: bool


class _Placed(NamedTuple):
    """A finding and its place in the first program's order."""

    place: float
    finding: Finding


def _compared(form: Form, models: Sequence[Model]) -> _Compared:
    source, other = sorted(models, key=rank)
    names = LayerNames(source.module, other.module)
    first, second = Operators(form.first, names), Operators(form.second, names)
    programs = Programs(first, second, paired(first, second), Counter())
    found = sorted((*_of_pairs(programs), *_of_single(programs), *_of_ports(programs)), key=lambda each: each.place)
    findings = list(dict.fromkeys(each.finding for each in found))
    purposes = [f"{text} ({counted(count, 'place')})" for text, count in programs.purposes.items()]
    for model, module, converted in zip(models, (form.first, form.second), form.converted, strict=True):
        if converted:
            purposes += [f"{model.file}: {text}" for text in purposes_of(model.module, module)]
    counts = (len(first.ops), len(second.ops))
    return _Compared(form, findings, purposes, counts, not any(each.is_form for each in findings))


def _of_ports(programs: Programs) -> Iterator[_Placed]:
    """Yield how inputs and outputs differ: first of all."""
    for name, fact in port_facts(programs):
        yield _Placed(-1, Finding(name, name, "port", *fact))


def _of_pairs(programs: Programs) -> Iterator[_Placed]:
    """Yield how paired operators differ."""
    for op, other in programs.pairs.forth.items():
        for fact in facts_of(programs, op, other):
            yield _Placed(programs.first.positions[op], _finding(programs, op, other, fact))


def _finding(programs: Programs, op: Operation, other: Operation, fact: Fact) -> Finding:
    layer = _layer(programs, op)
    return Finding(layer, programs.second.own_layer(other) or layer, kind(op), *fact)


def _layer(programs: Programs, op: Operation) -> str:
    """Return the layer of a paired operator of the first program, which may be named in the second one alone."""
    partner = programs.pairs.forth[op]
    return programs.first.own_layer(op) or programs.second.own_layer(partner) or programs.first.layer(op)


def _of_single(programs: Programs) -> Iterator[_Placed]:
    """Yield the operators that one program alone has; one of the second is named by the layer that it belongs to."""
    first, second, pairs = programs.first, programs.second, programs.pairs
    for op in first.ops:
        if op not in pairs.forth:
            text = f"only the first model has this {kind(op)}{_in_front(programs, _reader(op, pairs.forth))}"
            yield _Placed(first.positions[op], Finding(first.layer(op), None, kind(op), "operator", text, is_form=True))
    names = {first.own_layer(each) for each in first.ops}
    for op in second.ops:
        if op not in pairs.back:
            reader, own = _reader(op, pairs.back), second.layer(op)
            layer = own if own in names or reader is None else _layer(programs, pairs.back[reader])
            place = _in_front(programs, None if reader is None else pairs.back[reader])
            text = f"only the second model has this {kind(op)}{place}"
            yield _Placed(_after(programs, op), Finding(layer, own, kind(op), "operator", text, is_form=True))


def _in_front(programs: Programs, reader: Operation | None) -> str:
    """Return the words for the operator of the first program that reads a result."""
    return "" if reader is None else f", in front of {_layer(programs, reader)}"


def _reader(op: Operation, known: Mapping[Operation, Operation]) -> Operation | None:
    """Return the nearest operator that both programs have and that reads an operator's result."""
    while True:
        readers = [use.operation for result in op.results for use in result.uses]
        found = next((reader for reader in readers if reader in known), None)
        if found is not None or not readers:
            return found
        op = readers[0]


def _after(programs: Programs, op: Operation) -> float:
    """Return the place in the first program behind which an operator of the second one stands."""
    first, second, back = programs.first, programs.second, programs.pairs.back
    before = (second.ops[place] for place in range(second.positions[op] - 1, -1, -1))
    known = next((back[each] for each in before if each in back), None)
    return -0.5 if known is None else first.positions[known] + 0.5
