"""Mutations of .npz files: members, their names, sizes and compression, and the headers of arrays."""

from __future__ import annotations

import io
import lzma
import random
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np

from fuzz.mutators.raw import INTEGERS, NAMES, RAW, Mutation, flip, one_of, truncate, without_parts

Members = list[tuple[str, bytes]]
Edit = Callable[[random.Random, Members], None]

_KINDS = (
    "<f4",
    "<i8",
    "|u1",
    "|O",
    "<U4",
    "<M8[ns]",
    "|V8",
    ">f8",
    "<c16",
    "|b1",
    "<f2",
    "|S0",
    "<f99",
    "{}",
    "[('a', '<f4')]",
)
_HEADERS = (
    b"",
    b"\x93NUMPY",
    b"\x93NUMPY\x01\x00\xff\xff",
    b"\x93NUMPY\x03\x00\xff\xff\xff\xff",
    b"\x93NUMPY\x09\x00v\x00",
)


def edit_header(rng: random.Random, members: Members) -> None:
    """Change the type, the order or the shape in an array's header; the header keeps its length if possible."""
    at = rng.randrange(len(members))
    name, data = members[at]
    header, body = data[:128].decode("latin-1"), data[128:]
    match rng.randrange(4):
        case 0:
            header = re.sub(r"'descr': '[^']*'", lambda _: f"'descr': '{rng.choice(_KINDS)}'", header)
        case 1:
            sizes = ", ".join(str(rng.choice(INTEGERS)) for _ in range(rng.randrange(5)))
            header = re.sub(r"\([^)]*\)", lambda _: f"({sizes})", header)
        case 2:
            header = header.replace("False", rng.choice(("True", "None", "0", "[" * 40, "1e999")))
        case _:
            header = rng.choice(_HEADERS).decode("latin-1") + header
    members[at] = (name, header.ljust(128)[:128].encode("latin-1") + body)


def edit_body(rng: random.Random, members: Members) -> None:
    """Change, cut or extend an array's bytes."""
    at = rng.randrange(len(members))
    name, data = members[at]
    members[at] = (name, rng.choice((flip, truncate))(rng, data or b"x", b"") + rng.choice((b"", b"", bytes(1000))))


def edit_names(rng: random.Random, members: Members) -> None:
    """Rename, repeat or remove a member, or add one that is not an array."""
    at = rng.randrange(len(members))
    name, data = members[at]
    members[at] = (rng.choice((*NAMES, name, "../" + name, name.upper())) + rng.choice(("", ".npy")), data)
    if rng.randrange(2):
        members.append(rng.choice(((name, data), ("note.txt", b"text"), ("empty.npy", b""))))


def edit_array(rng: random.Random, members: Members) -> None:
    """Put an array of another type, rank or size in place of a member."""
    at = rng.randrange(len(members))
    sizes = [rng.choice((0, 1, 2, 64)) for _ in range(rng.randrange(6))]
    kind = rng.choice(("f4", "f8", "i1", "u1", "i8", "U3", "?", "c8", "f2"))
    stream = io.BytesIO()
    np.save(stream, np.zeros(sizes, kind), allow_pickle=False)
    members[at] = (members[at][0], stream.getvalue())


def edit_size(rng: random.Random, members: Members) -> None:
    """Replace a member by large data that compresses well."""
    at = rng.randrange(len(members))
    name, data = members[at]
    members[at] = (name, data[:128] + bytes(rng.choice((10_000, 1_000_000, 30_000_000))))


_UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, ValueError, RuntimeError, OSError, EOFError)
"""Errors of the library for archives that are cut, corrupt or encrypted."""

EDITS: tuple[Edit, ...] = (edit_header, edit_header, edit_body, edit_names, edit_array, edit_array)


def edit(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Change an archive's members and write it again; an archive that cannot be read is replaced by the other file."""
    try:
        members = _members(data)
    except _UNREADABLE:
        return other
    for _ in range(rng.choice((1, 1, 2))):
        if members:
            (rng.choice(EDITS) if rng.randrange(200) else edit_size)(rng, members)
    method = rng.choice(
        (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    )
    return _archive(members, method)


def _archive(members: Members, method: int) -> bytes:
    stream = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(stream, "w", method) as archive:  # of equal names
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name or "x"), content, method)
    return stream.getvalue()


def _members(data: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        small = [entry for entry in archive.infolist() if entry.file_size < 10_000_000]
        return [(entry.filename, archive.read(entry)) for entry in small]


def edit_directory(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Change bytes of the directory at the archive's end, which holds sizes and compression methods."""
    cut = max(0, data.rfind(b"PK\x01\x02"))
    return data[:cut] + flip(rng, data[cut:] or b"x", other)


def smaller(data: bytes) -> Iterator[bytes]:
    """Yield the archive without one of its members, else without some of its bytes."""
    with suppress(*_UNREADABLE):
        members = _members(data)
        for at in range(len(members)):
            yield _archive(members[:at] + members[at + 1 :], zipfile.ZIP_STORED)
    yield from without_parts(data)


mutate: Mutation = one_of((*RAW, edit_directory, edit_directory, *(edit,) * 12))
