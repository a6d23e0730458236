"""The parent's side: run an engine in a child process, which may be slow, use too much memory or die."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from qconvert.engines import guard, wire
from qconvert.engines.base import DEFAULT_LIMITS, EngineName, Limits, require
from qconvert.support.errors import EngineError

_START_SECONDS = 60.0
_EXIT_SECONDS = 5.0
_STDERR_LINES = 5
_STDERR_BYTES = 1 << 16
_LINE_CHARACTERS = 300


@dataclass(frozen=True)
class _Running:
    """A live process, the stream for requests, and its answers line by line; an empty line marks their end."""

    process: subprocess.Popen[str]
    requests: IO[str]
    answers: queue.SimpleQueue[str]


def _pump(stream: IO[str], lines: queue.SimpleQueue[str]) -> None:
    with stream:
        for line in stream:
            lines.put(line)
    lines.put("")


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which the child imports from the same places as this process.

    Its temporary files, and those of the programs that it starts, are removed with ``folder``.
    """
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    return {**os.environ, "PYTHONPATH": path, "TMPDIR": str(folder)}


def _is_noise(line: str) -> bool:
    """Return True for lines of stack frames, native or Python's (indented), which do not help the user."""
    return not line.strip() or line.startswith((" ", "\t", "#", "***", "Stack dump", "PLEASE ", "Traceback"))


class Child:
    """An engine's process that serves tasks in turn. It is started again after it died.

    ``handler`` is the module that serves tasks inside the child, by default the engine's own worker.
    Use as a context manager: leaving it ends the process.
    """

    def __init__(self, engine: EngineName, limits: Limits = DEFAULT_LIMITS, *, handler: str | None = None) -> None:
        self.engine = engine
        self.limits = limits
        self._handler = handler or f"qconvert.engines.workers.{engine}"
        self._running: _Running | None = None
        self._folder = guard.Folder()
        self._stderr = self._folder.path / "stderr"

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

    def _started(self) -> _Running:
        if self._running is None:
            self._running = self._spawn()
            self._receive(self._running, _START_SECONDS, "did not start")
        return self._running

    def run(self, task: wire.Message) -> wire.Message:
        """Serve one task; raises EngineError if the engine refuses it, dies, or takes too long."""
        running = self._started()
        with tempfile.TemporaryDirectory(dir=self._folder.path) as name:
            folder = Path(name)
            self._send(folder, task)
            with contextlib.suppress(BrokenPipeError):  # the child died since its last task: _receive reports how
                running.requests.write(json.dumps(name) + "\n")
                running.requests.flush()
            error = self._receive(running, self.limits.seconds, "died")
            if error:
                raise EngineError(f"{self.engine} engine: {' '.join(error.split())}")
            return wire.read(folder, "reply")

    def _send(self, folder: Path, task: wire.Message) -> None:
        """Write a task; raises EngineError where the disk is full."""
        try:
            wire.write(folder, "task", task)
            os.truncate(self._stderr, 0)
        except OSError as error:
            raise EngineError(f"{self.engine} engine: {folder} cannot be written: {error.strerror}") from error

    def _spawn(self) -> _Running:
        command = [sys.executable, "-P", "-m", "qconvert.engines.worker", self._handler, str(self.limits.memory_bytes)]
        self._stderr.write_bytes(b"")
        with self._stderr.open("ab") as stderr:  # appending, so that it can be cut between tasks
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                env=_environment(self._folder.path),
                start_new_session=True,
            )
        guard.protect(process.pid)
        assert process.stdin is not None
        assert process.stdout is not None
        answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=_pump, args=(process.stdout, answers), daemon=True).start()
        return _Running(process, process.stdin, answers)

    def _receive(self, running: _Running, seconds: float, failure: str) -> str:
        """Return the error in the child's next line, '' for none; raises EngineError if no line comes."""
        try:
            line = running.answers.get(timeout=seconds)
        except queue.Empty:
            self._stop()
            raise EngineError(f"{self.engine} engine: no answer within {seconds:g} s, stopped") from None
        if not line:
            raise EngineError(f"{self.engine} engine {failure}: {self._last_words(self._stop(_EXIT_SECONDS))}")
        return str(json.loads(line).get("error", ""))

    def _stop(self, patience: float = 0.0) -> int:
        """Wait ``patience`` seconds for the process, then end it with its children; return its status as Popen does."""
        running, self._running = self._running, None
        if running is None:
            return 0
        with contextlib.suppress(BrokenPipeError):
            running.requests.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.process.wait(patience)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                running.process.kill()
            else:
                os.killpg(running.process.pid, signal.SIGKILL)
        status = running.process.wait()
        guard.release(running.process.pid)
        return status

    def _last_words(self, status: int) -> str:
        """Return the signal's name or the exit status, and the last useful lines of standard error, in one line."""
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        with self._stderr.open("rb") as stream:
            stream.seek(max(0, self._stderr.stat().st_size - _STDERR_BYTES))
            text = stream.read().decode(errors="replace")
        lines = [line.strip()[:_LINE_CHARACTERS] for line in text.splitlines() if not _is_noise(line)]
        return "; ".join([how, *lines[-_STDERR_LINES:]])


def run_tasks(
    engine: EngineName, tasks: Iterable[wire.Message], limits: Limits = DEFAULT_LIMITS, *, handler: str | None = None
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


def run_task(engine: EngineName, task: wire.Message, limits: Limits = DEFAULT_LIMITS) -> wire.Message:
    """Serve one task in a child of its own; raises EngineError as :meth:`Child.run` does."""
    require(engine)
    with Child(engine, limits) as child:
        return child.run(task)
