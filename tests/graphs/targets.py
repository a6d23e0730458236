"""Converts cases to every format and runs the written files in the formats' own tools, many in one process."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from qconvert import EngineName, Format, convert, load
from qconvert.api import Converted, Model
from qconvert.backends.base import WriteOptions
from qconvert.engines.modules import Program
from qconvert.formats import FORMATS as OBJECTS
from qconvert.support.errors import EngineError, QConvertError
from qconvert.validation.edges import Edges, edges_of
from qconvert.validation.runs import carried, restored
from tests.graphs import tosa_files
from tests.graphs.case import Case, Kind, Outcome
from tests.graphs.network import Array

Results = list[list[Array]]


@dataclass
class Attempt:
    """A case on its way to one format: the conversion, then the results of the file in the format's own tool."""

    case: Case
    to: Format
    model: Model
    converted: Converted | None = None
    results: Results | None = None
    outcome: Outcome | None = None
    options: WriteOptions | None = None

    def convert(self) -> None:
        """Convert the model; a refusal or a traceback is the outcome."""
        try:
            self.converted = convert(self.model, self.to, self.options)
        except QConvertError as error:
            self.outcome = Outcome(Kind.REFUSED, str(error))
        except Exception:  # noqa: BLE001 - a traceback is a finding
            self.outcome = Outcome(Kind.TRACEBACK, traceback.format_exc())

    def take(self, answer: Results | EngineError) -> None:
        """Take the tool's results, or its error as the outcome."""
        if isinstance(answer, EngineError):
            self.outcome = Outcome(Kind.TOOL_REFUSES, str(answer))
        else:
            self.results = answer


@dataclass(frozen=True)
class _Job:
    attempt: Attempt
    fused: ModuleOp
    edges: Edges
    inputs: list[list[Array]]


def opened(case: Case) -> Model | Outcome:
    """Read a case's model; a refusal or a traceback is the outcome in every format."""
    try:
        return load(case.content, dims=case.dims)
    except QConvertError as error:
        return Outcome(Kind.REFUSED, str(error))
    except Exception:  # noqa: BLE001 - a traceback is a finding
        return Outcome(Kind.TRACEBACK, traceback.format_exc())


def run_all(attempts: Sequence[Attempt]) -> None:
    """Convert each attempt and run its file; all attempts of a format share the processes of its tool."""
    for attempt in attempts:
        attempt.convert()
    for to in dict.fromkeys(attempt.to for attempt in attempts):
        jobs = [_job(attempt) for attempt in attempts if attempt.to is to and attempt.converted is not None]
        answers = _answers(to, jobs)
        for job, answer in zip(jobs, answers, strict=True):
            job.attempt.take(restored(job.edges, answer, job.fused, OBJECTS[to]))


def _job(attempt: Attempt) -> _Job:
    assert attempt.converted is not None
    fused, to = attempt.converted.fused, OBJECTS[attempt.to]
    edges = edges_of(fused, to.checked_options(attempt.options))
    names = attempt.model.input_names
    inputs = [[sample[name] for name in names] for sample in attempt.case.samples]
    return _Job(attempt, fused, edges, carried(edges, inputs, to))


def _answers(to: Format, jobs: Sequence[_Job]) -> list[Results | EngineError]:
    converted = [job.attempt.converted for job in jobs]
    if to is Format.TOSA:
        return tosa_files.run([each.module for each in converted if each], [job.inputs for job in jobs])
    target = OBJECTS[to]
    programs = [
        Program(each.text if each.content is None else each.content, job.inputs)
        for each, job in zip(converted, jobs, strict=True)
        if each is not None
    ]
    engine = EngineName.STABLEHLO if target.own_engine is EngineName.REFERENCE else target.own_engine
    return target.run_programs(engine, programs)
