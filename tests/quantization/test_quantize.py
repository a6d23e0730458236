"""From a float model and samples to a quantized one that runs as well as the float one does."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert import Quantized, UsageError, convert, load, quantize, save
from qconvert.api.inspection import inspect_model
from qconvert.dialects import stablehlo
from qconvert.engines import litert, onnxruntime, tosa
from qconvert.engines import stablehlo as reference
from qconvert.formats import Format
from qconvert.interpreter.program import evaluate
from qconvert.ir.locations import node_names
from qconvert.ir.types import quantized
from qconvert.quantization.annotations import read_annotations
from qconvert.quantization.calibration.statistics import Statistics
from qconvert.quantization.ranges import Range
from qconvert.quantization.target import Fallback
from qconvert.support.errors import ConversionError
from tests.support.commands import qconvert

pytestmark = pytest.mark.slow  # onnxruntime starts in a process for most of them

Array = NDArray[Any]

FIXTURES = Path("fixtures")
SAMPLES = FIXTURES / "digits_calibration.npz"
SHARED = Path("../shared/models")
FLOAT = load(FIXTURES / "float" / "digits_cnn.onnx")
TEST = np.load(FIXTURES / "digits_test.npz")
IMAGES, LABELS = TEST["image"], TEST["label"]


def _share(logits: list[Array], labels: Array = LABELS) -> float:
    return float(np.mean(np.concatenate(logits).argmax(axis=-1) == labels))


def _share_of(model: bytes, images: Array = IMAGES, labels: Array = LABELS) -> float:
    session = onnxruntime.run_samples(model, [{"image": image[None]} for image in images])
    return _share([outputs["logits"] for outputs in session], labels)


@cache
def _quantized(target: str) -> Quantized:
    return quantize(FLOAT, target, SAMPLES)


@cache
def _yardsticks() -> tuple[float, float]:
    """How often the float model is right, and onnxruntime's own quantization of it with the same samples."""
    peer = (FIXTURES / "digits_cnn_int8.onnx").read_bytes()
    return _share_of(FLOAT.content), _share_of(peer)


def _is_good(share: float) -> bool:
    original, peer = _yardsticks()
    return share >= original - 0.005 and share >= peer


@pytest.mark.tosa
@pytest.mark.parametrize("target", ["tosa-int8", "tosa-int16", "tflite-int8"])
def test_digits_in_tosa(target: str) -> None:
    converted = convert(_quantized(target).model, Format.TOSA)
    results = tosa.run_samples(converted.text, [[image[None]] for image in IMAGES])
    assert _is_good(_share([logits for (logits,) in results]))


@pytest.mark.parametrize("target", ["tosa-int8", "tflite-int8"])
def test_digits_in_onnx(target: str) -> None:
    content = convert(_quantized(target).model, Format.ONNX).content
    assert content is not None
    assert _is_good(_share_of(content))


@pytest.mark.litert
@pytest.mark.parametrize("target", ["tflite-int8", "tflite-int16"])
@pytest.mark.parametrize("source", ["onnx", "tflite"])
def test_one_command_makes_integers_for_litert(target: str, source: str, tmp_path: Path) -> None:
    model, made = FIXTURES / "float" / "digits_cnn.onnx", tmp_path / "quantized.tflite"
    if source == "tflite":
        model = tmp_path / "float.tflite"
        save(convert(FLOAT, Format.TFLITE), model)
    qconvert("quantize", model, "--target", target, "--calibration", SAMPLES, "-o", made)
    found = inspect_model(load(made))
    assert (found.format, found.quantized_macs) == ("tflite", found.macs)
    answers = litert.run_samples(made.read_bytes(), [{"image": image[None]} for image in IMAGES])
    assert _is_good(_share([answer["logits"] for answer in answers]))


@pytest.mark.stablehlo
def test_digits_in_stablehlo() -> None:
    converted = convert(_quantized("tflite-int8").model, Format.STABLEHLO)
    ours = [evaluate(converted.module, [image[None]])[0] for image in IMAGES]
    assert _is_good(_share(ours))
    theirs = reference.run_samples(converted.text, [[image[None]] for image in IMAGES[:3]])
    for (found,), expected in zip(theirs, ours, strict=False):
        assert found.argmax() == expected.argmax()


