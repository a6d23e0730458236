"""Standard output that cannot be written: a full disk is an error like others, a closed pipe the end."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from qconvert.cli.messages import drop_messages
from qconvert.support.errors import ClosedOutputError, UsageError

_BUFFER_BYTES = 1 << 16


class _Checked(io.RawIOBase):
    """The bytes of standard output; a failure to write them is an error of qconvert's, once.

    Typer and rich know the errors of the system only: for a closed pipe they end the process with status 1, which
    here means that a comparison failed.
    """

    def __init__(self, stream: IO[bytes] | None) -> None:
        self._stream = stream
        self._has_failed = False

    def writable(self) -> bool:
        """Return True: text is written here."""
        return True

    def isatty(self) -> bool:
        """Return whether the output is a terminal."""
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        """Return the number of the open file below."""
        if self._stream is None:
            raise io.UnsupportedOperation("standard output is closed")
        return self._stream.fileno()

    def write(self, data: Any, /) -> int:
        """Write everything; after a failure drop it, because buffers try again when the process ends."""
        if not self._has_failed:
            try:
                self._write(data)
            except (ClosedOutputError, UsageError):
                self._has_failed = True
                raise
        return memoryview(data).nbytes

    def _write(self, data: Any) -> None:
        if self._stream is None:
            raise UsageError("standard output: cannot be written: it is closed")
        try:
            self._stream.write(data)
            self._stream.flush()
        except BrokenPipeError as error:
            raise ClosedOutputError(f"standard output: cannot be written: {error.strerror}") from error
        except OSError as error:
            raise UsageError(f"standard output: cannot be written: {error.strerror}") from error


def _occupy_standard_streams() -> None:
    """Open the null device in place of closed standard streams.

    Else the next file that is opened gets the number, and what native code prints for standard error is written there.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the smallest free number, which is this one
    if sys.stderr is None:
        drop_messages()


@contextmanager
def checked_output() -> Iterator[None]:
    """Replace standard output by one that raises UsageError or ClosedOutputError where it cannot be written.

    Leaving the context writes what is left, also where a command ends by an exception.
    """
    _occupy_standard_streams()
    original = sys.stdout
    raw = _Checked(original.buffer if original else None)
    encoding = original.encoding if original else "utf-8"
    buffer = io.BufferedWriter(raw, _BUFFER_BYTES)
    stream = io.TextIOWrapper(buffer, encoding, "backslashreplace", newline="", line_buffering=raw.isatty())
    sys.stdout = stream
    try:
        yield
    finally:
        sys.stdout = original
        stream.flush()
