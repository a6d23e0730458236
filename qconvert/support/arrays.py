"""Bounded reading of untrusted .npz archives and .npy arrays, never of pickles.

A zip archive of a few kilobytes may declare arrays of any size. Memory is allocated only after the sizes in the array's
header and in the archive are equal and within the limits. Only the requested arrays are read.
"""

from __future__ import annotations

import ast
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qconvert.support.content import SeenFile
from qconvert.support.errors import UsageError
from qconvert.support.limits import budget

Array: TypeAlias = NDArray[Any]

EXPANDED_BYTES = 1 << 26
EXPANSION = 100
"""An archive's arrays may have ``EXPANDED_BYTES`` bytes, or ``EXPANSION`` times the file's size if that is larger."""

MEMBER_LIMIT = 10_000
"""Largest number of files in an archive."""

_PIECE_BYTES = 1 << 20
_DIRECTORY_BYTES = 1 << 22
_HEADER_BYTES = 10_000
_MAGIC = b"\x93NUMPY"
_LENGTHS = {1: "<H", 2: "<I", 3: "<I"}
_DTYPE = re.compile(r"[<>|=]?[?biufcSUV][0-9]{0,6}")
_ERRORS = (ValueError, KeyError, EOFError, RuntimeError, MemoryError, OverflowError, struct.error, zlib.error)
"""The errors of zipfile, besides BadZipFile, for truncated, corrupt, encrypted and other files."""


class _Header(NamedTuple):
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool

    @property
    def data_bytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize


class Archive(Mapping[str, Array]):
    """The arrays of an .npz file by name. Each is read when it is first asked for."""

    def __init__(self, path: Path) -> None:
        """List the arrays; raises UsageError if the file cannot be read as an archive."""
        self.path = path
        self._file = SeenFile.at(path)
        self._arrays: dict[str, Array] = {}
        with self._opened() as archive:
            members = archive.infolist()
            self._expanded, self._most = 0, max(EXPANDED_BYTES, EXPANSION * path.stat().st_size)
        if len(members) > MEMBER_LIMIT:
            raise UsageError(f"{path}: the archive has {len(members):,} files, the limit is {MEMBER_LIMIT:,}")
        self._members: dict[str, zipfile.ZipInfo] = {}
        for member in members:
            name = member.filename.removesuffix(".npy")
            if name in self._members:
                raise UsageError(f"{path}: the archive has two arrays '{name}'")
            if name != member.filename:
                self._members[name] = member

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __len__(self) -> int:
        return len(self._members)

    def __getitem__(self, name: str) -> Array:
        if name not in self._arrays:
            member = self._allowed(name)
            with self._opened() as archive, archive.open(member) as stream:
                header = self._header(name, stream)
                self._expanded += header.data_bytes
                if self._expanded > self._most:
                    found = f"the arrays have {self._expanded:,} bytes, the limit for this file is {self._most:,}"
                    raise UsageError(f"{self.path}: {found}. Write it without compression (np.savez)")
                self._arrays[name] = _data(header, stream)
        return self._arrays[name]

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the arrays' shapes by name; no array is read."""
        with self._opened() as archive:
            found = {}
            for name in self:
                with archive.open(self._allowed(name)) as stream:
                    found[name] = self._header(name, stream).shape
            return found

    def _allowed(self, name: str) -> zipfile.ZipInfo:
        """Return an array's place in the archive; raises KeyError, or UsageError for other compressions."""
        member = self._members[name]
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UsageError(f"{self.path}: array '{name}' is compressed in a way that np.savez does not use")
        return member

    def _header(self, name: str, stream: IO[bytes]) -> _Header:
        found = _header(stream)
        declared = self._members[name].file_size - stream.tell()
        if found.data_bytes != declared:
            sizes = f"needs {found.data_bytes:,} bytes, the archive declares {declared:,}"
            raise UsageError(f"{self.path}: array '{name}' of shape {list(found.shape)} {sizes}")
        return found

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        kind = "an .npz file of plain arrays"
        with self._file.unchanged(), _plain(self.path, kind), _Cautious(io.FileIO(self.path)) as stream:
            if stream.peek(len(_MAGIC)).startswith(_MAGIC):
                raise UsageError(f"{self.path}: this is a single .npy array; write arrays by name with np.savez")
            with zipfile.ZipFile(stream) as archive:
                yield archive


