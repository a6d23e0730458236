"""Fusion, propagation and export together, for every shipped target: a float network becomes integers everywhere."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from qconvert import EngineName, Format, convert
from qconvert.api import Model
from qconvert.backends.tosa import HalfRounding, TosaOptions
from qconvert.engines.modules import Program
from qconvert.formats import FORMATS
from qconvert.interpreter import evaluate
from qconvert.quantization.annotations import calibrated
from qconvert.quantization.constraints import Constraints
from qconvert.quantization.export_fixed import export_fixed
from qconvert.quantization.fusion import FuseKernels
from qconvert.quantization.propagation import propagate
from qconvert.quantization.ranges import Range
from qconvert.quantization.targets import find
from qconvert.rewriting.base import run_passes
from qconvert.rewriting.constants import is_known
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import EngineError
from tests.support.float_models import floated
from tests.support.paths import FIXTURES
from tests.support.regions import observe

pytestmark = pytest.mark.slow  # onnxruntime starts in a process for most of them

TEST = read_arrays(FIXTURES / "digits_test.npz")
IMAGES = [[image[None]] for image in TEST["image"]]
TARGETS = ("tosa-int8", "tosa-int16", "tflite-int8")
targets = pytest.mark.parametrize("target", TARGETS)
HALVES = TosaOptions(rounding=HalfRounding.EVEN)


@cache
def quantized(target: str) -> Model:
    module = floated(FIXTURES / "digits_cnn_int8.onnx")
    run_passes(module, [FuseKernels()])
    ranges = observe(module, IMAGES[:64])
    specs = {value: calibrated(Range(*found)) for value, found in ranges.items() if not is_known(value)}
    report = propagate(module, find(target), Constraints(specs))
    assert report.fully_quantized, str(report)
    export_fixed(module)
    return Model(module, Format.STABLEHLO, target)


@targets
def test_nothing_is_refused_and_the_digits_are_still_known(target: str) -> None:
    converted = convert(quantized(target))
    assert converted.refusals == ()
    original = floated(FIXTURES / "digits_cnn_int8.onnx")
    hits = [
        [evaluate(module, image)[0].argmax() == label for image, label in zip(IMAGES, TEST["label"], strict=True)]
        for module in (converted.fused, original)
    ]
    assert np.mean(hits[0]) >= np.mean(hits[1]) - 0.005


@targets
@pytest.mark.parametrize(
    ("to", "engine", "options", "images"),
    [
        pytest.param(Format.TOSA, EngineName.TOSA, HALVES, 40, marks=pytest.mark.tosa),
        pytest.param(Format.STABLEHLO, EngineName.STABLEHLO, None, 3, marks=pytest.mark.stablehlo),
        pytest.param(Format.ONNX, EngineName.ONNXRUNTIME, None, 40),
    ],
)
def test_engines_agree(target: str, to: Format, engine: EngineName, options: TosaOptions | None, images: int) -> None:
    """With the form that each runs: floats between dequantize and quantize in ONNX, integers elsewhere.

    Of 8 bits every element is equal; of 16, where floats of 32 bits come near to their limit, some are a step off.
    """
    model = quantized(target)
    converted = convert(model, to, options)
    (results,) = FORMATS[to].run_programs(engine, [Program(converted.content or converted.text, IMAGES[:images])])
    assert not isinstance(results, EngineError), str(results)
    found = np.concatenate([each[0] for each in results])
    reference = model.module if to is Format.ONNX else converted.fused
    expected = np.concatenate([evaluate(reference, image)[0] for image in IMAGES[:images]])
    steps = np.abs(found - expected) / np.diff(np.unique(expected)).min()
    assert steps.max() < (1.5 if target.endswith("16") else 0.5)
    assert np.mean(steps < 0.5) > 0.95