@pytest.mark.parametrize("target", ["tosa-int8", "tflite-int8"])
def test_digits_are_fully_quantized(target: str) -> None:
    found = _quantized(target)
    assert found.report.fully_quantized
    assert not found.report.rescales
    fused = convert(found.model, Format.STABLEHLO).fused
    convolutions = [op for op in fused.walk() if isinstance(op, stablehlo.ConvolutionOp)]
    assert len(convolutions) == 4
    assert all(quantized(value) is not None for op in convolutions for value in op.operands)


@pytest.mark.parametrize(
    ("method", "lost"), [("percentile", 0.005), ("moving-average", 0.01), ("mse", 0.005), ("entropy", 0.005)]
)
def test_every_method(method: str, lost: float) -> None:
    content = convert(quantize(FLOAT, "tosa-int8", SAMPLES, method=method).model, Format.ONNX).content
    assert content is not None
    assert _share_of(content) >= _yardsticks()[0] - lost


def test_statistics_stand_for_samples() -> None:
    first = _quantized("tosa-int8")
    assert first.statistics is not None
    again = quantize(FLOAT, "tosa-int8", first.statistics)
    assert convert(again.model).text == convert(first.model).text
    assert again.report == first.report


def test_statistics_of_another_model() -> None:
    statistics = _quantized("tosa-int8").statistics
    assert statistics is not None
    with pytest.raises(UsageError, match=r"of another file, with SHA-256 abc; .*digits_cnn.onnx has \w{64}. Calibrate"):
        quantize(FLOAT, "tosa-int8", replace(statistics, model="abc"))
    with pytest.raises(UsageError, match="the statistics have a value 'conv_9', but the model does not; it has conv_4"):
        quantize(FLOAT, "tosa-int8", Statistics({"conv_9": Range(0, 1)}))


def test_statistics_may_know_what_was_folded(tmp_path: Path) -> None:
    path = tmp_path / "scaled.mlir"
    path.write_text(
        """func.func @main(%x: tensor<1x2xf32>) -> tensor<1x2xf32> attributes {input_names = ["x"]} {
          %w = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> loc("weights")
          %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
            : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32> loc("product")
          %s = stablehlo.constant dense<0.5> : tensor<1x2xf32> loc("factor")
          %1 = stablehlo.multiply %0, %s : tensor<1x2xf32> loc("scaled")
          return %1 : tensor<1x2xf32>
        }"""
    )
    statistics = Statistics({"x": Range(-1, 1), "product": Range(-6, 6), "scaled": Range(-3, 3)})
    found = quantize(load(path), "tosa-int8", statistics)
    assert found.report.fully_quantized
    assert found.report.kernels == 1


SPELLED_SOFTMAX = """func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1]
    : (tensor<1x4xf32>, tensor<f32>) -> tensor<1xf32>
  %largest = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<1xf32>) -> tensor<1x4xf32>
  %s = stablehlo.subtract %x, %largest : tensor<1x4xf32>
  %e = stablehlo.exponential %s : tensor<1x4xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<1x4xf32>, tensor<f32>) -> tensor<1xf32>
  %total = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<1xf32>) -> tensor<1x4xf32>
  %d = stablehlo.divide %e, %total : tensor<1x4xf32>
  %y = stablehlo.subtract %d, %x : tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}"""
"""Without the names of nodes; one target has the softmax whole, another its two subtractions."""


def test_numbers_mean_the_same_values_for_every_target(tmp_path: Path) -> None:
    (tmp_path / "softmax.mlir").write_text(SPELLED_SOFTMAX)
    (tmp_path / "parts.toml").write_text(
        """name = "parts"
        fallback = "float"
        ports = { act = { storage = "i8" } }
        [[kernel]]
        names = ["subtract", "exponential"]
        inputs = ["act"]
        variadic = true
        outputs = ["act"]"""
    )
    model = load(tmp_path / "softmax.mlir")
    samples = {"arg0": np.linspace(-3, 5, 32, dtype=np.float32).reshape(8, 1, 4)}
    whole, parts = (quantize(model, target, samples).statistics for target in ("tosa-int8", tmp_path / "parts.toml"))
    assert whole is not None
    assert parts is not None
    assert whole.values.keys() < parts.values.keys()
    assert "subtract:1" not in whole.values
    assert whole.values["subtract:2"] == parts.values["subtract:2"] != parts.values["subtract:1"]
    assert quantize(model, "tosa-int8", parts).report == quantize(model, "tosa-int8", samples).report


