"""The outcome of a task, and the folder that keeps it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from qconvert.batch.tasks import Task
from qconvert.batch.typed import WrongValueError, typed
from qconvert.support.documents import read_document
from qconvert.support.errors import UsageError
from qconvert.support.files import write_text
from qconvert.support.json_text import json_text
from qconvert.validation import Report


class Status(StrEnum):
    """The end of a task: within the limits or not, refused by qconvert, or ended by an engine, a worker or a fault."""

    PASSED = "passed"
    FAILED = "failed"
    REFUSED = "refused"
    ERROR = "error"
    INTERNAL = "internal"


@dataclass(frozen=True)
class Measured:
    """The time and memory of a task; the only part of an outcome that is not the same in each run.

    ``peak_bytes`` is the largest memory of the worker until then, ``engine_peak_bytes`` that of an engine's process.
    """

    worker: str = ""
    seconds: float = 0.0
    peak_bytes: int = 0
    engine_peak_bytes: int = 0


@dataclass(frozen=True)
class Outcome:
    """The outcome of a task: a report, or an error."""

    task: Task
    status: Status
    error: str | None
    report: Report | None
    measured: Measured


@dataclass(frozen=True)
class Place:
    """The folder of the plan, from which files are named, and the folder of the outcomes: one file a task."""

    plan: Path
    outcomes: Path

    def file(self, task: Task) -> Path:
        """Return the file of a task's outcome."""
        return self.outcomes / f"{task.key}.json"

    def keep(self, outcome: Outcome) -> None:
        """Write an outcome, whole or not at all."""
        write_text(self.file(outcome.task), json_text(asdict(outcome)) + "\n")

    def outcome(self, task: Task) -> Outcome:
        """Return a task's outcome; raises UsageError where its file cannot be read."""
        file = self.file(task)
        try:
            return typed(Outcome, read_document(file, is_json=True))
        except WrongValueError as error:
            raise UsageError(f"{file}: {error}. Remove the file") from error

    def is_done(self, task: Task) -> bool:
        """Return whether a task has an outcome that another run would not change: errors are tried again."""
        return self.file(task).exists() and self.outcome(task).status not in {Status.ERROR, Status.INTERNAL}
