"""Mutations of flatbuffers, TFLite's and TOSA's: a walk over tables and vectors without a schema.

A field of four bytes counts as an offset if a table or a vector is at that offset. This is nearly always right, and a
wrong guess is a valid mutation as well.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field

from fuzz.mutators.raw import RAW, Mutation, one_of

_OFFSETS = (0, 1, 4, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
_SCALARS = (0, 1, 2, 3, 4, 9, 17, 32, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1)
_MOST_PLACES = 50_000


@dataclass
class Places:
    """Places of a flatbuffer's parts: scalars with sizes, offsets, vectors with lengths, entries of vtables."""

    scalars: list[tuple[int, int]] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    vectors: list[tuple[int, int]] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)


def places(data: bytes) -> Places:
    """Return the parts that a walk from the root reaches."""
    found, seen = Places(), {0}
    waiting = [_u32(data, 0)] if len(data) >= 8 else []
    while waiting and len(seen) < _MOST_PLACES:
        table = waiting.pop()
        for at, size in _fields(data, table, found):
            target = at + _u32(data, at) if size == 4 else 0
            if target not in seen and size == 4 and _leads_on(data, at, target, found, waiting):
                seen.add(target)
            elif size != 4 or target not in seen:
                found.scalars.append((at, size))
    return found


def _leads_on(data: bytes, at: int, target: int, found: Places, waiting: list[int]) -> bool:
    """Add the parts at an offset; return False if there is no table or vector."""
    if _is_table(data, target):
        found.offsets.append(at)
        waiting.append(target)
        return True
    if not (at < target <= len(data) - 4 and target + 4 + _u32(data, target) <= len(data)):
        return False
    length = _u32(data, target)
    found.offsets.append(at)
    found.vectors.append((target, length))
    elements = range(target + 4, min(target + 4 + 4 * length, len(data) - 3), 4)
    tables = [place for place in elements if _is_table(data, place + _u32(data, place))]
    if length and len(tables) == length:
        found.offsets += tables
        waiting += [place + _u32(data, place) for place in tables]
    else:
        found.scalars += [(place, 4) for place in elements[:64]]
    return True


def _fields(data: bytes, table: int, found: Places) -> list[tuple[int, int]]:
    """Return the place and the size of each field of a table."""
    if not _is_table(data, table):
        return []
    vtable = table - struct.unpack_from("<i", data, table)[0]
    size, width = struct.unpack_from("<HH", data, vtable)
    entries = {vtable + at: struct.unpack_from("<H", data, vtable + at)[0] for at in range(4, size, 2)}
    found.entries += entries
    starts = sorted({start for start in entries.values() if start})
    ends = [*starts[1:], width][: len(starts)]
    return [(table + a, min(4, b - a)) for a, b in zip(starts, ends, strict=True) if b > a]


def _is_table(data: bytes, at: int) -> bool:
    if not 4 <= at <= len(data) - 4:
        return False
    vtable = at - struct.unpack_from("<i", data, at)[0]
    if not 4 <= vtable <= len(data) - 4:
        return False
    size, width = struct.unpack_from("<HH", data, vtable)
    if size % 2 or not 4 <= size <= 200 or vtable + size > len(data) or not 4 <= width <= len(data) - at:
        return False
    return all(struct.unpack_from("<H", data, vtable + i)[0] < width for i in range(4, size, 2))


def _u32(data: bytes, at: int) -> int:
    return int(struct.unpack_from("<I", data, at)[0]) if at <= len(data) - 4 else 0


def edit(rng: random.Random, data: bytes, _: bytes) -> bytes:
    """Change scalars, elements, lengths and offsets of a flatbuffer, or remove fields of a table."""
    found, changed = places(data), bytearray(data)
    for _i in range(rng.choice((1, 1, 1, 2, 3))):
        match rng.randrange(10):
            case 0 if found.entries:
                struct.pack_into("<H", changed, rng.choice(found.entries), 0)
            case 1 if found.vectors:
                at, length = rng.choice(found.vectors)
                struct.pack_into("<I", changed, at, rng.choice((0, 1, max(length - 1, 0), length + 1, 2**31)))
            case 2 | 3 if found.offsets:  # to what another offset leads to
                at, other = rng.choice(found.offsets), rng.choice(found.offsets)
                struct.pack_into("<I", changed, at, (other + _u32(data, other) - at) % 2**32)
            case _ if not found.scalars:
                changed = bytearray(offset(rng, bytes(changed), data))
            case _:
                at, size = rng.choice(found.scalars)
                same = [place for place, width in rng.choices(found.scalars, k=8) if width == size]
                value = int.from_bytes(data[rng.choice(same or [at]) :][:size], "little")
                new = rng.choice((*_SCALARS, value, value, value, value + 1)) % 256**size
                changed[at : at + size] = new.to_bytes(size, "little")
    return bytes(changed)


def offset(rng: random.Random, data: bytes, _: bytes) -> bytes:
    """Overwrite any four bytes with another number."""
    if len(data) < 4:
        return data
    changed = bytearray(data)
    at = rng.randrange(0, len(changed) - 3, 4)
    changed[at : at + 4] = struct.pack("<I", rng.choice((*_OFFSETS, rng.randrange(len(data)))))
    return bytes(changed)


mutate: Mutation = one_of((*RAW, offset, *(edit,) * 18))
