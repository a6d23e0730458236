"""The bytes of a file in parts, some of which are made when they are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, TypeAlias

Part: TypeAlias = bytes | Callable[[], memoryview]


@dataclass(frozen=True)
class FileParts:
    """A file's bytes in order: each part as it is, or as what a function returns whenever the file is written."""

    parts: Sequence[Part]

    def write(self, stream: IO[bytes]) -> None:
        """Write all parts; only one that is made is in memory at a time."""
        for part in self.parts:
            stream.write(part() if callable(part) else part)

    def joined(self) -> bytes:
        """Return all parts as one."""
        return b"".join(part() if callable(part) else part for part in self.parts)
