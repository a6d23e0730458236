"""What the engines that run conversions share: programs with samples in, arrays or an error per program out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from qconvert.engines import child, wire
from qconvert.engines.base import EngineName, Limits
from qconvert.engines.wire import Array
from qconvert.support.errors import EngineError

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Program:
    """A module's text with @main, or a file's bytes; samples: the arguments in order, storage integers if quantized."""

    text: str | bytes
    samples: Sequence[Sequence[Array]]
    options: Mapping[str, str] = field(default_factory=dict)


Results = list[list[Array]]
"""Per sample the results of @main in order."""


def run_programs(
    engine: EngineName, programs: Iterable[Program], options: Mapping[str, str], limits: Limits
) -> list[Results | EngineError]:
    """Run programs in one child; a program that is refused or kills the child has its error as its result."""
    tasks = (
        wire.Message(
            {**options, **program.options},
            blob=program.text if isinstance(program.text, bytes) else program.text.encode(),
            samples=tuple(map(wire.positional, program.samples)),
        )
        for program in programs
    )
    answers = child.run_tasks(engine, tasks, limits)
    return [answer if isinstance(answer, EngineError) else _results(answer) for answer in answers]


def _results(answer: wire.Message) -> Results:
    return [list(sample.values()) for sample in answer.samples]


def only(answers: list[Answer | EngineError]) -> Answer:
    """The one answer of a batch of one; raises its error."""
    [answer] = answers
    if isinstance(answer, EngineError):
        raise answer
    return answer
