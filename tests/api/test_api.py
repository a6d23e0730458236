"""The library's door: what load, convert, save and run promise."""

from __future__ import annotations

import dataclasses
import pydoc
import re
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import IO, get_type_hints
from unittest import mock

import numpy as np
import onnx
import pytest
from google.protobuf.message import EncodeError

import qconvert
from qconvert import (
    ConversionError,
    EngineName,
    Format,
    ReductionForm,
    StableHloOptions,
    UsageError,
    convert,
    load,
    run,
    save,
)
from qconvert.engines import stablehlo
from qconvert.formats import FORMATS
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.ir.printing import module_text
from qconvert.support import content
from qconvert.support.arrays import read_arrays
from qconvert.support.files import write_whole
from tests.support.paths import FIXTURES

MODELS = sorted(FIXTURES.glob("digits_*.onnx"))
CNN, MLP = FIXTURES / "digits_cnn_int8.onnx", FIXTURES / "digits_mlp_int8.onnx"
TFLITE = FIXTURES / "lstm_int8.tflite"
IMAGES = read_arrays(FIXTURES / "digits_test.npz")["image"]
IMAGE = {"image": IMAGES[:1]}

fixtures = pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)


def in_a_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


# Names.


def test_importing_qconvert_imports_nothing_heavy() -> None:
    heavy = "{'numpy', 'onnx', 'onnxruntime', 'xdsl', 'typer', 'rich', 'jaxlib', 'iree'}"
    assert in_a_process(f"import sys, qconvert; print({heavy} & set(sys.modules))") == "set()"


@pytest.mark.slow
def test_converting_imports_no_runtime() -> None:
    code = (
        "import sys, qconvert\n"
        f"qconvert.convert(qconvert.load({str(MLP)!r})).text\n"
        "print({'onnxruntime', 'jaxlib', 'iree', 'rich', 'typer'} & set(sys.modules))"
    )
    assert in_a_process(code) == "set()"


@pytest.mark.parametrize("name", qconvert.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(qconvert, name) is not None
    assert name in dir(qconvert)


@pytest.mark.parametrize("name", ["convert", "load", "quantize", "run", "save", "transform", "validate"])
@pytest.mark.row("U24")
def test_help_names_only_what_is_exported(name: str) -> None:
    text = pydoc.plain(pydoc.render_doc(getattr(qconvert, name)))
    documented = re.findall(r"``([A-Z]\w+)``", text)
    signature = re.findall(r"\b(?:\w+Options|Format|EngineName|Settings|Report|Model|Converted|Fallback)\b", text)
    assert all(hasattr(qconvert, found) for found in (*documented, *signature))


def test_the_options_of_every_format_are_exported() -> None:
    for found in FORMATS.values():
        assert getattr(qconvert, found.options.__name__) is found.options
        for field in dataclasses.fields(found.options):
            kind = get_type_hints(found.options)[field.name]
            if isinstance(kind, type) and issubclass(kind, StrEnum) and field.metadata:
                assert getattr(qconvert, kind.__name__) is kind


def test_a_name_that_is_none() -> None:
    with pytest.raises(AttributeError, match="module 'qconvert' has no attribute 'nothing'"):
        _ = qconvert.nothing


# Load.


def test_a_model_by_path_text_and_bytes() -> None:
    models = [load(CNN), load(str(CNN)), load(CNN.read_bytes())]
    assert len({convert(model).text for model in models}) == 1
    assert len({model.sha256 for model in models}) == 1
    assert [model.file for model in models] == [str(CNN), str(CNN), "<bytes>"]
    assert all((m.format, m.input_names, m.output_names) == (Format.ONNX, ("image",), ("logits",)) for m in models)


@pytest.mark.row("U24")
def test_a_model_that_is_in_memory() -> None:
    proto = onnx.load_model_from_string(CNN.read_bytes())
    model = load(proto)
    assert model.file == "<ModelProto>"
    assert convert(model).text == convert(load(CNN)).text
    assert run(model, IMAGE)["logits"].shape == (1, 10)


def test_something_that_is_no_model() -> None:
    with pytest.raises(UsageError, match=r"a model is a path, bytes or an onnx\.ModelProto, not ndarray"):
        load(np.zeros(3))


@pytest.mark.parametrize("error", [EncodeError("Failed to serialize proto"), ValueError("exceeds 2GB")])
def test_a_model_too_large_for_one_message(error: Exception) -> None:
    """Protobuf in C raises the first error, in Python the second."""
    proto = mock.Mock(spec=["SerializeToString"])
    proto.SerializeToString.side_effect = error
    with pytest.raises(UsageError, match="more than 2 GB: save it with external data"):
        load(proto)


@pytest.mark.quick(1)
@pytest.mark.parametrize("path", [CNN, TFLITE], ids=lambda path: path.suffix)
def test_large_files_are_left_where_they_are(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = convert(load(path)).text
    monkeypatch.setattr(content, "_HELD_BYTES", 1)
    assert convert(load(path)).text == expected


@pytest.mark.slow
def test_a_batch_dimension_becomes_1_or_what_is_asked() -> None:
    assert load(CNN).assumed_dims == ("N",)
    model = load(CNN, dims={"N": 3})
    assert model.assumed_dims == ()
    stacked = run(model, {"image": IMAGES[:3]})["logits"]
    single = [run(load(CNN), {"image": image[None]})["logits"] for image in IMAGES[:3]]
    np.testing.assert_array_equal(stacked, np.concatenate(single))


def test_a_dimension_that_no_input_has() -> None:
    with pytest.raises(ConversionError, match=r"no input has a dimension 'M'\. The model has N"):
        load(CNN, dims={"M": 2})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "<bytes>: the file is empty"),
        (
            b"hello",
            r"<bytes>: this is text, but not MLIR: it has no module and no function\. Give a \.onnx, \.tflite, \.mlir",
        ),
        (b"module { \xff }", "<bytes>: byte 9 is not valid UTF-8"),
        (b"module { nonsense", "<bytes>:1:10: unknown op .nonsense."),
    ],
)
def test_content_that_is_no_model(content: bytes, message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        load(content)


@pytest.mark.row("U14")
def test_a_model_with_no_zero_in_its_first_bytes_that_names_a_module() -> None:
    """PyTorch's exporter writes names of modules into the metadata, which stand first."""
    model = onnx.load_model_from_string(MLP.read_bytes())
    model.metadata_props.add(key="pkg.torch", value="module.forward, " * 400)
    fields = sorted(model.ListFields(), key=lambda field: field[0].name != "metadata_props")
    content = b"".join(type(model)(**{field.name: value}).SerializeToString() for field, value in fields)
    head = content[:4096]
    assert b"module" in head
    assert b"\0" not in head
    for start in (b"", b"\x08\x0a"):  # the version of the IR stands where exporters write it, or later
        assert load(start + content).format is Format.ONNX


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.tflite", b"\0\1\2\3\4\5\6\7", "this is not a TFLite file: it lacks the signature TFL3 at byte 4"),
        ("x.tflite", b"caf\xe9", "this is text, but not MLIR: it has no module and no function"),
        ("x.tosa", b"\0\1\2\3\4\5\6\7", "this is not a TOSA file: it lacks the signature TOSA at byte 4"),
        ("x.onnx", b"\0\1\2\3\4\5\6\7", "this is not an ONNX model, or it is cut short"),
    ],
)
def test_content_of_another_kind_than_its_name(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConversionError, match=f"{name}: {message}"):
        load(tmp_path / name)


