"""Checks many cases at once: every case in every format against the source's own runtime."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from qconvert import EngineName, Format, convert
from qconvert.api import Converted, Model
from qconvert.engines.modules import Program
from qconvert.formats import FORMATS as OBJECTS
from qconvert.support.errors import ConversionError, EngineError, QConvertError
from tests.graphs import refusals
from tests.graphs.case import FORMATS, Case, Kind, Outcome
from tests.graphs.judging import judged
from tests.graphs.source import Source
from tests.graphs.targets import Attempt, Results, opened, run_all
from tests.support.onnx_cases import reference_session

Outcomes = dict[Format, Outcome]


def check(cases: Sequence[Case], formats: Iterable[Format] = FORMATS) -> list[Outcomes]:
    """Return the outcome of each case in each format; a case without a result of its own runtime has none."""
    formats = tuple(formats)
    models = [opened(case) for case in cases]
    expected = references(cases, models)
    found: list[Outcomes] = [{} for _ in cases]
    attempts: list[tuple[int, Attempt]] = []
    for i, (case, model) in enumerate(zip(cases, models, strict=True)):
        if isinstance(model, Outcome):
            found[i] = dict.fromkeys(formats, model)
            continue
        answer = expected[i]
        if not isinstance(answer, EngineError):
            attempts += [(i, Attempt(case, to, model, answer)) for to in formats]
    run_all([attempt for _, attempt in attempts])
    fused: dict[int, ModuleOp] = {}
    converted = {i: attempt.converted for i, attempt in attempts if attempt.to is Format.STABLEHLO}
    for i, attempt in attempts:
        found[i][attempt.to] = attempt.outcome or _judged(
            attempt, lambda one=attempt, at=i: _fused(one, converted.get(at), fused, at)
        )
    return found


def examine(sources: Sequence[Source], formats: Iterable[Format] = FORMATS) -> list[tuple[Case | None, Outcomes]]:
    """Return the case of each source and its outcomes; a source that cannot be made has no case.

    A refusal to make it (``quantize`` has no kernel for an operator) has no outcome. A traceback counts in each format.
    """
    found: list[tuple[Case | None, Outcomes]] = []
    for source in sources:
        try:
            found.append((source.case(), {}))
        except QConvertError:
            found.append((None, {}))
        except Exception:  # noqa: BLE001 - a traceback is a finding
            found.append((None, dict.fromkeys(formats, Outcome(Kind.TRACEBACK, traceback.format_exc()))))
    outcomes = iter(check([case for case, _ in found if case is not None], formats))
    return [
        (case, known if case is None else _with_refusals(source, case, next(outcomes)))
        for source, (case, known) in zip(sources, found, strict=True)
    ]


def _with_refusals(source: Source, case: Case, outcomes: Outcomes) -> Outcomes:
    return {to: refusals.checked(source, case, outcome, to) for to, outcome in outcomes.items()}


def _fused(attempt: Attempt, converted: Converted | None, known: dict[int, ModuleOp], at: int) -> ModuleOp:
    """Return the source's module as the formats write it, once for all formats that take what StableHLO takes."""
    if at not in known:
        try:
            known[at] = (converted or convert(attempt.model, Format.STABLEHLO)).fused
        except ConversionError:
            assert attempt.converted is not None
            return attempt.converted.fused
    return known[at]


def _judged(attempt: Attempt, fused: Callable[[], ModuleOp]) -> Outcome:
    assert attempt.results is not None
    try:
        return judged(
            attempt.results,
            attempt.expected,
            fused,
            attempt.inputs,
            attempt.arithmetic,
            is_exact=attempt.is_exact,
        )
    except Exception:  # noqa: BLE001 - the interpreter dies: a finding as well
        return Outcome(Kind.TRACEBACK, traceback.format_exc())


def references(cases: Sequence[Case], models: Sequence[Model | Outcome]) -> list[Results | EngineError]:
    """Return what the source's own runtime gives for each case: onnxruntime, LiteRT or jaxlib."""
    found: list[Results | EngineError] = []
    for case, model in zip(cases, models, strict=True):
        if isinstance(model, Outcome):
            found.append(EngineError(model.text))
        elif case.source.startswith("onnx"):
            found.append(_in_onnxruntime(case))
        else:
            found.append(EngineError("later"))
    by_engine: dict[EngineName, list[int]] = {}
    for i, model in enumerate(models):
        if not isinstance(model, Outcome) and not cases[i].source.startswith("onnx"):
            engine = EngineName.LITERT if model.format is Format.TFLITE else EngineName.STABLEHLO
            by_engine.setdefault(engine, []).append(i)
    for engine, places in by_engine.items():
        programs = [_program(cases[i], models[i]) for i in places]
        runs = OBJECTS[Format.TFLITE if engine is EngineName.LITERT else Format.STABLEHLO].runs
        for i, answer in zip(places, runs[engine](programs), strict=True):
            found[i] = answer
    return found


def _program(case: Case, model: Model | Outcome) -> Program:
    assert isinstance(model, Model)
    return Program(model.program, [[sample[name] for name in model.input_names] for sample in case.samples])


def _in_onnxruntime(case: Case) -> Results | EngineError:
    try:
        session = reference_session(case.content)
        return [[np.asarray(array) for array in session.run(None, dict(sample))] for sample in case.samples]
    except EngineError as error:
        return error
    except Exception as error:  # noqa: BLE001 - onnxruntime's errors have no base of their own
        return EngineError(str(error))
