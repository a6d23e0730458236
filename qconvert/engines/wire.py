"""Messages between qconvert and an engine's process, as JSON and npz files, never pickles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from qconvert.support.errors import EngineError

Array = NDArray[Any]
Sample = Mapping[str, Array]


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


def positional(arrays: Sequence[Array]) -> Sample:
    """Return a sample whose names are positions: '0', '1', ..."""
    return {str(position): np.asarray(array) for position, array in enumerate(arrays)}


def plain(array: Array) -> Array:
    """Return an array of ml_dtypes elements as unsigned integers of the same width, other arrays unchanged."""
    if array.dtype.isbuiltin == 1:
        return array
    return array.view(np.dtype(f"u{array.dtype.itemsize}"))


def _dtype(name: str) -> np.dtype[Any]:
    custom = getattr(ml_dtypes, name, None)
    return np.dtype(name if custom is None else custom)


def write(folder: Path, stem: str, message: Message) -> None:
    """Write ``message`` as three files ``stem``.json, .npz and .bin; raises EngineError on object and string arrays."""
    stored: dict[str, Array] = {}
    index = []
    for sample in message.samples:
        entries = []
        for name, array in sample.items():
            key = f"a{len(stored)}"
            if array.dtype.kind in "OSU":
                raise EngineError(f"arrays of {array.dtype.name} cannot be sent to an engine")
            stored[key] = plain(array)
            entries.append([name, array.dtype.name, key])
        index.append(entries)
    head = {"options": dict(message.options), "names": list(message.names), "samples": index}
    np.savez(folder / f"{stem}.npz", **stored)
    (folder / f"{stem}.bin").write_bytes(message.blob)
    (folder / f"{stem}.json").write_text(json.dumps(head))


def read(folder: Path, stem: str) -> Message:
    """Read a message that :func:`write` wrote; arrays keep their types and shapes."""
    head = json.loads((folder / f"{stem}.json").read_text())
    with np.load(folder / f"{stem}.npz", allow_pickle=False) as stored:
        samples = tuple(
            {name: stored[key].view(_dtype(dtype)) for name, dtype, key in entries} for entries in head["samples"]
        )
    blob = (folder / f"{stem}.bin").read_bytes()
    return Message(head["options"], tuple(head["names"]), blob, samples)
