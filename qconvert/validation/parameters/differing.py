"""The parameters of two models compared: nothing is run."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from xdsl.ir import Operation

from qconvert.api import Model, load
from qconvert.api.loading import Source
from qconvert.support.counting import counted
from qconvert.support.version import installed_version
from qconvert.validation.parameters.constants import Fact
from qconvert.validation.parameters.differences import Programs, facts_of
from qconvert.validation.parameters.operators import Operators, kind
from qconvert.validation.parameters.outcome import SCHEMA, DiffedFile, Difference, Finding
from qconvert.validation.parameters.pairing import paired
from qconvert.validation.parameters.purposes import purposes_of
from qconvert.validation.parameters.same_form import Form, Options, forms


def diff(first: Source | Model, second: Source | Model, options: Options | None = None) -> Difference:
    """Return how the parameters of two models differ.

    Models of two formats are compared in one of these: ``options`` gives those to convert with, by default the
    format's. Raises ConversionError naming file and node if a model cannot be read or brought into the other's format,
    UsageError if a file cannot be opened.
    """
    models = [each if isinstance(each, Model) else load(each) for each in (first, second)]
    best: _Compared | None = None
    for form in forms(models[0], models[1], options):
        compared = _compared(form, models)
        if best is None or len(compared.findings) < len(best.findings):
            best = compared
        if compared.is_aligned:
            break
    assert best is not None
    return Difference(
        SCHEMA,
        installed_version(),
        *(DiffedFile(model.file, str(model.format)) for model in models),
        str(best.form.format),
        best.operators,
        tuple(best.findings),
        tuple(best.purposes),
        not best.findings,
    )


class _Compared(NamedTuple):
    """Two models in one form: what differs, and whether both have the same operators."""

    form: Form
    findings: list[Finding]
    purposes: list[str]
    operators: tuple[int, int]
    is_aligned: bool


def _compared(form: Form, models: list[Model]) -> _Compared:
    layers = [Operators(model.module).named() for model in models]
    first, second = Operators(form.first, layers[0]), Operators(form.second, layers[1])
    pairs = paired(first, second)
    programs = Programs(first, second, pairs, Counter())
    found: list[tuple[float, Finding]] = []
    has_forms = False
    for place, op in enumerate(first.ops):
        other = pairs.forth.get(op)
        if other is None:
            found.append((place, _alone(first, op, is_first=True)))
        else:
            facts = facts_of(programs, op, other)
            has_forms = has_forms or any(fact.is_form for fact in facts)
            found += [(place, _finding(programs, op, other, fact)) for fact in facts]
    found += [(_after(second, op, pairs.back, first), _alone(second, op, is_first=False)) for op in second.ops if op not in pairs.back]
    findings = list(dict.fromkeys(finding for _, finding in sorted(found, key=lambda each: each[0])))
    aligned = len(pairs.forth) == len(first.ops) == len(second.ops) and not has_forms
    counts = (len(first.ops), len(second.ops))
    purposes = [f"{text} ({counted(count, 'constant or result')})" for text, count in programs.purposes.items()]
    for model, module, converted in zip(models, (form.first, form.second), form.converted, strict=True):
        if converted:
            purposes += [f"{model.file}: {text}" for text in purposes_of(model.module, module)]
    return _Compared(form, findings, purposes, counts, aligned)


def _finding(programs: Programs, op: Operation, other: Operation, fact: Fact) -> Finding:
    name, second = programs.first.own_layer(op), programs.second.own_layer(other)
    layer = name or second or programs.first.layer(op)
    return Finding(layer, second or layer, kind(op), fact.parameter, fact.text)


def _alone(program: Operators, op: Operation, *, is_first: bool) -> Finding:
    layer, side = program.layer(op), "first" if is_first else "second"
    places = (layer, None) if is_first else (None, layer)
    return Finding(*places, kind(op), "operator", f"only the {side} model has this {kind(op)}")


def _after(second: Operators, op: Operation, back: dict[Operation, Operation], first: Operators) -> float:
    """Return the place in the first program behind which an operator of the second one stands."""
    before = (second.ops[place] for place in range(second.positions[op] - 1, -1, -1))
    known = next((back[each] for each in before if each in back), None)
    return -0.5 if known is None else first.positions[known] + 0.5
