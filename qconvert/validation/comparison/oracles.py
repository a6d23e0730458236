"""The ways to compute a model's values: runtimes with and without optimisation, and our interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TypeAlias

from qconvert.engines import litert, onnxruntime
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.formats import Format
from qconvert.validation.compare import Array

Arrays: TypeAlias = dict[str, Array]


class Oracle(StrEnum):
    """A way to compute a model's values; ``float`` is the float original in its format's own runtime."""

    ONNXRUNTIME = "onnxruntime"
    ONNXRUNTIME_OPTIMISED = "onnxruntime-optimised"
    LITERT = "litert"
    XNNPACK = "xnnpack"
    INTERPRETER = "interpreter"
    FLOAT = "float"


RunFile: TypeAlias = Callable[[Path | bytes, Sequence[Mapping[str, Array]], Sequence[str], Limits], list[Arrays]]


@dataclass(frozen=True)
class Runtime:
    """A runtime that runs files of one format: its engine, the setting for reports, and the function."""

    format: Format
    engine: EngineName
    setting: str
    run: RunFile


def _onnxruntime(
    source: Path | bytes,
    samples: Sequence[Mapping[str, Array]],
    tensors: Sequence[str],
    limits: Limits,
    *,
    optimisation: onnxruntime.Optimisation,
) -> list[Arrays]:
    return onnxruntime.run_samples(source, samples, optimisation=optimisation, extra_outputs=tensors, limits=limits)


def _litert(
    source: Path | bytes,
    samples: Sequence[Mapping[str, Array]],
    tensors: Sequence[str],
    limits: Limits,
    *,
    resolver: litert.Resolver,
) -> list[Arrays]:
    content = source if isinstance(source, bytes) else source.read_bytes()
    return litert.run_samples(content, samples, resolver=resolver, tensors=tensors, limits=limits)


def _of_onnxruntime(optimisation: onnxruntime.Optimisation) -> Runtime:
    run = partial(_onnxruntime, optimisation=optimisation)
    return Runtime(Format.ONNX, EngineName.ONNXRUNTIME, str(optimisation), run)


def _of_litert(resolver: litert.Resolver, setting: str) -> Runtime:
    return Runtime(Format.TFLITE, EngineName.LITERT, setting, partial(_litert, resolver=resolver))


RUNTIMES: dict[Oracle, Runtime] = {
    Oracle.ONNXRUNTIME: _of_onnxruntime(onnxruntime.Optimisation.DISABLED),
    Oracle.ONNXRUNTIME_OPTIMISED: _of_onnxruntime(onnxruntime.Optimisation.ALL),
    Oracle.LITERT: _of_litert(litert.Resolver.REFERENCE, "BUILTIN_REF"),
    Oracle.XNNPACK: _of_litert(litert.Resolver.DEFAULT, "default"),
}
"""The runtimes; the first of a format is its default."""


def default_oracle(own_format: Format) -> Oracle:
    """Return the format's own runtime without optimisation, or the interpreter."""
    own = (oracle for oracle, runtime in RUNTIMES.items() if runtime.format is own_format)
    return next(own, Oracle.INTERPRETER)
