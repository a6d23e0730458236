"""Seeded mutations of .tflite files converted to every format and read back; run as ``fuzzing.serve`` says."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

from qconvert import api
from qconvert.support.errors import QConvertError
from tests.support.fuzzing import Mutation, flip, flip_early, refused, remove, serve, splice, truncate
from tests.support.read_back import convert_and_read_back

_OFFSETS = (0, 1, 4, 2**16, 2**31 - 1, 2**31, 2**32 - 1)


def offset(rng: random.Random, data: bytes, _: bytes) -> bytes:
    """Another number in place of one of the offsets and sizes, of which tables are made."""
    changed = bytearray(data)
    at = rng.randrange(0, len(changed) - 3, 4)
    changed[at : at + 4] = struct.pack("<I", rng.choice((*_OFFSETS, rng.randrange(len(data)))))
    return bytes(changed)


def late(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """The end, where the tables of operators and tensors stand."""
    cut = max(0, len(data) - 6000)
    return data[:cut] + rng.choice((flip, offset))(rng, data[cut:], other)


MUTATIONS: tuple[Mutation, ...] = (flip, flip_early, late, late, offset, truncate, splice, remove)


def mutated(case: int, files: Sequence[bytes]) -> bytes:
    rng = random.Random(case)
    return rng.choice(MUTATIONS)(rng, rng.choice(files), rng.choice(files))


def run(data: bytes, case: int) -> str:
    """Convert in the way that follows from the case and read the file back: what became of it."""
    try:
        convert_and_read_back(api.load(data), case)
    except QConvertError as error:
        return refused(error)
    return "converted"


if __name__ == "__main__":
    serve(mutated, run)
