"""Processes and folders that end with this process, however it ends.

A handler of signals cannot do that: nothing runs in a process that gets SIGKILL. Neither can an engine that looks after
its parent, as native code may hold Python's lock for minutes, nor Linux's PR_SET_PDEATHSIG, which ends a child with the
*thread* that started it and leaves folders. So a small process, :mod:`qconvert.engines.watcher`, waits at the end of a
pipe that the system closes when this process ends. A folder that outlives the watcher, too (a power cut), is removed
when an engine is started next: nobody holds the lock in it.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from qconvert.engines import watcher

if sys.platform != "win32":
    import fcntl

_PREFIX = "qconvert-engine-"
_LOCK = "owner"
_YOUNG_SECONDS = 60.0
"""The age below which a folder is not removed: its lock may not be taken yet."""


class _Watcher:
    """The watcher of this process, which is started when there is something to watch."""

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
            _sweep()
            atexit.register(self._end)
        assert self._process.stdin is not None
        return self._process.stdin

    def _end(self) -> None:
        assert self._process is not None
        with contextlib.suppress(BrokenPipeError):
            self._stream().close()
        self._process.wait()


_WATCHER = _Watcher()


@contextmanager
def guarded(group: int) -> Iterator[None]:
    """End a process group with this process, until the context is left."""
    protect(group)
    try:
        yield
    finally:
        release(group)


def protect(group: int) -> None:
    """End a process group with this process."""
    _WATCHER.tell("add", "group", group)


def release(group: int) -> None:
    """Forget a process group that has ended."""
    _WATCHER.tell("drop", "group", group)


class Folder:
    """A temporary folder that is removed when it is cleaned up, or with this process. Use as a context manager."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix=_PREFIX)
        self.path = Path(self._folder.name)
        self._owner = (self.path / _LOCK).open("wb")
        if sys.platform != "win32":
            fcntl.flock(self._owner, fcntl.LOCK_EX)
        _WATCHER.tell("add", "folder", str(self.path))

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.cleanup()

    def cleanup(self) -> None:
        """Remove the folder and all that is in it."""
        self._owner.close()
        self._folder.cleanup()
        _WATCHER.tell("drop", "folder", str(self.path))


def _sweep() -> None:
    """Remove the folders of processes that ended together with their watchers."""
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # another process removes it, or it is another user's
            if _is_ours(folder) and _is_abandoned(folder / _LOCK):
                shutil.rmtree(folder, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()


def _is_abandoned(lock: Path) -> bool:
    """Return whether nobody holds a folder's lock, which ends with the process that took it."""
    if time.time() - lock.stat().st_mtime < _YOUNG_SECONDS:
        return False
    with lock.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
