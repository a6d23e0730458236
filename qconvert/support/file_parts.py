"""The bytes of a file in parts, some of which are made when they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TypeAlias

from qconvert.support.ahead import ahead

Part: TypeAlias = bytes | bytearray | Callable[[], Iterable[memoryview]]


@dataclass(frozen=True)
class FileParts:
    """A file's bytes in order: each part as it is, or in pieces that a function makes whenever the file is written."""

    parts: Sequence[Part]

    def write(self, stream: IO[bytes]) -> None:
        """Write all parts; only two pieces that are made are in memory at a time."""
        for piece in ahead(self._pieces()):
            stream.write(piece)

    def joined(self) -> bytes:
        """Return all parts as one."""
        return b"".join(self._pieces())

    def _pieces(self) -> Iterator[bytes | bytearray | memoryview]:
        for part in self.parts:
            if callable(part):
                yield from part()
            else:
                yield part


@dataclass(frozen=True)
class FilePair(FileParts):
    """A file's bytes with all constants, and the same file in two: ``data`` has the large constants.

    ``naming`` returns the other file's bytes, which give the name of the data. ``is_apart`` is True if the constants
    are to be in a file of their own.
    """

    data: FileParts
    naming: Callable[[str], bytes]
    is_apart: bool
