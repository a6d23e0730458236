"""Messages between qconvert and an engine's process, as files of JSON and plain bytes, never pickles.

``NAME.json`` has the options, the names, and the type and shape of each array. ``NAME.bin`` has the blob and the
arrays' elements in that order. The reader checks both files, because an engine that ran an untrusted model may write
anything.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import IO, Any, NamedTuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from qconvert.support.errors import EngineError

Array = NDArray[Any]
Sample = Mapping[str, Array]

FENCE = "\x1e"
"""The mark that a worker writes to standard error before each task; text before it belongs to earlier tasks."""

NOTE = "note"
"""The option of an answer that tells how an engine ran a model, where not as usual."""

_HEAD_BYTES = 1 << 26
_KINDS = "biufcV"
"""The kinds of numpy dtypes that hold numbers; V is the kind of ml_dtypes."""
_ONLY_FILES = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Flags of ``os.open`` that refuse symbolic links and do not wait for the writer of a pipe."""


@dataclass(frozen=True)
class Message:
    """A task for an engine, or its answer.

    Each engine defines ``options`` and ``names``. ``blob`` is a model or a module's text, and each of
    ``samples`` is one set of named arrays, in order.
    """

    options: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    blob: bytes = b""
    samples: tuple[Sample, ...] = ()


class Ran(NamedTuple):
    """The results of a run, by name for each sample, and a note on how the engine ran where not as usual."""

    samples: list[dict[str, Array]]
    note: str = ""

    @classmethod
    def of(cls, answer: Message) -> Ran:
        """Return the results in an engine's answer."""
        return cls([dict(sample) for sample in answer.samples], answer.options.get(NOTE, ""))


def positional(arrays: Sequence[Array]) -> Sample:
    """Return a sample whose names are positions: '0', '1', ..."""
    return {str(position): np.asarray(array) for position, array in enumerate(arrays)}


def named_samples(task: Message, names: Sequence[str]) -> tuple[Sample, ...]:
    """Return a task's samples by the names of the model's inputs, in place of positions if the task has these.

    Raises EngineError if a sample has another number of inputs.
    """
    if "inputs" not in task.options:
        return task.samples
    for sample in task.samples:
        if len(sample) != len(names):
            raise EngineError(f"{len(sample)} inputs given, the model takes {len(names)}")
    return tuple(dict(zip(names, sample.values(), strict=True)) for sample in task.samples)


def named_results(task: Message, results: Sequence[tuple[str, Array]]) -> Sample:
    """Return a run's results by their names, or by positions if the task's inputs have these: names may be repeated."""
    return positional([array for _, array in results]) if "inputs" in task.options else dict(results)


def check_names(sample: Sample, names: Collection[str]) -> None:
    """Raise EngineError unless a sample has exactly the inputs ``names``."""
    if set(names) != set(sample):
        raise EngineError(f"inputs {sorted(sample)} given, the model takes {sorted(names)}")


def plain(array: Array) -> Array:
    """Return an array of ml_dtypes elements as unsigned integers of the same width, other arrays unchanged."""
    if array.dtype.isbuiltin == 1:
        return array
    return array.view(np.dtype(f"u{array.dtype.itemsize}"))


def write(folder: Path, stem: str, message: Message) -> None:
    """Write a message as two files; raises EngineError on object and string arrays."""
    samples = [[_entry(name, array) for name, array in sample.items()] for sample in message.samples]
    head = {
        "options": dict(message.options),
        "names": list(message.names),
        "blob": len(message.blob),
        "samples": samples,
    }
    with (folder / f"{stem}.bin").open("wb") as stream:
        stream.write(message.blob)
        for sample in message.samples:
            for array in sample.values():
                stream.write(np.asarray(plain(array), order="C").data)
    (folder / f"{stem}.json").write_text(json.dumps(head))


def _entry(name: str, array: Array) -> tuple[str, str, tuple[int, ...]]:
    if array.dtype.kind in "OSU":
        raise EngineError(f"arrays of {array.dtype.name} cannot be sent to an engine")
    return name, array.dtype.name, array.shape


def read(folder: Path, stem: str, limit: int = sys.maxsize) -> Message:
    """Read a message that :func:`write` wrote; arrays keep their types and shapes.

    Raises EngineError for a file of more than ``limit`` bytes, and for content that :func:`write` does not write.
    """
    try:
        with opened(folder / f"{stem}.json", _HEAD_BYTES) as stream:
            head = json.loads(stream.read(_HEAD_BYTES))
        with opened(folder / f"{stem}.bin", limit) as stream:
            return _message(head, stream)
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise EngineError(f"its answer cannot be read: {error}") from error


def opened(path: Path, limit: int) -> IO[bytes]:
    """Open a file that an engine wrote; raises ValueError unless it is a regular file of at most ``limit`` bytes."""
    stream = os.fdopen(os.open(path, os.O_RDONLY | _ONLY_FILES), "rb")
    status = os.fstat(stream.fileno())
    if stat.S_ISREG(status.st_mode) and status.st_size <= limit:
        return stream
    stream.close()
    raise ValueError(f"{path.name} is not a regular file of at most {limit:,} bytes")


def _message(head: dict[str, Any], stream: IO[bytes]) -> Message:
    """Read the arrays that the head declares; raises ValueError unless they fill the whole stream."""
    kinds = [[(name, _dtype(dtype), _shape(shape)) for name, dtype, shape in sample] for sample in head["samples"]]
    [blob_bytes] = _shape([head["blob"]])
    declared = blob_bytes + sum(dtype.itemsize * prod(shape) for sample in kinds for _, dtype, shape in sample)
    if declared != os.fstat(stream.fileno()).st_size:
        raise ValueError(f"the file does not have the {declared:,} bytes that the head declares")
    blob = stream.read(blob_bytes)
    samples = tuple({name: _array(stream, dtype, shape) for name, dtype, shape in sample} for sample in kinds)
    return Message(dict(head["options"]), tuple(head["names"]), blob, samples)


def _array(stream: IO[bytes], dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    array = np.empty(shape, dtype)
    stream.readinto(plain(array).reshape(-1).view(np.uint8).data)  # type: ignore[attr-defined]
    return array


def _dtype(name: str) -> np.dtype[Any]:
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    if dtype.hasobject or dtype.kind not in _KINDS:
        raise ValueError(f"an array has elements of type {name}")
    return dtype


def _shape(sizes: list[Any]) -> tuple[int, ...]:
    if not all(type(size) is int and size >= 0 for size in sizes):
        raise ValueError(f"an array has the shape {sizes}")
    return tuple(sizes)
