"""Writing of files: a file is written as a whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import IO

from qconvert.support.errors import ClosedOutputError, UsageError
from qconvert.support.leftovers import make_part


def write_whole(target: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` fill a file beside ``target``, then rename it to ``target``; a failure leaves no file.

    The new file has the permissions of the old one. Behind a symbolic link the link's target is replaced. A device, a
    pipe or a socket is written through: replacing it would destroy it. Raises UsageError if the file cannot be written,
    ClosedOutputError if the pipe has no reader.
    """
    try:
        if _is_special(target):
            with target.open("wb") as stream:
                write(stream)
        else:
            _replace(Path(os.path.realpath(target)), write)
    except BrokenPipeError as error:
        raise ClosedOutputError(f"{target}: cannot be written: {error.strerror}") from error
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror}") from error


def _is_special(target: Path) -> bool:
    """Return True if a path cannot be replaced by a new file: a device, a pipe or a socket.

    ``/dev/fd/N`` of a deleted file is such a path, too, because the file has no name any more.
    """
    try:
        status = target.stat()
    except FileNotFoundError:
        return False
    real = Path(os.path.realpath(target))
    return not stat.S_ISREG(status.st_mode) or not real.exists() or not real.samefile(target)


def _replace(target: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` fill a file beside ``target``, then rename it; raises OSError."""
    stream, part = make_part(target)
    with stream:
        try:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
            os.fchmod(stream.fileno(), _mode(target))
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


def write_text(target: Path, text: str) -> None:
    """Write a text file whole or not at all; raises UsageError if it cannot be written."""
    write_whole(target, lambda stream: stream.write(text.encode()))


def _mode(target: Path) -> int:
    """Return the permissions of the replaced file, or of a new file; those of a temporary file are private."""
    try:
        return target.stat().st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0o077)  # the mask can only be read by setting it: for a moment other threads' files are private
        os.umask(mask)
        return 0o666 & ~mask
