"""Processes and folders that are removed when this process ends, by SIGKILL as well.

A signal handler does not run in a process that gets SIGKILL. An engine cannot watch its parent, because native code may
hold Python's lock for minutes. Linux's PR_SET_PDEATHSIG ends a child when the *thread* that started it ends, and leaves
folders. Therefore a small process, :mod:`qconvert.engines.watcher`, reads a pipe that the system closes when this
process ends. A folder that is left even then (after a power cut) is removed when the next engine starts
(:mod:`qconvert.support.leftovers`).
"""

from __future__ import annotations

import atexit
import contextlib
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

from qconvert.engines import watcher
from qconvert.support import leftovers


class _Watcher:
    """The watcher of this process, which is started with the first process or folder to watch."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def tell(self, action: str, kind: str, value: int | str) -> None:
        """Send the watcher a line, if the platform has process groups."""
        if sys.platform == "win32":
            return
        with self._lock, contextlib.suppress(BrokenPipeError):  # somebody has killed it: folders are swept later
            stream = self._stream()
            stream.write(json.dumps([action, kind, value]) + "\n")
            stream.flush()

    def _stream(self) -> IO[str]:
        if self._process is None:
            null = subprocess.DEVNULL
            command = [sys.executable, "-I", "-S", watcher.__file__]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=null, stderr=null, text=True, start_new_session=True, cwd="/"
            )
            leftovers.sweep_folders()
            atexit.register(self._end)
        assert self._process.stdin is not None
        return self._process.stdin

    def _end(self) -> None:
        assert self._process is not None
        with contextlib.suppress(BrokenPipeError):
            self._stream().close()
        self._process.wait()


_WATCHER = _Watcher()


def protect(group: int) -> None:
    """Let the watcher end a process group when this process ends."""
    _WATCHER.tell("add", "group", group)


def release(group: int) -> None:
    """Tell the watcher that a process group has ended."""
    _WATCHER.tell("drop", "group", group)


class Folder(leftovers.Folder):
    """A temporary folder that is removed by :meth:`cleanup`, or when this process ends. Use as a context manager."""

    def __init__(self) -> None:
        super().__init__()
        _WATCHER.tell("add", "folder", str(self.path))

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.cleanup()

    def cleanup(self) -> None:
        """Remove the folder and its content."""
        super().cleanup()
        _WATCHER.tell("drop", "folder", str(self.path))