def test_content_decides_where_it_can(tmp_path: Path) -> None:
    (tmp_path / "x.tflite").write_bytes(MLP.read_bytes())
    assert load(tmp_path / "x.tflite").format is Format.ONNX


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.onnx: cannot be read: No such file or directory"):
        load(tmp_path / "none.onnx")
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        load(tmp_path)


# Convert.


@pytest.mark.quick(1)
@fixtures
@pytest.mark.parametrize("target", [Format.STABLEHLO, Format.STABLEHLO_QDQ])
def test_what_is_saved_computes_what_was_loaded(path: Path, target: Format, tmp_path: Path) -> None:
    model = load(path)
    save(convert(model, target, StableHloOptions(exact_rounding=True)), tmp_path / "model.mlir")
    again = load(tmp_path / "model.mlir")
    assert (again.format, again.input_names, again.output_names) == (Format.STABLEHLO, ("image",), ("logits",))
    np.testing.assert_array_equal(run(again, IMAGE)["logits"], run(model, IMAGE)["logits"])


def test_converting_leaves_the_model_as_it_was() -> None:
    model = load(CNN)
    before = str(model.module)
    assert convert(model).text == convert(model).text
    assert str(model.module) == before


@fixtures
@pytest.mark.stablehlo
@pytest.mark.parametrize("form", [ReductionForm.WIDEN, ReductionForm.SPEC])
def test_the_real_tool_accepts_the_text(path: Path, form: ReductionForm) -> None:
    stablehlo.verify(convert(load(path), options=StableHloOptions(form)).text)


@pytest.mark.quick(3)
@fixtures
@pytest.mark.parametrize("form", list(ReductionForm))
def test_our_parser_reads_every_form_again(path: Path, form: ReductionForm) -> None:
    text = convert(load(path), options=StableHloOptions(form)).text
    assert module_text(parse_module(text)) == text


@pytest.mark.quick(1)
@pytest.mark.parametrize("form", list(ReductionForm))
def test_every_form_of_a_sum_computes_the_same(form: ReductionForm) -> None:
    model = load(CNN)
    written = load(convert(model, options=StableHloOptions(form, exact_rounding=True)).text.encode())
    np.testing.assert_array_equal(run(written, IMAGE)["logits"], run(model, IMAGE)["logits"])


