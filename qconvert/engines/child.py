"""Run an engine in a child process: the parent's side.

The child may be slow, use too much memory, die or send an invalid answer.
"""

from __future__ import annotations

import contextlib
import json
import math
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from qconvert.engines import guard, wire
from qconvert.engines.base import EngineName, Tool, require
from qconvert.engines.limits import Limits, default_limits
from qconvert.engines.process import Process
from qconvert.support.errors import EngineDiedError, EngineError

_START_SECONDS = 60.0
_EXIT_SECONDS = 5.0
_ANSWER_BYTES = 1 << 16
_QUOTED_BYTES = 60


class Child:
    """An engine's process, which serves one task after another and is started again after it dies.

    ``handler`` is the module that serves tasks inside the child, by default the engine's own worker.
    Use as a context manager: leaving it ends the process.
    """

    def __init__(self, engine: Tool, limits: Limits | None = None, *, handler: str | None = None) -> None:
        self.engine = engine
        self.limits = limits or default_limits()
        self._handler = handler or f"qconvert.engines.workers.{engine}"
        self._running: Process | None = None
        self._folder = guard.Folder()
        self._task = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        self._folder.cleanup()

    def start(self) -> None:
        """Start the process unless it runs; raises EngineError if the engine cannot start under its limits."""
        self._started()

    def _started(self) -> Process:
        if self._running is None:
            self._running = self._spawn()
            self._task = 0
            self._receive(self._running, _START_SECONDS, "did not start")
        return self._running

    def run(self, task: wire.Message) -> wire.Message:
        """Serve one task; raises EngineError if the engine refuses it, dies, or takes too long."""
        running = self._started()
        with tempfile.TemporaryDirectory(dir=self._folder.path) as name:
            folder = Path(name)
            self._send(folder, task)
            self._task += 1
            running.begin_task()
            with contextlib.suppress(BrokenPipeError):  # the child died since its last task: _receive reports how
                running.stdin.write(json.dumps(name).encode() + b"\n")
                running.stdin.flush()
            error = self._receive(running, self.limits.seconds, "died")
            if error:
                raise EngineError(f"{self.engine} engine: {error}")
            try:
                return wire.read(folder, "reply", self.limits.file_bytes)
            except EngineError as found:
                self._stop()
                raise EngineError(f"{self.engine} engine: {found}") from found

    def _send(self, folder: Path, task: wire.Message) -> None:
        """Write a task; raises EngineError if the disk is full."""
        try:
            wire.write(folder, "task", task)
        except OSError as error:
            raise EngineError(f"{self.engine} engine: {folder} cannot be written: {error.strerror}") from error

    def _spawn(self) -> Process:
        folder, limits = self._folder.path, self.limits
        seconds = math.ceil(limits.processor_seconds)
        command = ["-m", "qconvert.engines.worker", self._handler, str(folder), str(seconds)]
        return Process(command, limits, folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _receive(self, running: Process, seconds: float, failure: str) -> str:
        """Return the error in the child's next line, '' for none; raises EngineError if no valid line arrives."""
        line = running.line(_ANSWER_BYTES, seconds)
        if line is None:
            self._stop()
            raise EngineError(f"{self.engine} engine: no answer within {seconds:g} s, stopped")
        if not line:
            self._stop(_EXIT_SECONDS)
            raise EngineDiedError(f"{self.engine} engine {failure}: {running.last_words()}")
        error = self._error_in(line)
        if error is None:
            self._stop()
            quoted = repr(line[:_QUOTED_BYTES])[1:]
            raise EngineError(f"{self.engine} engine: {quoted} came where its answer was expected, stopped")
        return error

    def _error_in(self, line: bytes) -> str | None:
        """Return the error in a line, or None if the line does not answer the last task."""
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(answer, dict) or answer.get("task") != self._task:
            return None
        error = answer.get("error")
        return error if isinstance(error, str) else None

    def _stop(self, patience: float = 0.0) -> None:
        """Wait at most ``patience`` seconds for the process, then kill it and its children."""
        running, self._running = self._running, None
        if running is None:
            return
        with contextlib.suppress(BrokenPipeError):
            running.stdin.close()
        running.wait(patience)
        running.kill()


def run_tasks(
    engine: EngineName, tasks: Iterable[wire.Message], limits: Limits | None = None, *, handler: str | None = None
) -> list[wire.Message | EngineError]:
    """Serve tasks in one child, which is started again if a task kills it; return each task's answer or error.

    Raises EngineMissingError if the engine is not installed, EngineError if it cannot start at all.
    """
    require(engine)
    answers: list[wire.Message | EngineError] = []
    with Child(engine, limits, handler=handler) as child:
        for task in tasks:
            child.start()
            try:
                answers.append(child.run(task))
            except EngineError as error:
                answers.append(error)
    return answers


def run_task(engine: EngineName, task: wire.Message, limits: Limits | None = None) -> wire.Message:
    """Serve one task in a child of its own; raises EngineError as :meth:`Child.run` does."""
    [answer] = run_all(engine, [task], limits)
    return answer


def run_all(engine: EngineName, tasks: Iterable[wire.Message], limits: Limits | None = None) -> list[wire.Message]:
    """Serve tasks in one child; raises EngineError as :meth:`Child.run` does, for the first task that fails."""
    require(engine)
    with Child(engine, limits) as child:
        return [child.run(task) for task in tasks]
