"""The format ``stablehlo-int``: no quantized types, every rounding kept, and real tools compute the same integers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qconvert import Format, convert, load, validate
from qconvert.engines import iree, stablehlo
from qconvert.engines.base import EngineName
from qconvert.interpreter import evaluate
from qconvert.support.arrays import read_arrays
from qconvert.validation import Settings
from tests.support.paths import FIXTURES

MODELS = sorted(FIXTURES.glob("*.onnx"))
IMAGE = read_arrays(FIXTURES / "digits_test.npz")["image"]


@pytest.mark.quick(2)
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_no_quantized_type_and_no_rounding_is_lost(path: Path) -> None:
    converted = convert(load(path), Format.STABLEHLO_INT)
    assert "!quant" not in converted.text
    assert converted.lost_arithmetic == 0
    for i in range(10):
        image = IMAGE[i : i + 1]
        for found, expected in zip(
            evaluate(converted.module, [image]), evaluate(converted.fused, [image]), strict=True
        ):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.stablehlo
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_the_reference_interpreter_agrees(path: Path) -> None:
    converted = convert(load(path), Format.STABLEHLO_INT)
    [found] = stablehlo.run_samples(converted.text, [[IMAGE[:1]]])[0]
    np.testing.assert_array_equal(found, evaluate(converted.fused, [IMAGE[:1]])[0])


@pytest.mark.iree
def test_iree_compiles_it_and_agrees() -> None:
    converted = convert(load(FIXTURES / "digits_cnn_uint8.onnx"), Format.STABLEHLO_INT)
    [found] = iree.run_samples(converted.text, [[IMAGE[:1]]])[0]
    np.testing.assert_array_equal(found, evaluate(converted.fused, [IMAGE[:1]])[0])


def test_validation_runs_the_integer_form() -> None:
    report = validate(FIXTURES / "digits_cnn_int8.onnx", settings=Settings(to=Format.STABLEHLO_INT, samples=2))
    assert report.passed, report.failures


@pytest.mark.stablehlo
def test_validation_on_the_reference_interpreter() -> None:
    settings = Settings(to=Format.STABLEHLO_INT, engine=EngineName.STABLEHLO, samples=1)
    report = validate(FIXTURES / "digits_mlp_uint8.onnx", settings=settings)
    assert report.passed, report.failures
    assert report.layers


@pytest.mark.litert
@pytest.mark.parametrize("to", [Format.STABLEHLO_INT, Format.TOSA_RESCALE])
@pytest.mark.parametrize("name", ["lstm_int8", "svdf_int8"])
def test_every_layer_of_a_tflite_model_equals_litert(name: str, to: Format) -> None:
    """Rescales round twice as LiteRT's multipliers do."""
    report = validate(FIXTURES / f"{name}.tflite", settings=Settings(to=to, samples=2))
    assert report.passed, report.failures
    assert {layer.exact for layer in report.layers} == {1.0}
    converted = convert(load(FIXTURES / f"{name}.tflite"), to)
    assert "!quant" not in converted.text
    assert converted.lost_litert == 0
