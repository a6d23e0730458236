"""Write a file's bytes as hexadecimal text, plainly: what converting a large model cannot do without.

``python -m benchmarks.hexadecimal IN OUT`` does so as a process of its own.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_CHUNK_BYTES = 1 << 20


def write_hex(source: Path, target: Path) -> None:
    """Read, encode and write in pieces, and wait until they are on the disk, as a conversion does."""
    with source.open("rb") as given, target.open("w") as stream:
        while chunk := given.read(_CHUNK_BYTES):
            stream.write(chunk.hex())
        stream.flush()
        os.fsync(stream.fileno())


if __name__ == "__main__":
    write_hex(Path(sys.argv[1]), Path(sys.argv[2]))
