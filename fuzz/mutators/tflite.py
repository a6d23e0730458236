"""Mutations of .tflite files: of their objects, which keep the file a valid flatbuffer, and of their bytes."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from fuzz.mutators import flatbuffer
from fuzz.mutators.raw import FLOATS, INTEGERS, NAMES, Mutation, one_of, without_parts

_IDENTIFIER = b"TFL3"

_UNPACKABLE = (struct.error, TypeError, AttributeError, ValueError, IndexError, OverflowError, AssertionError)
"""Errors of the library for offsets outside of the file, values of a wrong kind and numbers out of range."""


def edit(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Change a few fields of a model's objects; a file that cannot be unpacked or packed is replaced by the other."""
    try:
        model, second = _unpacked(data), _unpacked(other)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            _change(rng, model, second)
        return _packed(model)
    except _UNPACKABLE:
        return flatbuffer.edit(rng, data, other)


def _packed(model: Any) -> bytes:
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), _IDENTIFIER)
    return bytes(builder.Output())


def _unpacked(data: bytes) -> Any:
    return schema.ModelT.InitFromPackedBuf(bytearray(data), 0)


def _objects(value: object) -> Iterator[Any]:
    """Yield the objects of a model, tensors and operators included, but not those of buffers."""
    if type(value).__module__ == schema.__name__:
        yield value
        for name, part in vars(value).items():
            if name != "buffers":
                yield from _objects(part)
    elif isinstance(value, list):
        for part in value:
            yield from _objects(part)


def _change(rng: random.Random, model: Any, second: Any) -> None:
    """Change a field, or replace an object by an object of the other model of the same kind."""
    holder = rng.choice(list(_objects(model)))
    name = rng.choice(list(vars(holder)))
    value = getattr(holder, name)
    alike = [part for part in _objects(second) if type(part) is type(holder)]
    if alike and not rng.randrange(4):
        vars(holder).update(vars(rng.choice(alike)))
    elif isinstance(value, list | np.ndarray):
        setattr(holder, name, _changed_list(rng, value))
    elif isinstance(value, int | float | bytes | str):
        setattr(holder, name, _changed(rng, value))
    else:
        setattr(holder, name, rng.choice((None, *(getattr(part, name) for part in alike))))


def _changed_list(rng: random.Random, value: Any) -> Any:
    parts = value.tolist() if isinstance(value, np.ndarray) else list(value)
    match rng.randrange(4):
        case 0 if parts:
            parts.pop(rng.randrange(len(parts)))
        case 1 if parts:
            parts.insert(rng.randrange(len(parts)), rng.choice(parts))
        case 2 if parts:
            rng.shuffle(parts)
        case _ if parts and isinstance(parts[0], int | float | bytes | str):
            at = rng.randrange(len(parts))
            parts[at] = _changed(rng, parts[at])
    return np.array(parts, value.dtype) if isinstance(value, np.ndarray) else parts


def _changed(rng: random.Random, value: float | bytes | str) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return rng.choice((value + 1, value - 1, *range(8), *range(160), *INTEGERS))
        case float():
            return rng.choice((value * 2, -value, *FLOATS))
        case bytes():
            return rng.choice((*(name.encode() for name in NAMES), b"\xff\xfe"))
        case _:
            return rng.choice(NAMES)


def smaller(data: bytes) -> Iterator[bytes]:
    """Yield the model without one of its lists' elements, or one of its objects."""
    model = _unpacked(data)
    for holder in list(_objects(model)):
        for name, value in list(vars(holder).items()):
            shorter: list[Any] = [None] if value is not None else []
            if isinstance(value, list):
                shorter = [value[:i] + value[i + 1 :] for i in range(len(value))]
            for each in shorter:
                setattr(holder, name, each)
                with suppress(*_UNPACKABLE):
                    yield _packed(model)
            setattr(holder, name, value)
    yield from without_parts(data)


mutate: Mutation = one_of((flatbuffer.mutate, edit, edit, edit))
