"""Checks many cases at once: every case in every format against the source's own runtime."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Sequence

import numpy as np

from qconvert import EngineName, Format
from qconvert.api import Model
from qconvert.engines.modules import Program
from qconvert.formats import FORMATS as OBJECTS
from qconvert.support.errors import EngineError
from tests.graphs.case import FORMATS, Case, Kind, Outcome
from tests.graphs.judging import judged
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
        elif not isinstance(expected[i], EngineError):
            attempts += [(i, Attempt(case, to, model)) for to in formats]
    run_all([attempt for _, attempt in attempts])
    for i, attempt in attempts:
        theirs = expected[i]
        assert not isinstance(theirs, EngineError)
        found[i][attempt.to] = attempt.outcome or _judged(attempt, theirs)
    return found


def _judged(attempt: Attempt, expected: Results) -> Outcome:
    assert attempt.converted is not None
    assert attempt.results is not None
    names = attempt.model.input_names
    inputs = [[sample[name] for name in names] for sample in attempt.case.samples]
    try:
        return judged(attempt.results, expected, attempt.converted.fused, inputs, attempt.to)
    except Exception:  # noqa: BLE001 - the interpreter dies: a finding as well
        return Outcome(Kind.TRACEBACK, traceback.format_exc())


def references(cases: Sequence[Case], models: Sequence[Model | Outcome]) -> list[Results | EngineError]:
    """Return what the source's own runtime gives for each case: onnxruntime, LiteRT or jaxlib."""
    found: list[Results | EngineError] = []
    for case, model in zip(cases, models, strict=True):
        if isinstance(model, Outcome):
            found.append(EngineError(model.text))
        elif model.format is Format.ONNX:
            found.append(_in_onnxruntime(case))
        else:
            found.append(EngineError("later"))
    by_engine: dict[EngineName, list[int]] = {}
    for i, model in enumerate(models):
        if not isinstance(model, Outcome) and model.format is not Format.ONNX:
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
