"""The ways to compute a model's values: runtimes with and without optimisation, and our interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from qconvert.engines import litert, onnxruntime
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.engines.wire import Ran
from qconvert.formats import FORMATS, Format
from qconvert.support.arrays import Array
from qconvert.support.errors import EngineError

Arrays: TypeAlias = dict[str, Array]


class Oracle(StrEnum):
    """A way to compute a model's values; ``float`` is the float original in its format's own runtime.

    ``tosa``, ``stablehlo`` and ``iree`` run whole files and pieces of them; they do not tell inner values.
    """

    ONNXRUNTIME = "onnxruntime"
    ONNXRUNTIME_OPTIMISED = "onnxruntime-optimised"
    LITERT = "litert"
    XNNPACK = "xnnpack"
    TOSA = "tosa"
    STABLEHLO = "stablehlo"
    IREE = "iree"
    INTERPRETER = "interpreter"
    FLOAT = "float"


RunFile: TypeAlias = Callable[[Path | bytes, Sequence[Mapping[str, Array]], Sequence[str], Limits], Ran]


@dataclass(frozen=True)
class Runtime:
    """A runtime that runs files of one format: its engine, the setting for reports, and the function."""

    format: Format
    engine: EngineName
    setting: str
    run: RunFile


def _optimised_onnxruntime(
    source: Path | bytes, samples: Sequence[Mapping[str, Array]], tensors: Sequence[str], limits: Limits
) -> Ran:
    [found] = onnxruntime.run_levels(
        source, samples, {onnxruntime.Optimisation.ALL: tensors}, explains=True, limits=limits
    )
    if isinstance(found, EngineError):
        raise found
    return found


def _default_litert(
    source: Path | bytes, samples: Sequence[Mapping[str, Array]], tensors: Sequence[str], limits: Limits
) -> Ran:
    content = source if isinstance(source, bytes) else source.read_bytes()
    return litert.run_noted(content, samples, resolver=litert.Resolver.DEFAULT, tensors=tensors, limits=limits)


def _reference(own_format: Format) -> Runtime:
    """Return the runtime that conversions of a format are compared with."""
    reference = FORMATS[own_format].reference
    assert reference is not None
    return Runtime(own_format, reference.engine, reference.optimisation, reference.plain)


RUNTIMES: dict[Oracle, Runtime] = {
    Oracle.ONNXRUNTIME: _reference(Format.ONNX),
    Oracle.ONNXRUNTIME_OPTIMISED: Runtime(Format.ONNX, EngineName.ONNXRUNTIME, "all", _optimised_onnxruntime),
    Oracle.LITERT: _reference(Format.TFLITE),
    Oracle.XNNPACK: Runtime(Format.TFLITE, EngineName.LITERT, "default", _default_litert),
}
"""The runtimes; the first of a format is its default."""


def default_oracle(own_format: Format) -> Oracle:
    """Return the format's own runtime without optimisation, or the interpreter."""
    own = (oracle for oracle, runtime in RUNTIMES.items() if runtime.format is own_format)
    return next(own, Oracle.INTERPRETER)


PIECEWISE = {
    Oracle.TOSA: EngineName.TOSA,
    Oracle.STABLEHLO: EngineName.STABLEHLO,
    Oracle.IREE: EngineName.IREE,
}
"""The oracles that do not tell inner values."""
