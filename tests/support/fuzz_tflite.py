"""Seeded mutations of .tflite files through import, StableHLO and TOSA; run as ``fuzzing.serve`` says."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

from qconvert import api
from qconvert.formats import Format
from qconvert.support.errors import QConvertError
from tests.support.fuzzing import Mutation, flip, flip_early, refused, remove, serve, splice, truncate

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
    try:
        api.convert(api.load(data), Format.TOSA if case % 2 else Format.STABLEHLO)
    except QConvertError as error:
        return refused(error)
    return "converted"


if __name__ == "__main__":
    serve(mutated, run)
