"""The format ``tosa-rescale``: StableHLO's integers between rescales of TOSA, every layer as onnxruntime has it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qconvert import ConversionError, Format, UsageError, convert, load, run, save, validate
from qconvert.api.inspection import inspect_model
from qconvert.engines.base import EngineName
from qconvert.support.arrays import read_arrays
from qconvert.validation import Settings
from tests.support.parameters import few
from tests.support.paths import FIXTURES

MODELS = sorted(path for path in FIXTURES.glob("*.onnx") if "pow2" not in path.stem)
"""Scales that are powers of two make ties, which rescales round up: half a percent of a convolution's elements."""

IMAGES = {"image": read_arrays(FIXTURES / "digits_test.npz")["image"][:1]}


@pytest.mark.parametrize("path", few(MODELS, 1), ids=lambda path: path.stem)
@pytest.mark.slow
def test_no_quantized_type_is_left_and_every_layer_is_equal(path: Path) -> None:
    converted = convert(load(path), Format.TOSA_RESCALE)
    assert "!quant" not in converted.text
    assert {op.dialect_name() for op in converted.module.walk()} == {"builtin", "func", "stablehlo", "tosa"}
    report = validate(path, settings=Settings(to=Format.TOSA_RESCALE, samples=4))
    assert report.passed, report.failures
    assert report.layers


@pytest.mark.iree
@pytest.mark.parametrize("path", few(MODELS, 1), ids=lambda path: path.stem)
def test_iree_computes_every_layer(path: Path) -> None:
    settings = Settings(to=Format.TOSA_RESCALE, engine=EngineName.IREE, samples=2)
    report = validate(path, settings=settings)
    assert report.passed, report.failures


def test_what_is_written_is_read_and_runs(tmp_path: Path) -> None:
    target = tmp_path / "mixed.mlir"
    source = load(FIXTURES / "digits_mlp_int8.onnx")
    save(convert(source, Format.TOSA_RESCALE), target)
    read = load(target)
    assert read.format is Format.TOSA_RESCALE
    [found] = run(read, IMAGES).values()
    [expected] = run(source, IMAGES).values()
    np.testing.assert_array_equal(found, expected)


@pytest.mark.iree
def test_what_is_written_runs_in_iree(tmp_path: Path) -> None:
    target = tmp_path / "mixed.mlir"
    source = load(FIXTURES / "digits_mlp_int8.onnx")
    save(convert(source, Format.TOSA_RESCALE), target)
    [found] = run(load(target), IMAGES, engine=EngineName.IREE).values()
    [expected] = run(source, IMAGES).values()
    np.testing.assert_array_equal(found, expected)


@pytest.mark.stablehlo
def test_what_does_not_take_it_says_so() -> None:
    mixed = load(convert(load(FIXTURES / "digits_mlp_int8.onnx"), Format.TOSA_RESCALE).text.encode())
    found = inspect_model(mixed)
    assert found.quantized_macs == found.macs > 0
    with pytest.raises(UsageError, match="stablehlo does not run tosa-rescale"):
        run(mixed, IMAGES, engine=EngineName.STABLEHLO)
    with pytest.raises(UsageError, match=r"is tosa-rescale, .* becomes tosa-rescale or stablehlo-int, not stablehlo;"):
        convert(mixed, Format.STABLEHLO)


@pytest.mark.slow
def test_rescales_are_spelled_out_on_request() -> None:
    mixed = load(convert(load(FIXTURES / "digits_cnn_int8.onnx"), Format.TOSA_RESCALE).text.encode())
    spelled = convert(mixed, Format.STABLEHLO_INT)
    assert {op.dialect_name() for op in spelled.module.walk()} == {"builtin", "func", "stablehlo"}
    assert "!quant" not in spelled.text
    [found], [expected] = (run(load(text.encode()), IMAGES).values() for text in (spelled.text, mixed.text))
    np.testing.assert_array_equal(found, expected)


def test_a_rescale_that_cannot_be_spelled_out_is_named() -> None:
    text = """
func.func @main(%x: tensor<2xi32>, %m: tensor<1xi32>) -> tensor<2xi32> {
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %0 = stablehlo.add %x, %x : tensor<2xi32>
  %1 = "tosa.rescale"(%0, %m, %s, %z, %z) <{input_unsigned = false, output_unsigned = false, per_channel = false,
    rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true}>
    : (tensor<2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32> loc("scaled")
  return %1 : tensor<2xi32>
}
"""
    with pytest.raises(ConversionError, match=r"node 'scaled'.*tosa\.rescale.*its parameters are not constant"):
        convert(load(text.encode()), Format.STABLEHLO_INT)
