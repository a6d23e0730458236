"""Files beside models: samples as .npz, annotations and targets as TOML, annotations and statistics as JSON."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from fuzz import seeds
from fuzz.guard import Finding, is_refusal
from fuzz.mutators import archive, document
from fuzz.mutators.raw import without_text
from fuzz.targets.base import Target
from qconvert import api
from qconvert.api.models import Model
from qconvert.api.quantizing import quantize
from qconvert.quantization.annotations import Annotations, read_annotations
from qconvert.quantization.calibration.samples import read_samples
from qconvert.quantization.calibration.statistics import Statistics, read_statistics
from qconvert.quantization.ranges import Range
from qconvert.quantization.target import Fallback
from qconvert.quantization.targets import TARGETS, find
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import QConvertError
from qconvert.validation.sampling.samples import arguments, given_samples
from tests.support.read_back import convert_and_read_back

_T = TypeVar("_T")


@cache
def _model() -> Model:
    return api.load(seeds.PROGRAM.encode())


def _path(name: str) -> Path:
    return Path(tempfile.gettempdir()) / f"qconvert-fuzz-{name}"


def _kept(name: str, data: bytes) -> Path:
    path = _path(name)
    path.write_bytes(data)
    return path


def _or_none(read: Callable[[], _T]) -> _T | None:
    """Return the result of ``read``, or None if it refuses."""
    try:
        return read()
    except QConvertError as error:
        is_refusal(error)
        return None


def use_samples(data: bytes, _: int) -> bool:
    """Read arrays, write them and read them again, and take samples of the model from them."""
    arrays = read_arrays(_kept("samples.npz", data))
    again = _path("again.npz")
    np.savez(again, **{f"a{i}": array for i, array in enumerate(arrays.values())})  # names are taken apart by savez
    for array, second in zip(arrays.values(), read_arrays(again).values(), strict=True):
        if array.tobytes() != second.tobytes():
            raise Finding("arrays that were written are read as others")
    inputs = arguments(_model().module, _model().input_names)
    _or_none(lambda: given_samples(arrays, inputs))
    types: dict[str, Any] = {name: value.type for name, value in inputs.items()}
    _or_none(lambda: list(read_samples(arrays, types)))
    return True


def use_toml(data: bytes, way: int) -> bool:
    """Read a document as a target and as annotations, and quantize the model with it."""
    path = _kept("document.toml", data)
    target, notes = _or_none(lambda: find(path)), _or_none(lambda: read_annotations(path))
    if target is None and notes is None:
        return False
    return _quantized(target or random.Random(way).choice(tuple(TARGETS.values())), notes, None, way)


def use_json(data: bytes, way: int) -> bool:
    """Read a document as statistics and as annotations, and quantize the model with it."""
    path = _kept("document.json", data)
    notes, statistics = _or_none(lambda: read_annotations(path)), _or_none(lambda: read_statistics(path))
    if statistics is not None:
        again = _kept("again.json", statistics.json().encode())
        if _or_none(lambda: read_statistics(again)) != statistics:
            raise Finding("statistics that were written are read as others")
    if statistics is None and notes is None:
        return False
    return _quantized(random.Random(way).choice(tuple(TARGETS.values())), notes, statistics, way)


_RANGES = Statistics({name: Range(-2.0, 3.0) for name in ("x", "product", "sum", "tanh", "y")})


def _quantized(target: Any, notes: Annotations | None, statistics: Statistics | None, way: int) -> bool:
    """Quantize and convert the model, and read the output back. The documents count as read if that is refused."""
    rng = random.Random(way)
    fallback = rng.choice((None, Fallback.FLOAT))
    given = statistics or rng.choice((None, _RANGES, _RANGES))
    found = _or_none(lambda: quantize(_model(), target, given, annotations=notes, fallback=fallback))
    if found is not None:
        model = found.model
        _or_none(lambda: convert_and_read_back(model, way))
    return True


NPZ = Target("npz", ".npz", seeds.archives, archive.mutate, archive.smaller, use_samples)
TOML = Target("toml", ".toml", seeds.toml_documents, document.mutate_toml, without_text, use_toml)
JSON = Target("json", ".json", seeds.json_documents, document.mutate_json, without_text, use_json)
