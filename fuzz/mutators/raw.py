"""Mutations of bytes, for files of any kind."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

Mutation = Callable[[random.Random, bytes, bytes], bytes]
"""A function that changes a file; it may insert parts of a second file."""

INTEGERS = (0, 1, 2, -1, -2, 3, 7, 64, 255, 2**16, 2**31 - 1, 2**31, 2**40, -(2**40), 2**63 - 1, -(2**63))
FLOATS = (0.0, -0.0, 1.0, -1.0, 1e-45, 1e-30, 3e38, float("inf"), float("-inf"), float("nan"))
NAMES = ("", "x", "input", "y", "..", "/etc/passwd", "é\n\t\"'", "a" * 500, "\x1b[31m", "\u202e")


def flip(rng: random.Random, data: bytes, _: bytes) -> bytes:
    """Replace a few bytes."""
    changed = bytearray(data)
    for _i in range(rng.choice((1, 1, 2, 4, 16))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def flip_early(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Replace bytes near the start, which has the most names and lengths."""
    cut = min(len(data), 4000)
    return flip(rng, data[:cut], other) + data[cut:]


def truncate(rng: random.Random, data: bytes, _: bytes) -> bytes:
    """Keep only the first bytes."""
    return data[: rng.randrange(len(data))]


def splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Insert a part of the other file, or overwrite a part of this file with it."""
    at, start, length = rng.randrange(len(data)), rng.randrange(len(other)), rng.choice((1, 8, 64, 1000))
    return data[:at] + other[start : start + length] + data[at + rng.choice((0, length)) :]


def remove(rng: random.Random, data: bytes, _: bytes) -> bytes:
    """Remove a few bytes."""
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 2, 16, 200)) :]


RAW: tuple[Mutation, ...] = (flip, flip_early, truncate, splice, remove)


def one_of(mutations: tuple[Mutation, ...]) -> Mutation:
    """Return a mutation that applies one or a few of these; an empty file is replaced by the other file."""

    def mutate(rng: random.Random, data: bytes, other: bytes) -> bytes:
        for _ in range(rng.choice((1, 1, 1, 1, 1, 2))):
            data = rng.choice(mutations)(rng, data or other, other) or b"\n"
        return data

    return mutate


def without_parts(data: bytes, separator: bytes = b"") -> Iterator[bytes]:
    """Yield the file without each half of it, each quarter and so on, cut at a separator where one is given."""
    parts = data.split(separator) if separator else [data[i : i + 1] for i in range(len(data))]
    size = len(parts) // 2
    while size:
        for start in range(0, len(parts), size):
            yield separator.join(parts[:start] + parts[start + size :])
        size //= 2


def without_text(data: bytes) -> Iterator[bytes]:
    """Yield a text without some of its lines, words or characters."""
    for separator in (b"\n", b",", b" ", b""):
        yield from without_parts(data, separator)
