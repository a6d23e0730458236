"""Models: read, convert with options that a number chooses, run a pass, and read back the output."""

from __future__ import annotations

import random
from collections.abc import Callable

from fuzz import seeds
from fuzz.guard import Finding, is_refusal
from fuzz.mutators import flatbuffer, onnx, text, tflite
from fuzz.mutators.raw import without_parts, without_text
from fuzz.targets.base import Target
from qconvert import api
from qconvert.api import Model, ModuleResult
from qconvert.formats import FORMATS, BinaryForm, Format
from qconvert.passes import PASSES
from qconvert.support.errors import ConversionError, EngineError, QConvertError
from tests.support.read_back import check_content, read_back, way_of

_FLATBUFFER_SHARE = 0.05
"""Share of the TOSA outputs that are written as flatbuffers, too; each of these starts a process of tosa-opt."""


def convert_and_read_back(data: bytes, way: int) -> bool:
    """Read a model, convert it, run a pass over it; every output is read back. Return True if an output was made."""
    model, rng = api.load(data), random.Random(way)
    target, options = way_of(model, way)
    name = rng.choice(tuple(PASSES))
    done = [
        _is_read_back(model, lambda: api.convert(model, target, options), rng.random() < _FLATBUFFER_SHARE),
        _is_read_back(model, lambda: api.transform(model, [name])),
    ]
    return any(done)


def _is_read_back(model: Model, make: Callable[[], ModuleResult], as_flatbuffer: bool = False) -> bool:
    """Make an output and read it back; return False if it is refused."""
    try:
        made = make()
    except QConvertError as error:
        return is_refusal(error)
    again = read_back(made, model)
    binary = FORMATS[Format.TOSA].binary
    if as_flatbuffer and binary is not None and again.format is Format.TOSA:
        _flatbuffer_is_read_back(made, model, binary)
    return True


def _flatbuffer_is_read_back(made: ModuleResult, model: Model, binary: BinaryForm) -> None:
    """Write a flatbuffer and read it; tosa-opt, which validates it, may refuse text of TOSA that is not valid."""
    try:
        content = binary.write(made.module, None)
    except ConversionError as error:
        is_refusal(error)
        return
    except EngineError as error:
        if FORMATS[model.format].lowered_ways is None:
            raise Finding("TOSA cannot be written as a flatbuffer") from error
        return
    check_content(content, model, is_specified=False)


_run = convert_and_read_back
ONNX = Target("onnx", ".onnx", seeds.onnx_models, onnx.mutate, onnx.smaller, _run)
TFLITE = Target("tflite", ".tflite", seeds.tflite_models, tflite.mutate, tflite.smaller, _run)
STABLEHLO = Target("stablehlo", ".mlir", seeds.stablehlo_texts, text.mutate, without_text, _run)
TOSA = Target("tosa", ".tosa.mlir", seeds.tosa_texts, text.mutate, without_text, _run)
TOSA_FLATBUFFER = Target("tosa-flatbuffer", ".tosa", seeds.tosa_flatbuffers, flatbuffer.mutate, without_parts, _run)