def test_quantized_arguments_and_results() -> None:
    model = load(CNN)
    text = convert(model, options=StableHloOptions(quantized_io=True)).text
    signature = next(line for line in text.splitlines() if "@main" in line)
    assert signature.count("!quant.uniform<i8:f32") == 2
    assert "uniform_dequantize" not in text
    scale, zero_point = 0.003921568859368563, -128
    image = (np.rint(IMAGE["image"] / np.float32(scale)) + zero_point).clip(-128, 127).astype(np.int8)
    found = run(load(text.encode()), {"image": image})["logits"]
    assert found.dtype == np.int8
    real = run(load(convert(model).text.encode()), IMAGE)["logits"]
    np.testing.assert_array_equal((found.astype(np.float32) - 26) * np.float32(0.15752828121185303), real)


def test_exact_rounding_loses_no_arithmetic() -> None:
    model = load(CNN)
    assert convert(model).lost_arithmetic > 0
    assert convert(model, options=StableHloOptions(exact_rounding=True)).lost_arithmetic == 0


DIVIDED = """
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.25>> {
  %c = stablehlo.constant dense<3.0> : tensor<4xf32>
  %real = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xf32>
  %d = stablehlo.divide %real, %c : tensor<4xf32> loc("div")
  %q = stablehlo.uniform_quantize %d : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25>>
  return %q : tensor<4x!quant.uniform<i8:f32, 0.25>>
}
"""


@pytest.mark.parametrize(("target", "stays"), [(Format.STABLEHLO, True), (Format.TOSA, False)])
def test_the_note_on_floats_counts_ops_of_the_written_module(target: Format, stays: bool) -> None:
    converted = convert(load(DIVIDED.encode()), target)
    assert [refusal.node for refusal in converted.refusals] == ["div"]
    note = "note: 1 op stays in float. qconvert inspect m --why lists the reasons."
    assert (note in converted.notes("m")) == stays


def test_onnx_is_written_by_its_own_options_alone() -> None:
    with pytest.raises(UsageError, match="StableHloOptions are not the options of onnx"):
        convert(load(MLP), Format.ONNX, StableHloOptions())


# Save.


def test_saving_replaces_a_file_whole(tmp_path: Path) -> None:
    target = tmp_path / "model.mlir"
    target.write_text("before")
    converted = convert(load(MLP))
    save(converted, target)
    assert target.read_text() == converted.text
    assert list(tmp_path.iterdir()) == [target]


def fail_midway(stream: IO[bytes]) -> None:
    stream.write(b"half")
    raise OSError(28, "No space left on device")


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"model\.mlir: cannot be written: No space left on device"):
        write_whole(tmp_path / "model.mlir", fail_midway)
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "model.mlir").write_text("before")
    with pytest.raises(UsageError):
        write_whole(tmp_path / "model.mlir", fail_midway)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("model.mlir", "before")]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written: No such file or directory"):
        save(convert(load(MLP)), tmp_path / "none" / "model.mlir")


# Run.


@pytest.mark.parametrize("engine", [EngineName.REFERENCE, EngineName.ONNXRUNTIME])
def test_engines_of_the_core(engine: EngineName) -> None:
    found = run(load(MLP), IMAGE, engine=engine)
    assert list(found) == ["logits"]
    assert (found["logits"].shape, found["logits"].dtype) == ((1, 10), np.float32)
    np.testing.assert_array_equal(found["logits"], run(load(MLP), IMAGE)["logits"])


@pytest.mark.stablehlo
def test_the_stablehlo_engine() -> None:
    found = run(load(MLP), IMAGE, engine=EngineName.STABLEHLO, options=StableHloOptions(exact_rounding=True))
    np.testing.assert_array_equal(found["logits"], run(load(MLP), IMAGE)["logits"])


@pytest.mark.iree
def test_the_iree_engine() -> None:
    found = run(load(MLP), IMAGE, engine=EngineName.IREE)
    assert found["logits"].argmax() == run(load(MLP), IMAGE)["logits"].argmax()


def test_an_input_without_a_value() -> None:
    with pytest.raises(UsageError, match="no array for input 'image': the arrays given are 'picture'"):
        run(load(MLP), {"picture": IMAGES[:1]})


def test_an_input_of_another_shape() -> None:
    message = r"input 0 is float32\[2, 1, 8, 8\], the model takes tensor<1x1x8x8xf32>"
    with pytest.raises(ConversionError, match=message):
        run(load(MLP), {"image": IMAGES[:2]})


def test_onnxruntime_runs_onnx() -> None:
    with pytest.raises(UsageError, match="onnxruntime runs ONNX models; <bytes> is stablehlo"):
        run(load(convert(load(MLP)).text.encode()), IMAGE, engine=EngineName.ONNXRUNTIME)
