"""Temporary files and folders, and the removal of those that a killed process left behind.

The process that makes one holds a lock on it, which the system releases when the process ends. A file without a lock is
therefore left over. Another process may remove a file before it is locked; then its maker makes another.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import IO

from qconvert.support.errors import UsageError

if sys.platform != "win32":
    import fcntl

_FOLDER = "qconvert-engine-"
_FOLDERS = re.compile(rf"{_FOLDER}[a-z0-9_]{{8}}")
_PARTS = re.compile(r"\..*\.[0-9]+\.[a-z0-9_]{8}\.part")
NAME_CHARACTERS = 50
"""The number of characters of a file's name that its part has."""


def make_part(target: Path) -> tuple[IO[bytes], Path]:
    """Return a file beside ``target`` for its new content, which is named after this process; raises OSError."""
    sweep(target.parent, _PARTS)
    while True:
        descriptor, name = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name[:NAME_CHARACTERS]}.{os.getpid()}.", suffix=".part"
        )
        if _is_held(descriptor, Path(name)):
            return os.fdopen(descriptor, "wb"), Path(name)
        os.close(descriptor)


class Folder:
    """A temporary folder that is removed by :meth:`cleanup`, or when this process ends without a signal."""

    def __init__(self) -> None:
        """Make the folder; raises UsageError if it cannot be made."""
        self._descriptor: int | None = None
        while True:
            try:
                self._folder = tempfile.TemporaryDirectory(prefix=_FOLDER)
            except OSError as error:
                found = f"a temporary folder cannot be made: {error.strerror}"
                raise UsageError(f"{found}. The environment variable TMPDIR chooses another place") from error
            self.path = Path(self._folder.name)
            if sys.platform == "win32":
                return
            with contextlib.suppress(FileNotFoundError):  # another process has removed it
                self._descriptor = os.open(self.path, os.O_RDONLY)
                if _is_held(self._descriptor, self.path):
                    return
            self.cleanup()

    def cleanup(self) -> None:
        """Remove the folder and its content."""
        self._folder.cleanup()
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def sweep_folders() -> None:
    """Remove the folders of processes that have ended."""
    sweep(Path(tempfile.gettempdir()), _FOLDERS)


def sweep(folder: Path, names: re.Pattern[str]) -> None:
    """Remove the files and folders of a folder whose names match and that no process has locked."""
    if sys.platform == "win32":
        return
    try:
        with os.scandir(folder) as entries:
            found = [Path(entry.path) for entry in entries if names.fullmatch(entry.name)]
    except OSError:  # files can be written in folders that cannot be listed
        return
    for path in found:
        with contextlib.suppress(OSError):  # it is held, another process removes it, or it is another user's
            _remove(path)


def _remove(path: Path) -> None:
    """Remove a file or a folder that no process has locked; raises OSError."""
    status = path.lstat()
    is_folder = stat.S_ISDIR(status.st_mode)
    if status.st_uid != os.geteuid() or not (is_folder or stat.S_ISREG(status.st_mode)):
        return
    descriptor = os.open(path, (os.O_RDONLY if is_folder else os.O_RDWR) | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_there(descriptor, path):
            shutil.rmtree(path) if is_folder else path.unlink()
    finally:
        os.close(descriptor)


def _is_held(descriptor: int, path: Path) -> bool:
    """Lock the file; return False if another process has removed the path before."""
    if sys.platform == "win32":
        return True
    with contextlib.suppress(OSError):  # a file system without locks: then nobody can remove it either
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    return _is_there(descriptor, path)


def _is_there(descriptor: int, path: Path) -> bool:
    """Return True if the path still names the opened file."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