def test_calls_without_names_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "calls.mlir"
    path.write_text(
        """func.func private @twice(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
          %0 = stablehlo.add %x, %x : tensor<1x4xf32>
          return %0 : tensor<1x4xf32>
        }
        func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
          %0 = call @twice(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
          %1 = call @twice(%0) : (tensor<1x4xf32>) -> tensor<1x4xf32>
          return %1 : tensor<1x4xf32>
        }"""
    )
    samples = {"arg0": np.linspace(-1, 2, 32, dtype=np.float32).reshape(8, 1, 4)}
    found = quantize(load(path), "tosa-int8", samples, exclude=["call:2/add:1"])
    assert found.statistics is not None
    assert [(name, seen.maximum) for name, seen in found.statistics.values.items()] == [
        ("arg0", 2),
        ("call:1/add:1", 4),
        ("call:2/add:1", 8),
    ]
    assert [entry.node for entry in found.report.unquantized] == ["call:2/add:1"]


def test_an_excluded_node_stays_float() -> None:
    found = quantize(FLOAT, "tosa-int8", SAMPLES, exclude=["gemm_1"])
    assert [entry.node for entry in found.report.unquantized] == ["gemm_1"]
    fused = convert(found.model, Format.STABLEHLO).fused
    [product] = [op for op in fused.walk() if isinstance(op, stablehlo.DotGeneralOp)]
    assert node_names(product.location)[-1] == "gemm_1"
    assert quantized(product.results[0]) is None
    with pytest.raises(UsageError, match="the model has no node 'gem_1' to exclude; it has gemm_1"):
        quantize(FLOAT, "tosa-int8", SAMPLES, exclude=["gem_1"])


def test_annotations_come_before_calibration(tmp_path: Path) -> None:
    path = tmp_path / "notes.toml"
    path.write_text("[values]\nimage = { uniform = { scale = 0.0078125, zero_point = -128 } }\n")
    found = quantize(FLOAT, "tosa-int8", SAMPLES, annotations=read_annotations(path))
    [first, *_] = [op for op in found.model.module.walk() if isinstance(op, stablehlo.UniformQuantizeOp)]
    assert str(quantized(first.result)) == "!quant.uniform<i8:f32, 0.0078125:-128>"


def test_the_annotation_file_of_the_documentation(tmp_path: Path) -> None:
    [text] = re.findall(r"```toml\n(.*?)```", Path("docs/quantization.md").read_text(), re.DOTALL)
    path = tmp_path / "notes.toml"
    path.write_text(text)
    found = quantize(FLOAT, "tosa-int8", SAMPLES, annotations=read_annotations(path))
    assert [str(entry) for entry in found.report.unquantized] == [
        "node 'gemm_1' (fully_connected): output 0 is annotated to stay float"
    ]


def test_without_ranges_there_are_no_parameters() -> None:
    with pytest.raises(UsageError, match=r"digits_cnn.onnx: the ranges of its values are unknown: give samples"):
        quantize(FLOAT, "tosa-int8")


def test_the_source_is_not_changed() -> None:
    before = convert(FLOAT).text
    quantize(FLOAT, "tosa-int8", SAMPLES)
    assert convert(FLOAT).text == before


def test_a_quantized_model_is_quantized_for_another_target() -> None:
    """What a QDQ model says of its values is kept."""
    source = load(FIXTURES / "digits_cnn_int8.onnx")
    found = quantize(source, "tosa-int8")
    assert found.report.fully_quantized
    content = convert(found.model, Format.ONNX).content
    assert content is not None
    assert _is_good(_share_of(content))


