"""A confined process of an engine, in its own session; it ends with this process, and its messages are limited."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from qconvert.engines import guard
from qconvert.engines.limits import Limits, advice, default_limits
from qconvert.engines.wire import FENCE

_CHUNK_BYTES = 1 << 16
_TAIL_BYTES = 1 << 16
_TAIL_SECONDS = 5.0
_REPORT_SECONDS = 10.0
_LINES = 5
_LINE_CHARACTERS = 300
_CONFINE = Path(__file__).with_name("confine.py")


class Process:
    """A program under limits. Its output is read continuously, and only the end of it is kept."""

    def __init__(
        self, command: Sequence[str], limits: Limits, folder: Path, *, stdin: IO[bytes] | int, stdout: int
    ) -> None:
        """Start a program (its path first) or a Python module (``-m`` first) that writes in ``folder`` only."""
        self._limits = limits
        self._popen = subprocess.Popen(
            [*_confined(limits, folder, is_module=command[0] == "-m"), *command],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=_environment(folder),
            start_new_session=True,
        )
        guard.protect(self._popen.pid)
        self._tail = b""
        self._count = 0
        self._readers = [_started(self._read_messages)]

    @property
    def stdin(self) -> IO[bytes]:
        """Return the pipe to the process."""
        assert self._popen.stdin is not None
        return self._popen.stdin

    def line(self, longest: int, seconds: float) -> bytes | None:
        """Return the next line of standard output or its first bytes; b'' at the end, None if no line comes in time."""
        stream = self._popen.stdout
        assert stream is not None
        lines: list[bytes] = []
        reader = _started(lambda: lines.append(stream.readline(longest)))
        self._readers[1:] = [reader]
        reader.join(seconds)
        return lines[0] if lines else None

    def begin_task(self) -> None:
        """Start to count the messages of a new task."""
        self._count = 0

    def wait(self, seconds: float) -> bool:
        """Wait for the process; return whether it has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(seconds)
        return self._popen.returncode is not None

    def kill(self) -> None:
        """Kill the process and its children."""
        self._kill_group()
        self._popen.wait()
        guard.release(self._popen.pid)
        for reader in self._readers:
            reader.join(_TAIL_SECONDS)
        if self._popen.stdout is not None and not any(reader.is_alive() for reader in self._readers):
            self._popen.stdout.close()

    def ending(self) -> str:
        """Return how the process ended: the limit that it reached, a signal or the exit status; '' for success."""
        limits, status = self._limits, self._popen.returncode
        if self._count > limits.message_bytes:
            return f"it printed more than {limits.message_bytes:,} bytes, {advice('message_bytes')}"
        if status >= 0:
            return f"exit status {status}" if status else ""
        name = signal.Signals(-status).name
        if name == "SIGXCPU":
            return f"it took more than {limits.processor_seconds:g} s of processor time, {advice('cpu_seconds')}"
        if name == "SIGXFSZ":
            return f"it wrote a file of more than {limits.file_bytes:,} bytes, {advice('file_bytes')}"
        return name

    def messages(self) -> str:
        """Return the end of the output of the last task."""
        return self._tail.decode(errors="replace").rpartition(FENCE)[2]

    def last_words(self) -> str:
        """Return how the process ended and its last useful messages, in one line."""
        lines = [line.strip()[:_LINE_CHARACTERS] for line in self.messages().splitlines() if not _is_noise(line)]
        return "; ".join([self.ending(), *lines[-_LINES:]])

    def _read_messages(self) -> None:
        stream = self._popen.stderr
        assert stream is not None
        with stream:
            while chunk := os.read(stream.fileno(), _CHUNK_BYTES):
                self._tail = (self._tail + chunk)[-_TAIL_BYTES:]
                self._count += len(chunk)
                if self._count > self._limits.message_bytes:
                    self._kill_group()
                    return

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._popen.kill()
            else:
                os.killpg(self._popen.pid, signal.SIGKILL)


def missing_restrictions() -> list[str]:
    """Return one clause for each restriction that this system cannot put on engines, with the reason."""
    with guard.Folder() as folder:
        null = subprocess.DEVNULL
        process = Process(["--report"], default_limits(), folder, stdin=null, stdout=null)
        process.wait(_REPORT_SECONDS)
        process.kill()
    return process.messages().splitlines()


def _started(function: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    return thread


def _confined(limits: Limits, folder: Path, *, is_module: bool) -> list[str]:
    """Return the start of the command, which confines the process. Python does not write a compiled file of it."""
    confine = ["-P", "-m", "qconvert.engines.confine"] if is_module else ["-I", "-S", str(_CONFINE)]
    bounds = (limits.memory_bytes, math.ceil(limits.processor_seconds), limits.file_bytes, limits.open_files)
    return [sys.executable, *confine, *map(str, bounds), str(folder)]


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which the process imports from the same places as this one.

    Its temporary files, and those of the programs that it starts, are removed with ``folder``. Numpy starts no threads
    in this environment, because Landlock does not restrict threads that exist already.
    """
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    return {**os.environ, "PYTHONPATH": path, "TMPDIR": str(folder), "OPENBLAS_NUM_THREADS": "1"}


def _is_noise(line: str) -> bool:
    """Return True for lines of stack frames, native or Python's (indented), which do not help the user."""
    return not line.strip() or line.startswith((" ", "\t", "#", "***", "Stack dump", "PLEASE ", "Traceback"))