class _Cautious(io.BufferedReader):
    """A file that limits the bytes of one read, because zipfile reads an archive's directory of any length at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return bytes; raises ValueError for more than ``_DIRECTORY_BYTES`` bytes."""
        most = _DIRECTORY_BYTES + 1
        data = super().read(most if size is None or size < 0 else min(size, most))
        if len(data) == most:
            raise ValueError("the archive's directory is too long")
        return data


def read_arrays(path: Path) -> Archive:
    """Return the arrays of an .npz file by name; raises UsageError if it cannot be read as one."""
    return Archive(path)


def read_array(path: Path) -> Array:
    """Return the array of an .npy file; raises UsageError if it cannot be read as one."""
    kind = "an .npy file of a plain array"
    with SeenFile.at(path).unchanged(), _plain(path, kind), path.open("rb") as stream:
        header, size = _header(stream), path.stat().st_size
        if header.data_bytes != size - stream.tell():
            raise ValueError("the file is truncated, or longer than the array")
        return _data(header, stream)


@contextmanager
def _plain(path: Path, kind: str) -> Iterator[None]:
    """Raise errors of reading a file as UsageError with the file's name."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (*_ERRORS, zipfile.BadZipFile) as error:
        raise UsageError(f"{path}: this is not {kind}") from error


def _header(stream: IO[bytes]) -> _Header:
    """Read the header of an array; raises ValueError or EOFError if there is no valid header of a plain array."""
    start = _exactly(stream, len(_MAGIC) + 2)
    length_format = _LENGTHS.get(start[-2])
    if not start.startswith(_MAGIC) or length_format is None:
        raise ValueError("no header of an array")
    [length] = struct.unpack(length_format, _exactly(stream, struct.calcsize(length_format)))
    if length > _HEADER_BYTES:
        raise ValueError(f"a header of {length} bytes")
    try:
        match ast.literal_eval(_exactly(stream, length).decode("ascii").strip()):
            case {"descr": str(kind), "fortran_order": bool(is_fortran), "shape": tuple(sizes), **rest} if not rest:
                return _Header(_dtype(kind), _shape(sizes), is_fortran)
    except (SyntaxError, TypeError, RecursionError) as error:  # text that is no literal of Python
        raise ValueError("the header is not valid") from error
    raise ValueError("the header has other keys")


def _dtype(kind: str) -> np.dtype[Any]:
    """Return a dtype without fields and without objects, which are pickles; raises ValueError or TypeError."""
    if not _DTYPE.fullmatch(kind):
        raise ValueError(f"'{kind}' is not a plain type")
    dtype = np.dtype(kind)
    if not dtype.itemsize:
        raise ValueError(f"'{kind}' has elements of 0 bytes")
    return dtype


def _shape(sizes: tuple[object, ...]) -> tuple[int, ...]:
    found = tuple(size for size in sizes if isinstance(size, int) and not isinstance(size, bool) and size >= 0)
    if len(found) != len(sizes) or len(found) > budget().rank:
        raise ValueError("the shape is not valid")
    return found


def _data(header: _Header, stream: IO[bytes]) -> Array:
    """Read an array's elements in pieces, because zipfile loads a requested piece as a whole."""
    data = np.empty(header.data_bytes, np.uint8)
    view = data.data
    for start in range(0, len(view), _PIECE_BYTES):
        end = min(start + _PIECE_BYTES, len(view))
        view[start:end] = _exactly(stream, end - start)
    elements = data.view(header.dtype)
    return elements.reshape(header.shape[::-1]).transpose() if header.is_fortran else elements.reshape(header.shape)


def _exactly(stream: IO[bytes], count: int) -> bytes:
    """Return the next bytes; raises EOFError if there are fewer."""
    data = stream.read(count)
    if len(data) != count:
        raise EOFError("the file ends early")
    return data
