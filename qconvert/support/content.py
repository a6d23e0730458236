"""The bytes of a model, read in windows; a file that changes while it is read is an error.

Files are copied with plain reads. A memory map would end the process with a signal if another program shortened the
file, and would mix old and new bytes if another program overwrote it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

import numpy as np

from qconvert.support.errors import ConversionError, UsageError
from qconvert.support.limits import budget

_PIECE_BYTES = 1 << 20
_HELD_BYTES = 1 << 26
"""The size below which a file is read once, as a whole."""


class _State(NamedTuple):
    """Properties of a file; a change of its content changes at least one of them."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int

    @classmethod
    def of(cls, status: os.stat_result) -> Self:
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file in the state in which it was first seen."""

    path: Path
    state: _State

    @classmethod
    def at(cls, path: Path) -> Self:
        """Return the file at a path, with its present state; raises UsageError if there is no such file."""
        try:
            return cls(path, _State.of(path.stat()))
        except OSError as error:
            raise _unreadable(path, error) from error

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Raise ConversionError, in place of any other error, if the file changes inside the context."""
        try:
            yield
        finally:
            self.check()

    def read(self, offset: int, count: int, times: int = 1, step: int = 0) -> memoryview:
        """Return ``count`` bytes of the file, or ``times`` such pieces whose starts are ``step`` bytes apart.

        Raises ConversionError unless the file's state is the same before and after.
        """
        buffer = np.empty(count * times, np.uint8).data
        try:
            with self.path.open("rb", buffering=0) as stream:
                self._compare(os.fstat(stream.fileno()))
                for piece in range(times):
                    stream.seek(offset + piece * step)
                    self._fill(stream, buffer[piece * count : (piece + 1) * count])
                self._compare(os.fstat(stream.fileno()))
        except FileNotFoundError as error:
            raise self._changed() from error
        except OSError as error:
            raise _unreadable(self.path, error) from error
        return buffer

    def _fill(self, stream: FileIO, buffer: memoryview) -> None:
        """Fill a buffer with the next bytes; raises ConversionError at the end of the file."""
        done = 0
        while done < len(buffer):
            read = stream.readinto(buffer[done:])
            if not read:
                raise self._changed()
            done += read

    def check(self) -> None:
        """Raise ConversionError unless the path leads to the file in the same state."""
        try:
            self._compare(self.path.stat())
        except OSError as error:
            raise self._changed() from error

    def _compare(self, status: os.stat_result) -> None:
        if _State.of(status) != self.state:
            raise self._changed()

    def _changed(self) -> ConversionError:
        hint = "Run again when no other program writes the file"
        return ConversionError("the file changed while it was read", file=str(self.path), hint=hint)


def _unreadable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path}: cannot be read: {error.strerror}")


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes of a file, in memory or not, or bytes without a file: ``size`` of them, from ``offset`` on."""

    offset: int
    size: int
    data: memoryview | None
    file: SeenFile | None

    @classmethod
    def of(cls, data: bytes | memoryview) -> Content:
        """Return content that is held in memory."""
        return cls(0, len(data), memoryview(data), None)

    @classmethod
    def piped(cls, stream: BinaryIO, file: str) -> Content:
        """Return the content of a stream up to its end.

        Raises ConversionError naming the file where the budget does not allow so much.
        """
        data = bytearray()
        while piece := stream.read(_PIECE_BYTES):
            data += piece
            budget().check("piped_bytes", len(data), f"{len(data):,} bytes came through a pipe", file=file)
        return cls.of(memoryview(data).toreadonly())

    @classmethod
    def at(cls, path: Path) -> Content:
        """Return the content of a file, which is read when needed, or of a pipe, which is read now.

        Raises UsageError if the path is neither.
        """
        try:
            status = path.stat()
            if stat.S_ISFIFO(status.st_mode):
                with path.open("rb") as pipe:
                    return cls.piped(pipe, str(path))
        except OSError as error:
            raise _unreadable(path, error) from error
        if not stat.S_ISREG(status.st_mode):
            found = "Is a directory" if stat.S_ISDIR(status.st_mode) else "it is neither a file nor a pipe"
            raise UsageError(f"{path}: cannot be read: {found}")
        return cls(0, status.st_size, None, SeenFile(path, _State.of(status)))

    @property
    def path(self) -> Path | None:
        """The path of the file, if there is one."""
        return self.file.path if self.file is not None else None

    def held(self) -> Content:
        """Return the same bytes, in memory if they are few."""
        return self if self.size >= _HELD_BYTES else Content(self.offset, self.size, self.read(), self.file)

    def part(self, start: int, end: int) -> Content:
        """Return the bytes from ``start`` to ``end``, both relative to the start of this content."""
        data = None if self.data is None else self.data[start:end]
        return Content(self.offset + start, end - start, data, self.file)

    def read(self, start: int = 0, end: int | None = None) -> memoryview:
        """Return bytes, copied unless they are in memory; the end of these bytes is the end of all.

        Raises ConversionError naming the file where it has changed, UsageError where it cannot be read.
        """
        end = self.size if end is None else min(end, self.size)
        if self.data is not None:
            return self.data[start:end]
        assert self.file is not None
        return self.file.read(self.offset + start, max(0, end - start))

    def pieces(self, start: int, count: int, times: int, step: int) -> memoryview:
        """Return ``times`` pieces of ``count`` bytes, one every ``step`` bytes; raises errors as :meth:`read` does."""
        assert self.file is not None
        return self.file.read(self.offset + start, count, times, step)

    @property
    def is_late(self) -> bool:
        """True if the bytes are not in memory because they are part of a large file."""
        return self.data is None and self.file is not None and self.file.state.size >= _HELD_BYTES

    def unchanged(self) -> AbstractContextManager[None]:
        """Return a context that raises ConversionError naming the file if it has changed when the context is left."""
        return nullcontext() if self.file is None else self.file.unchanged()

    def check(self) -> None:
        """Raise ConversionError naming the file if it has changed."""
        if self.file is not None:
            self.file.check()