@pytest.mark.parametrize("to", [Format.STABLEHLO, Format.TOSA])
def test_integers_are_not_quantized_again(tmp_path: Path, to: Format) -> None:
    """Nothing of such a model would change, which is no quantization for another target."""
    path = tmp_path / f"integers.{to}.mlir"
    path.write_text(convert(load(FIXTURES / "digits_cnn_int8.onnx"), to).text)
    with pytest.raises(ConversionError, match=r"it computes in integers already. Quantize the float model that this"):
        quantize(load(path), "tosa-int16", SAMPLES)


def test_sums_tell_no_range(tmp_path: Path) -> None:
    path = tmp_path / "sums.mlir"
    sums = "!quant.uniform<i32:f32, 1.0e-04>"
    path.write_text(
        f"""func.func @main(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5>> {{
          %0 = stablehlo.add %x, %y : tensor<1x4xf32> loc("sum")
          %1 = stablehlo.uniform_quantize %0 : (tensor<1x4xf32>) -> tensor<1x4x{sums}>
          %2 = stablehlo.uniform_quantize %1 : (tensor<1x4x{sums}>) -> tensor<1x4x!quant.uniform<i8:f32, 0.5>>
          return %2 : tensor<1x4x!quant.uniform<i8:f32, 0.5>>
        }}"""
    )
    samples = {name: np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 1, 4) for name in ("arg0", "arg1")}
    found = quantize(load(path), "tosa-int8", samples)
    elements = [quantized(op.result) for op in found.model.module.walk() if isinstance(op, stablehlo.UniformQuantizeOp)]
    assert max(element.scale for element in elements if element is not None) <= 0.5


def test_text_is_quantized_as_its_source(tmp_path: Path) -> None:
    path = tmp_path / "float.stablehlo.mlir"
    path.write_text(convert(FLOAT).text)
    content = convert(quantize(load(path), "tosa-int8", SAMPLES).model, Format.ONNX).content
    assert content is not None
    assert _is_good(_share_of(content))


@pytest.mark.slow
def test_code_is_generated_for_integers_of_stablehlo() -> None:
    found = quantize(FLOAT, "codegen-int8", SAMPLES)
    assert found.rescales is not None
    assert found.rescales.after < found.rescales.before
    ours = {to: convert(found.model, to).module for to in (Format.TOSA_RESCALE, Format.STABLEHLO_INT)}
    assert _share([evaluate(ours[Format.TOSA_RESCALE], [image[None]])[0] for image in IMAGES]) >= _yardsticks()[1]
    for image in IMAGES[:20]:
        rescaled, spelt = (evaluate(module, [image[None]])[0] for module in ours.values())
        np.testing.assert_array_equal(rescaled, spelt)
    with pytest.raises(UsageError):
        convert(found.model, Format.ONNX)


def test_a_kernel_that_the_target_lacks(tmp_path: Path) -> None:
    path = tmp_path / "odd.mlir"
    path.write_text(
        """func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
          %0 = stablehlo.atan2 %x, %x : tensor<1x4xf32> loc("angle")
          %1 = stablehlo.add %0, %x : tensor<1x4xf32> loc("sum")
          return %1 : tensor<1x4xf32>
        }"""
    )
    samples = {"arg0": np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 1, 4)}
    found = quantize(load(path), "tosa-int8", samples, fallback=Fallback.FLOAT)
    assert [entry.node for entry in found.report.unquantized] == ["angle"]


def test_errors_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no target 'tosa-int9', perhaps 'tosa-int8' is meant"):
        quantize(FLOAT, "tosa-int9", SAMPLES)
    images = np.load(SAMPLES)["image"].copy()
    images[3, 0, 2, 2] = np.inf
    with pytest.raises(UsageError, match=r"input 'image': element \[3, 0, 2, 2\] is inf"):
        quantize(FLOAT, "tosa-int8", {"image": images})
    path = tmp_path / "notes.toml"
    path.write_text("values.conv_1 = { none = true, any = 8 }")
    notes = replace(read_annotations(path), source="notes")
    with pytest.raises(ConversionError, match=r"digits_cnn.onnx: the annotations contradict each other: 'conv_1' is"):
        quantize(FLOAT, "tosa-int8", SAMPLES, annotations=notes)
