"""Whole validations of the fixtures: what passes, what fails, and the report's stable form."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from qconvert import (
    EngineError,
    EngineName,
    Format,
    Report,
    StableHloOptions,
    UsageError,
    convert,
    load,
    run,
    save,
    validate,
)
from qconvert.api import macs
from qconvert.backends.onnx import OnnxOptions
from qconvert.backends.tosa import TosaOptions
from qconvert.engines.base import engine_info
from qconvert.support.arrays import read_arrays
from qconvert.validation import Limits, Settings
from qconvert.validation.figures.report import InputReport
from qconvert.validation.limits.limits import input_failure
from qconvert.validation.rendering import forms
from qconvert.validation.rendering.conclusion import verdict_line
from tests.support.paths import FIXTURES

pytestmark = pytest.mark.slow  # onnxruntime starts in a process for most of them

CNN, UINT8, POW2, MLP = (FIXTURES / f"digits_{name}.onnx" for name in ("cnn_int8", "cnn_uint8", "cnn_pow2", "mlp_int8"))
IMAGES = read_arrays(FIXTURES / "digits_test.npz")
FEW = {"image": IMAGES["image"][:8]}


def of_images(model: Path, count: int) -> Report:
    """Validate a fixture on images; the conversion must be the same network."""
    report = validate(model, inputs={"image": IMAGES["image"][:count]})
    assert report.passed, report.failures
    assert report.samples == count
    assert report.seed is None
    assert [(output.name, output.top1) for output in report.outputs] == [("logits", 1.0)]
    assert all(layer.max_lsb <= 1 for layer in report.layers)
    return report


@pytest.mark.parametrize("model", sorted(set(FIXTURES.glob("digits_*.onnx")) - {POW2}), ids=lambda path: path.stem)
def test_fixtures_convert_to_the_same_network(model: Path) -> None:
    """All images for one of them: the others differ from it in the types of their integers, and in size."""
    of_images(model, 360 if model == CNN else 100)


@pytest.mark.slow
def test_power_of_two_scales_tie_often_and_differ_on_ties_only() -> None:
    """fixtures/README.md: 35% of values tie behind Add, 24% behind the average pool, 0.2 to 1.1% behind products."""
    report = of_images(POW2, 360)
    shares = {layer.op: [] for layer in report.layers}  # type: dict[str, list[float]]
    for layer in report.layers:
        shares[layer.op].append(layer.ties / layer.elements)
    assert shares["Add"] == [pytest.approx(0.35, abs=0.005)]
    assert shares["AveragePool"] == [pytest.approx(0.24, abs=0.005)]
    products = [layer for layer in report.layers if layer.family == "contraction"]
    assert all(0.001 < layer.ties / layer.elements < 0.012 for layer in products)
    assert all(layer.exact_non_ties == 1.0 for layer in report.layers)


def test_random_samples_repeat_with_their_seed() -> None:
    first, again = (validate(MLP, settings=Settings(samples=3, seed=5)) for _ in range(2))
    assert first == again
    assert (first.samples, first.seed) == (3, 5)


def test_a_part_of_the_samples_is_compared() -> None:
    parts = [validate(MLP, inputs=FEW, settings=Settings(part=range(*part))) for part in ((0, 2), (2, 3))]
    assert [part.samples for part in parts] == [2, 1]
    whole = validate(MLP, inputs=FEW, settings=Settings(part=range(3)))
    assert whole.layers[0].elements == sum(part.layers[0].elements for part in parts)
    assert whole.outputs[0].max_abs == max(part.outputs[0].max_abs for part in parts)
    with pytest.raises(UsageError, match="the file has 8 samples, 100000 are needed"):
        validate(MLP, inputs=FEW, settings=Settings(part=range(99999, 100000)))


@pytest.mark.parametrize("target", [Format.STABLEHLO, Format.STABLEHLO_QDQ])
def test_targets(target: Format) -> None:
    report = validate(CNN, inputs=FEW, settings=Settings(target))
    assert report.passed, report.failures
    assert report.to == target


@pytest.mark.stablehlo
def test_another_engine_is_named() -> None:
    report = validate(MLP, inputs=FEW, settings=Settings(engine=EngineName.STABLEHLO))
    assert report.passed, report.failures
    assert (report.engine.name, report.engine.version) == ("stablehlo", engine_info(EngineName.STABLEHLO).version)


ONNX = Settings(Format.ONNX, EngineName.ONNXRUNTIME, OnnxOptions(17), limits=Limits(min_exact=1.0))


def test_onnx_is_run_by_its_runtime(tmp_path: Path) -> None:
    report = validate(CNN, inputs=FEW, settings=ONNX)
    assert report.passed, report.failures
    assert [layer.exact for layer in report.layers] == [1.0] * len(report.layers)
    target = tmp_path / "again.onnx"
    save(convert(load(CNN), Format.ONNX, OnnxOptions(17)), target)
    given = validate(CNN, target, inputs=FEW, settings=ONNX)
    assert given.passed, given.failures
    assert len(given.layers) == len(report.layers)


def transposed(path: Path, opset: int) -> Path:
    """Write a Transpose of dequantized int8, which onnxruntime's graph optimisation breaks from opset 21 on."""
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
        helper.make_node("Transpose", ["d"], ["y"]),
    ]
    constants = [numpy_helper.from_array(np.float32(0.1), "s"), numpy_helper.from_array(np.int8(3), "z")]
    ports = [[helper.make_tensor_value_info(n, TensorProto.FLOAT, s)] for n, s in (("x", [2, 3]), ("y", [3, 2]))]
    graph = helper.make_graph(nodes, "g", *ports, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.row("U03")
def test_an_onnx_file_is_loaded_with_graph_optimisation_as_well(tmp_path: Path) -> None:
    source, broken = (transposed(tmp_path / f"{opset}.onnx", opset) for opset in (17, 21))
    report = validate(source, broken, settings=Settings(samples=1))
    assert report.outputs[0].exact == 1.0
    assert report.failures[0].startswith(
        "with graph optimisation: onnxruntime engine: onnxruntime cannot load the model"
    )
    assert validate(source, source, settings=Settings(samples=1)).passed


def test_the_share_that_graph_optimisation_keeps_is_a_note() -> None:
    report = validate(CNN, inputs=FEW, settings=Settings(Format.ONNX, EngineName.ONNXRUNTIME))
    assert report.passed, report.failures
    assert re.fullmatch(r"with graph optimisation, 0\.\d{4} of output 'logits' is the same", report.notes[-1])


# Conversions that were made before.


def saved(model: Path, target: Path) -> Path:
    save(convert(load(model)), target)
    return target


def tampered(conversion: Path) -> Path:
    """One byte changed in the longest constant, that of the largest weights; not one of a pixel that is always 0."""
    text = conversion.read_text()
    constant = max(re.finditer(r'"0x[0-9A-Fa-f]+"', text), key=lambda match: len(match[0]))
    place = constant.start() + 3 + 2 * (len(constant[0]) // 6)
    flipped = f"{int(text[place], 16) ^ 7:X}"
    conversion.write_text(text[:place] + flipped + text[place + 1 :])
    return conversion


def test_a_conversion_of_today_is_compared_layer_by_layer(tmp_path: Path) -> None:
    report = validate(CNN, saved(CNN, tmp_path / "cnn.mlir"), inputs=FEW)
    assert report.passed
    assert report.notes == ()
    assert report.layers


@pytest.mark.slow
def test_a_conversion_with_a_changed_weight_fails_limits(tmp_path: Path) -> None:
    conversion = tampered(saved(MLP, tmp_path / "mlp.mlir"))
    limits = Limits(min_exact=1.0, max_lsb=0)
    report = validate(MLP, conversion, inputs=IMAGES, settings=Settings(limits=limits))
    assert not report.passed
    assert [re.sub(r"[\d.]+", "N", failure) for failure in report.failures[:2]] == [
        "output 'logits' is N LSB off, the limit is N",
        "N of output 'logits' is equal, N is needed",
    ]
    assert report.notes[0] == f"{conversion} is not what converting {MLP} to stablehlo gives: its layers are judged"
    assert any(note.startswith("layer '") for note in report.notes), "limits judge, layers tell where"
    assert len(report.failures) == 2
    assert validate(MLP, inputs=IMAGES, settings=Settings(limits=limits)).passed


def test_another_models_conversion_fails_without_limits(tmp_path: Path) -> None:
    """Two networks of one task: where both are sure and disagree, the best class differs."""
    report = validate(MLP, saved(CNN, tmp_path / "cnn.mlir"), inputs=IMAGES)
    assert not report.passed
    layer, dequantized, whole = (
        next(failure for failure in report.failures if part in failure) for part in ("layer '", "computed", "number of")
    )
    assert dequantized.startswith(
        "output 'logits', computed from the reference's tensors in front of it, differs by 0."
    )
    assert re.match(r"[\d,]+ elements of output 'logits' are no whole number of LSB from the reference's", whole)
    assert layer.startswith("layer 'gemm_3' (Gemm, contraction): ")


STABLEHLO_ENGINE = Settings(engine=EngineName.STABLEHLO, samples=1)


@pytest.mark.stablehlo
def test_slow_work_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(macs._PER_SECOND, EngineName.STABLEHLO, 100.0)
    notices: list[str] = []
    steps: list[str] = []
    validate(MLP, settings=STABLEHLO_ENGINE, notice=notices.append, progress=steps.append)
    [notice] = notices
    assert notice == (
        "the stablehlo engine computes about 100 multiply-accumulates a second: 1 sample of 3,392, about 34 s. "
        "It is stopped after 10 min."
    )
    assert [step for step in steps if "layers" in step][:3] == [
        "looking for the layers in the file",
        "comparing layers",
        "comparing layers: 1 of 4, 'flatten_1'",
    ]


@pytest.mark.stablehlo
@pytest.mark.row("U09")
def test_work_that_would_not_end_is_not_begun() -> None:
    started = time.monotonic()
    with pytest.raises(UsageError, match=r"about 37 min, the limit is 10 min\. Give fewer samples, .*--timeout"):
        validate(CNN, settings=Settings(engine=EngineName.STABLEHLO, samples=20_000))
    assert time.monotonic() - started < 60


@pytest.mark.stablehlo
def test_a_time_limit_is_kept() -> None:
    with pytest.raises(EngineError, match=r"engine: no answer within 0\.02 s, stopped"):
        validate(CNN, settings=replace(STABLEHLO_ENGINE, timeout=0.02))
    with pytest.raises(EngineError, match=r"no answer within 0\.001 s, stopped"):
        run(load(CNN), {"image": IMAGES["image"][:1]}, engine=EngineName.STABLEHLO, timeout=0.001)
    with pytest.raises(UsageError, match=r"the time limit is 0 s, it must be above 0"):
        Settings(timeout=0)


def test_a_printed_report_is_the_table() -> None:
    report = validate(MLP, inputs=FEW, settings=Settings(engine=EngineName.REFERENCE))
    first, second, *_, last = str(report).splitlines()
    assert first == verdict_line(report)
    assert second.startswith(f"{MLP} as stablehlo on reference")
    assert "SQNR dB" in str(report)
    assert last == "passed"


def test_a_conversion_is_of_the_format_that_is_asked_for() -> None:
    with pytest.raises(UsageError, match=r"digits_mlp_int8\.onnx is onnx, not stablehlo"):
        validate(MLP, MLP, settings=Settings(to=Format.STABLEHLO))


def test_the_yardstick_runs_onnx(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only ONNX and TFLite models can be validated"):
        validate(saved(MLP, tmp_path / "mlp.mlir"))


def test_a_conversion_with_other_outputs_is_refused(tmp_path: Path) -> None:
    image = "tensor<1x1x8x8xf32>"
    path = tmp_path / "same.mlir"
    path.write_text(f"func.func @main(%a: {image}) -> {image} {{ return %a : {image} }}")
    with pytest.raises(UsageError, match=r"output 'logits' of .* has the shape \[1, 10\], .* of .*same\.mlir"):
        validate(MLP, path)
    path.write_text(f"func.func @main(%a: {image}) {{ return }}")
    with pytest.raises(UsageError, match=r"has 1 output \('logits' .*, .*same\.mlir has 0 outputs"):
        validate(MLP, path)


# --bisect


def test_bisect_says_that_nothing_differs() -> None:
    report = validate(MLP, inputs=FEW, settings=Settings(bisect=True))
    assert report.notes == ("end to end no quantized tensor differs", "in isolation no layer differs")


@pytest.mark.row("U09")
def test_progress_is_told() -> None:
    steps: list[str] = []
    report = validate(MLP, inputs=FEW, settings=Settings(Format.TOSA), progress=steps.append)
    assert steps[:3] == ["converting", "running onnxruntime", "looking for the layers in the file"]
    assert steps[3:5] == ["running tosa", "comparing layers"]
    assert steps[5:9] == [f"comparing layers: {i} of 4, '{layer.node}'" for i, layer in enumerate(report.layers, 1)]
    assert steps[9:] == ["8 of 8 samples, about 0 s left: running the network with moved integers"]


# Models without layers.


def test_layers_that_are_proved_are_named() -> None:
    report = validate(UINT8, inputs=FEW, settings=Settings(to=Format.TOSA))
    [add] = [layer for layer in report.layers if layer.op == "Add"]
    assert add.proof is not None
    assert add.proof.holds
    assert (add.proof.inputs, add.exact) == (65_536, 1.0)
    measured = {layer.op for layer in report.layers if layer.proof is None}
    assert measured == {"QuantizeLinear", "Conv", "AveragePool", "MaxPool", "Gemm"}
    [gemm] = [layer for layer in report.layers if layer.op == "Gemm"]
    assert "flatten_1" in gemm.nodes  # one layer: TOSA has no value between the two
    assert report.ops is not None
    assert (report.ops.judged, report.ops.merged_layers) == (report.ops.ops, 1)
    assert "all 65,536" in report._repr_html_()
    assert re.search(r"elementwise .* 1 layer\n", forms.text(report))
    assert "proved" not in forms.text(validate(UINT8, inputs=FEW))


# The JSON report.


@pytest.mark.parametrize("to", [Format.STABLEHLO, Format.TOSA])
def test_quantized_edges_are_left_to_the_caller(to: Format, tmp_path: Path) -> None:
    """The same integers come out, from the conversion and from its file; what the harness quantizes is no input."""
    tosa, stablehlo = TosaOptions(quantized_io=True), StableHloOptions(quantized_io=True)
    settings = Settings(to=to, options=tosa if to is Format.TOSA else stablehlo)
    plain, edged = (validate(MLP, inputs=FEW, settings=chosen) for chosen in (Settings(to=to), settings))
    assert edged.passed, edged.failures
    assert edged.outputs == plain.outputs
    assert (edged.inputs, [first.name for first in plain.inputs]) == ((), ["image"])
    converted = convert(load(MLP), to, settings.options)
    assert [port.name for port in converted.quantized_ports] == ["image", "logits"]
    save(converted, tmp_path / "edged.mlir")
    again = validate(MLP, tmp_path / "edged.mlir", inputs=FEW, settings=settings)
    assert again.outputs == edged.outputs
    assert len(again.layers) == len(edged.layers) > 0


def test_an_input_quantized_otherwise_fails_beyond_its_limit() -> None:
    assert input_failure(InputReport("x", 0.9999, 1_000_000)) is None
    assert input_failure(InputReport("x", 0.9998, 1_000_000, bits=16)) is None
    assert input_failure(InputReport("x", 0.9960, 1_000_000, bits=16)) is not None
    found = input_failure(InputReport("x", 0.9998, 1_000_000))
    assert found == "0.000200 of input 'x' is quantized differently, the limit is 0.0001"
