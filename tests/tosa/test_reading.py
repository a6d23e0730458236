"""TOSA as a format that is read: text and flatbuffers, run, inspected and written again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import qconvert
from qconvert import ConversionError, EngineName, Format, Model, UsageError
from qconvert.api.inspection import inspect_model
from qconvert.dialects.tosa.target import TargetEnvAttr
from qconvert.engines import tosa, tosa_opt
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.ir.printing import module_text
from qconvert.validation import Settings
from tests.support.paths import FIXTURES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A conversion as text and as flatbuffer."""
    folder = tmp_path_factory.mktemp("tosa")
    converted = qconvert.convert(qconvert.load(FIXTURES / "digits_cnn_int8.onnx"), Format.TOSA)
    qconvert.save(converted, folder / "digits.tosa.mlir")
    qconvert.save(converted, folder / "digits.tosa")
    return folder


@pytest.fixture(params=["digits.tosa.mlir", "digits.tosa"])
def read(request: pytest.FixtureRequest, folder: Path) -> Model:
    return qconvert.load(folder / request.param)


def images() -> dict[str, np.ndarray]:
    return {"image": np.load(FIXTURES / "digits_test.npz")["image"][:1]}


@pytest.mark.tosa
def test_ports_keep_their_names(read: Model) -> None:
    assert read.format is Format.TOSA
    assert (read.input_names, read.output_names) == (("image",), ("logits",))


@pytest.mark.tosa
@pytest.mark.parametrize("engine", [EngineName.REFERENCE, EngineName.TOSA])
def test_it_runs_as_its_source_converts(read: Model, engine: EngineName) -> None:
    source = qconvert.load(FIXTURES / "digits_cnn_int8.onnx")
    expected = qconvert.run(source, images(), engine=EngineName.TOSA)
    np.testing.assert_array_equal(qconvert.run(read, images(), engine=engine)["logits"], expected["logits"])


@pytest.mark.tosa
@pytest.mark.iree
def test_iree_compiles_and_runs_it(read: Model) -> None:
    expected = qconvert.run(read, images(), engine=EngineName.REFERENCE)
    np.testing.assert_array_equal(qconvert.run(read, images(), engine=EngineName.IREE)["logits"], expected["logits"])


@pytest.mark.tosa
def test_it_is_written_again(read: Model, folder: Path, tmp_path: Path) -> None:
    converted = qconvert.convert(read, Format.TOSA)
    qconvert.save(converted, tmp_path / "again.tosa")
    assert qconvert.load(tmp_path / "again.tosa").text == qconvert.load(folder / "digits.tosa").text


@pytest.mark.tosa
@pytest.mark.row("U07")
def test_text_of_a_flatbuffer_names_its_target_again(tmp_path: Path) -> None:
    """A flatbuffer does not hold the target, and strict tools refuse CLAMP of 16 bits without the extension."""
    text = """func.func @main(%a: tensor<2xi16>) -> tensor<2xi16> {
  %0 = tosa.clamp %a {max_val = 5 : i16, min_val = 0 : i16} : (tensor<2xi16>) -> tensor<2xi16>
  return %0 : tensor<2xi16>
}"""
    (tmp_path / "wide.tosa").write_bytes(tosa.serialize(text))
    read = qconvert.load(tmp_path / "wide.tosa")
    written = qconvert.convert(read, Format.TOSA).text
    assert "extensions = [int16]" in written
    assert "tosa.clamp" in tosa_opt.verify(written.encode(), "").decode()  # validated against its own target


@pytest.mark.tosa
def test_it_is_inspected(read: Model) -> None:
    found = inspect_model(read)
    assert found.ops["conv2d"] == 4
    assert found.macs == found.quantized_macs
    assert found.macs == inspect_model(qconvert.load(FIXTURES / "digits_cnn_int8.onnx")).macs


@pytest.mark.tosa
@pytest.mark.parametrize("target", [Format.STABLEHLO, Format.STABLEHLO_QDQ, Format.TFLITE])
def test_it_has_no_scales_for_other_formats(read: Model, target: Format) -> None:
    reason = f"is tosa, whose scales are multipliers and shifts: it becomes .*, not {target}; give the model it was"
    with pytest.raises(UsageError, match=reason):
        qconvert.convert(read, target)


@pytest.mark.tosa
def test_layers_of_a_flatbuffer_are_compared(folder: Path) -> None:
    settings = Settings(to=Format.TOSA, engine=EngineName.TOSA)
    report = qconvert.validate(
        qconvert.load(FIXTURES / "digits_cnn_int8.onnx"), folder / "digits.tosa", inputs=images(), settings=settings
    )
    assert report.passed, report.failures
    assert len(report.layers) == 9
    assert report.ops is not None
    assert (report.ops.judged, report.ops.merged_layers) == (report.ops.ops, 1)


@pytest.mark.tosa
def test_a_flatbuffer_cut_short_is_an_error() -> None:
    with pytest.raises(ConversionError, match="this TOSA flatbuffer cannot be read"):
        qconvert.load(b"\x0c\0\0\0TOSA\0\0\0\0")


ADD = "func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> { return %a : tensor<2xi32> }"


@pytest.mark.parametrize("names", ["[pro_int, pro_fp], extensions = [int16]", '["pro_int"], extensions = []'])
def test_a_target_is_read_quoted_or_not(names: str) -> None:
    env = f'specification_version = "1.0", level = "8k", profiles = {names}'
    text = f"module attributes {{tosa.target_env = #tosa.target_env<{env}>}} {{ {ADD} }}"
    module = parse_module(text, "x.mlir")
    target = module.attributes["tosa.target_env"]
    assert isinstance(target, TargetEnvAttr)
    assert [name.data for name in target.extensions] == (["int16"] if "int16" in names else [])
    assert parse_module(module_text(module), "y.mlir").attributes["tosa.target_env"] == target


@pytest.mark.tosa
def test_released_tools_do_not_read_a_target_without_extensions() -> None:
    """Why a module without extensions carries no target; when this fails, it can."""
    env = 'specification_version = "1.0", level = "8k", profiles = [pro_int], extensions = []'
    text = f"module attributes {{tosa.target_env = #tosa.target_env<{env}>}} {{ {ADD} }}"
    with pytest.raises(qconvert.EngineError, match="expected keyword for supported TOSA extensions"):
        tosa.verify(text)
