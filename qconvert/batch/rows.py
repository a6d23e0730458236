"""The rows of a batch's tables, in the plan's order: nothing in them depends on the run but :class:`TimeRow`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from qconvert.batch.outcome import Outcome
from qconvert.batch.tasks import Task


class TableFormat(StrEnum):
    """A format of tables; the value is also the suffix of its files."""

    PARQUET = "parquet"
    JSON_LINES = "jsonl"


@dataclass(frozen=True)
class Row:
    """The columns by which the rows of all tables belong together; ``first`` is the number of the first sample."""

    task: str
    model: str
    target: str
    engine: str
    first: int


@dataclass(frozen=True)
class TaskRow(Row):
    """A task. ``samples`` counts those that were compared; ``failures`` has one line for each limit that was missed."""

    sha256: str
    samples: int | None
    status: str
    error: str | None
    failures: str
    notes: str
    outputs: int
    layers: int
    engine_version: str | None
    reference: str | None
    reference_version: str | None
    qconvert: str


@dataclass(frozen=True)
class OutputRow(Row):
    """An output of a task, end to end."""

    output: str
    dtype: str
    exact: float
    max_lsb: int | None
    max_abs: float
    max_rel: float | None
    sqnr_db: float | None
    top1: float | None
    exact_reference_optimised: float | None
    distinct: int


@dataclass(frozen=True)
class LayerRow(Row):
    """A layer of a task, in isolation. ``proved`` counts the ``inputs`` for which its integers are proved."""

    layer: str
    op: str
    family: str
    tensor: str
    exact: float
    exact_non_ties: float
    needed: float
    max_lsb: int
    elements: int
    ties: int
    inputs: int | None
    proved: int | None


@dataclass(frozen=True)
class TimeRow(Row):
    """The time and memory of a task."""

    worker: str
    seconds: float
    peak_bytes: int
    engine_peak_bytes: int


def _place(task: Task) -> tuple[str, str, str, str, int]:
    return task.key, task.model, task.target, task.engine, task.samples.first


def task_rows(outcomes: Sequence[Outcome]) -> Iterator[TaskRow]:
    """Yield a row for each task."""
    for outcome in outcomes:
        task, report = outcome.task, outcome.report
        yield TaskRow(
            *_place(task),
            sha256=task.sha256,
            samples=None if report is None else report.samples,
            status=outcome.status,
            error=outcome.error,
            failures="" if report is None else "\n".join(report.failures),
            notes="" if report is None else "\n".join(report.notes),
            outputs=0 if report is None else len(report.outputs),
            layers=0 if report is None else len(report.layers),
            engine_version=None if report is None else report.engine.version,
            reference=None if report is None else report.reference.name,
            reference_version=None if report is None else report.reference.version,
            qconvert=task.versions["qconvert"],
        )


def output_rows(outcomes: Sequence[Outcome]) -> Iterator[OutputRow]:
    """Yield a row for each task and output."""
    for outcome in outcomes:
        for output in () if outcome.report is None else outcome.report.outputs:
            yield OutputRow(
                *_place(outcome.task),
                output=output.name,
                dtype=output.dtype,
                exact=output.exact,
                max_lsb=output.max_lsb,
                max_abs=output.max_abs,
                max_rel=output.max_rel,
                sqnr_db=output.sqnr_db,
                top1=output.top1,
                exact_reference_optimised=output.exact_reference_optimised,
                distinct=output.distinct,
            )


def layer_rows(outcomes: Sequence[Outcome]) -> Iterator[LayerRow]:
    """Yield a row for each task and layer."""
    for outcome in outcomes:
        for layer in () if outcome.report is None else outcome.report.layers:
            yield LayerRow(
                *_place(outcome.task),
                layer=layer.node,
                op=layer.op,
                family=layer.family,
                tensor=layer.tensor,
                exact=layer.exact,
                exact_non_ties=layer.exact_non_ties,
                needed=layer.needed,
                max_lsb=layer.max_lsb,
                elements=layer.elements,
                ties=layer.ties,
                inputs=None if layer.proof is None else layer.proof.inputs,
                proved=None if layer.proof is None else layer.proof.inputs - layer.proof.differing,
            )


def time_rows(outcomes: Sequence[Outcome]) -> Iterator[TimeRow]:
    """Yield what each task took."""
    for outcome in outcomes:
        task, measured = outcome.task, outcome.measured
        yield TimeRow(
            *_place(task),
            worker=measured.worker,
            seconds=measured.seconds,
            peak_bytes=measured.peak_bytes,
            engine_peak_bytes=measured.engine_peak_bytes,
        )
