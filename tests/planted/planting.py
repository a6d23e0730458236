"""Planting: the written file of a source, with a fault, and whether the format's own tool gives other integers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from qconvert import Format, convert, load
from qconvert.api import Converted, Model
from qconvert.engines.modules import Program, Results
from qconvert.formats import FORMATS, TOSA
from tests.planted.kinds import Planted
from tests.planted.layers import SourceLayers
from tests.planted.models import Storage, drawn, source
from tests.planted.onnx_edits import OnnxFile
from tests.planted.stablehlo_edits import StablehloFile
from tests.planted.table import Fault, Written
from tests.planted.tosa_edits import TosaFile

_FORMATS = {
    Written.ONNX: (Format.ONNX, ".onnx"),
    Written.TFLITE: (Format.TFLITE, ".tflite"),
    Written.STABLEHLO: (Format.STABLEHLO, ".mlir"),
    Written.TOSA: (Format.TOSA, ".tosa.mlir"),
    Written.FLATBUFFER: (Format.TOSA, ".tosa"),
}

SAMPLES = {Format.STABLEHLO: 1, Format.TOSA: 2}
"""The number of samples where the format's own tool is slow."""


class PlantedFile(NamedTuple):
    """A file with a fault, the names that are right for it, and whether the format's own tool gives other integers."""

    path: Path
    right: frozenset[str]
    counts: bool


@cache
def layers_of(model: str, storage: Storage) -> SourceLayers:
    return SourceLayers(source(model, storage))


@cache
def _converted(model: str, storage: Storage, to: Format) -> bytes:
    return _bytes(convert(source(model, storage), to))


def _bytes(made: Converted) -> bytes:
    return made.text.encode() if made.content is None else made.content


def samples_of(to: Format) -> int:
    return SAMPLES.get(to, 4)


def planted(fault: Fault, folder: Path) -> PlantedFile:
    """Write the file of a fault into a folder. Raises NoPlaceError if the file cannot have it."""
    to, suffix = _FORMATS[fault.written]
    good = _converted(fault.model, fault.storage, to)
    same = layers_of(fault.model, fault.storage).same
    file = _opened(good, to, same)
    names = getattr(file, fault.kind.value)(fault.layer)
    bad = file.content()
    path = folder / f"bad{suffix}"
    path.write_bytes(_flatbuffer(bad) if fault.written is Written.FLATBUFFER else bad)
    counts = _differs(_ran(fault.model, fault.storage, to), _run(bad, source(fault.model, fault.storage), to))
    return PlantedFile(path, same(fault.layer) | {*names}, counts)


def _opened(content: bytes, to: Format, same: Callable[[str], frozenset[str]]) -> Planted:
    if to is Format.ONNX:
        return OnnxFile(content)
    if to is Format.TFLITE:
        from tests.planted.tflite_edits import TfliteFile  # needs LiteRT

        return TfliteFile(content, same)
    kind = StablehloFile if to is Format.STABLEHLO else TosaFile
    return kind(load(content).module, same)


def _flatbuffer(text: bytes) -> bytes:
    assert TOSA.binary is not None
    return TOSA.binary.write(load(text).module)


@cache
def _ran(model: str, storage: Storage, to: Format) -> Results:
    return _run(_converted(model, storage, to), source(model, storage), to)


def _run(content: bytes, model: Model, to: Format) -> Results:
    """Return what the format's own tool computes. Raises EngineError where it refuses the file."""
    form = FORMATS[to]
    program = Program(content.decode() if form.is_mlir else content, drawn(model, samples_of(to)))
    [results] = form.runs[form.own_engine]([program])
    if isinstance(results, Exception):
        raise results
    return results


def _differs(one: Results, other: Results) -> bool:
    pairs = ((a, b) for mine, theirs in zip(one, other, strict=True) for a, b in zip(mine, theirs, strict=True))
    return any(not np.array_equal(a, b) for a, b in pairs)
