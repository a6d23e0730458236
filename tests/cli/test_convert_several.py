"""``qconvert convert`` with several models, which are written into a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from qconvert import convert, load
from qconvert.formats import Format
from tests.support.commands import qconvert, refused
from tests.support.paths import FIXTURES

MLP = FIXTURES / "digits_mlp_int8.onnx"
CNN = FIXTURES / "digits_cnn_int8.onnx"
FLOAT = FIXTURES / "float" / "digits_cnn.onnx"
LSTM = FIXTURES / "lstm_int8.tflite"


@pytest.mark.quick(1)
@pytest.mark.parametrize("made", [True, False], ids=["existing", "new"])
@pytest.mark.slow
def test_each_model_becomes_a_file_of_its_name(made: bool, tmp_path: Path) -> None:
    folder = tmp_path / "in" / "here"
    if made:
        folder.mkdir(parents=True)
    done = qconvert("convert", CNN, LSTM, "-o", folder if made else f"{folder}/", "--to", "tosa", "--quantized-io")
    assert sorted(path.name for path in folder.iterdir()) == ["digits_cnn_int8.tosa.mlir", "lstm_int8.tosa.mlir"]
    assert (folder / "lstm_int8.tosa.mlir").read_text() == convert(load(LSTM), Format.TOSA).text
    assert f"note: {CNN}: dimension 'N' is set to 1" in done.stderr


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("to", "name"),
    [
        (Format.ONNX, "digits_mlp_int8.onnx"),
        (Format.STABLEHLO_QDQ, "digits_mlp_int8.stablehlo-qdq.mlir"),
        (Format.TOSA_RESCALE, "digits_mlp_int8.tosa-rescale.mlir"),
    ],
)
def test_a_format_names_its_files(to: Format, name: str, tmp_path: Path) -> None:
    text = tmp_path / "digits_cnn_int8.stablehlo.mlir"
    text.write_text(convert(load(CNN)).text)
    qconvert("convert", MLP, text, "-o", f"{tmp_path}/out/", "--to", to)
    other = name.replace("mlp", "cnn")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [other, name]


def test_what_cannot_be_converted_is_said_and_the_rest_is_written(tmp_path: Path) -> None:
    broken, missing = tmp_path / "broken.onnx", tmp_path / "missing.onnx"
    broken.write_bytes(MLP.read_bytes()[:2000])
    done = qconvert("convert", broken, MLP, missing, CNN, "-o", f"{tmp_path}/out/", "--to", "tosa", status=2)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "digits_cnn_int8.tosa.mlir",
        "digits_mlp_int8.tosa.mlir",
    ]
    first, second = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert first.startswith(f"error: {broken}: ")
    assert second == f"error: {missing}: cannot be read: No such file or directory"


def test_a_model_that_lacks_a_form_leaves_nothing(tmp_path: Path) -> None:
    done = qconvert("convert", FLOAT, LSTM, "-o", f"{tmp_path}/out/", "--to", "tosa", "--profile", "int", status=2)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["lstm_int8.tosa.mlir"]
    assert f"error: {FLOAT}: floats remain in " in done.stderr


def test_what_is_refused_before_any_work(tmp_path: Path) -> None:
    same = tmp_path / "digits_mlp_int8.stablehlo.mlir"
    same.touch()
    out = tmp_path / "out"
    to_tosa = ("-o", f"{out}/", "--to", "tosa")
    for arguments, message in {
        (MLP, CNN, "-o", out, "--to", "tosa"): f"2 models need a folder to be written to: end '{out}' in /, or make it",
        (MLP, CNN, "-o", "-", "--to", "tosa"): "2 models need a folder to be written to: end '-' in /, or make it",
        (MLP, CNN, "-o", f"{out}/"): "2 models need --to FORMAT: a folder's name does not choose a format",
        (MLP, same, *to_tosa): f"{MLP} and {same} would both be written to {out}/digits_mlp_int8.tosa.mlir",
        (MLP, MLP, *to_tosa): f"{MLP} and {MLP} would both be written to {out}/digits_mlp_int8.tosa.mlir",
        (MLP, "-", *to_tosa): "standard input is converted alone, not with other models",
        (MLP, CNN, *to_tosa, "--opset", "17"): "--opset is an option of --to onnx, not of tosa",
        (MLP, CNN, *to_tosa, "--artifact-version", "1.0.0"): "--artifact-version is for one model and StableHLO",
        (MLP, CNN, *to_tosa, "--weights", "w.safetensors"): "--weights is for one model and StableHLO",
        (MLP, CNN, "-o", f"{MLP}/", "--to", "tosa"): f"{MLP}/: cannot be made: File exists",
    }.items():
        assert refused("convert", *arguments) == message
    assert not out.exists()


def test_one_model_needs_a_files_name(tmp_path: Path) -> None:
    assert "does not choose a format" in refused("convert", MLP, "-o", tmp_path)
