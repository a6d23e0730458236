"""The part that the engines for conversions share: run programs on samples, return arrays or an error for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from qconvert.engines import child, wire
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.engines.wire import Array
from qconvert.support.errors import EngineError

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Program:
    """A module's text or a file's bytes, and samples: the arguments of @main in order, quantized ones as integers.

    An engine that does not run it as usual adds a note to ``notes``.
    """

    text: str | bytes
    samples: Sequence[Sequence[Array]]
    options: Mapping[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


Results = list[list[Array]]
"""For each sample the results of @main in order."""


def run_programs(
    engine: EngineName, programs: Iterable[Program], options: Mapping[str, str], limits: Limits | None
) -> list[Results | EngineError]:
    """Run programs in one child; a program that is refused or kills the child has its error as the result."""
    notes = list[list[str]]()

    def task(program: Program) -> wire.Message:
        notes.append(program.notes)
        blob = program.text if isinstance(program.text, bytes) else program.text.encode()
        return wire.Message({**options, **program.options}, (), blob, tuple(map(wire.positional, program.samples)))

    answers = child.run_tasks(engine, map(task, programs), limits)
    for found, answer in zip(notes, answers, strict=True):
        if isinstance(answer, wire.Message) and wire.NOTE in answer.options:
            found.append(answer.options[wire.NOTE])
    return [answer if isinstance(answer, EngineError) else _results(answer) for answer in answers]


def run_files(
    engine: EngineName, programs: Iterable[Program], *, limits: Limits | None = None, **options: str
) -> list[Results | EngineError]:
    """Run model files as :func:`run_programs` does, with the inputs in the order of the file."""
    return run_programs(engine, programs, {"inputs": "by position", **options}, limits)


def _results(answer: wire.Message) -> Results:
    return [list(sample.values()) for sample in answer.samples]


def only(answers: list[Answer | EngineError]) -> Answer:
    """Return the answer of a batch of one; raises its error."""
    [answer] = answers
    if isinstance(answer, EngineError):
        raise answer
    return answer
