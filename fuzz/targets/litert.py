"""Models that become TFLite: LiteRT runs what is written, with both resolvers, in a child process."""

from __future__ import annotations

import random
from dataclasses import replace

from fuzz.guard import Finding
from fuzz.targets.models import ONNX, STABLEHLO, TFLITE
from qconvert import api
from qconvert.engines import litert
from qconvert.formats import Format
from qconvert.support.errors import EngineError
from qconvert.validation.sampling.samples import arguments, random_samples
from tests.support.read_back import ways

_OPTIONS = [options for target, options in ways() if target is Format.TFLITE]


def _run(data: bytes, way: int) -> bool:
    """Read a model, write it as TFLite and run it on random numbers; raises Finding where LiteRT refuses or crashes."""
    converted = api.convert(api.load(data), Format.TFLITE, random.Random(way).choice(_OPTIONS))
    assert converted.content is not None
    written = api.load(converted.content)
    (sample,) = random_samples(arguments(written.module, written.input_names), 1, way)
    for resolver in litert.Resolver:
        try:
            litert.run(converted.content, sample, resolver=resolver)
        except EngineError as error:
            raise Finding(f"{resolver} kernels of LiteRT fail: {error}") from error
    return True


LITERT = [replace(target, name=f"{target.name}-litert", run=_run) for target in (ONNX, TFLITE, STABLEHLO)]
