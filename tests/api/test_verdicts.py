"""The verdict of ``inspect`` on a format equals that of ``convert``, also for ops without names and unused floats."""

from __future__ import annotations

from pathlib import Path

import pytest

from qconvert import Format, convert, load
from qconvert.api.fitness import fitness
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.formats import FORMATS
from tests.support.commands import qconvert
from tests.support.paths import FIXTURES
from tests.support.verdicts import assert_verdicts_agree

FILES = [*sorted(FIXTURES.glob("*.onnx")), *sorted(FIXTURES.glob("*.tflite")), FIXTURES / "float" / "digits_cnn.onnx"]

Q, B = (
    "tensor<2x4x!quant.uniform<i8:f32, 0.5>>",
    "tensor<4x4x!quant.uniform<i8:f32:{0:2, 1:2}, {{1.0, 2.0}, {3.0, 4.0}}>>",
)
UNNAMED = {
    "float": """(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>""",
    "between": f"""(%x: {Q}) -> {Q} {{
  %0 = stablehlo.uniform_dequantize %x : ({Q}) -> tensor<2x4xf32>
  %1 = stablehlo.exponential %0 : tensor<2x4xf32>
  %2 = stablehlo.uniform_quantize %1 : (tensor<2x4xf32>) -> {Q}
  return %2 : {Q}""",
    "hybrid": """(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %w = stablehlo.constant() <{value = dense<1> : tensor<4x3xi8>}> : () -> tensor<4x3x!quant.uniform<i8:f32, 0.1>>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<2x4xf32>, tensor<4x3x!quant.uniform<i8:f32, 0.1>>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>""",
    "unused argument": f"""(%x: {Q}, %unused: tensor<3xf32>) -> {Q} {{
  %0 = stablehlo.add %x, %x : {Q}
  return %0 : {Q}""",
    "returned argument": "(%x: tensor<3xf32>) -> tensor<3xf32> {\n  return %x : tensor<3xf32>",
    "blocks": f"""(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {{
  %0 = stablehlo.uniform_quantize %x : (tensor<4x4xf32>) -> {B}
  %1 = stablehlo.uniform_dequantize %0 : ({B}) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>""",
    "integers": """(%x: tensor<4xi32>) -> tensor<4xf32> {
  %0 = stablehlo.convert %x : (tensor<4xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>""",
    "complex": """(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.complex %x, %x : tensor<4xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>""",
}


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_the_verdicts_on_files(file: Path) -> None:
    assert_verdicts_agree(load(file))


@pytest.mark.parametrize("name", UNNAMED)
def test_the_verdicts_on_text_without_names(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(f"func.func @main{UNNAMED[name]}\n}}\n")
    assert_verdicts_agree(load(path))
    for to, integers in ((Format.TOSA, False), (Format.TOSA, True), (Format.TFLITE, True), (Format.ONNX, False)):
        usual = FORMATS[to].checked_options()
        converts = not fitness(load(path), to, usual.in_integers() if integers else usual).refused
        profile = ("--profile", "int") if integers else ()
        out = tmp_path / f"out{FORMATS[to].suffix}"
        qconvert("convert", path, "--to", to, *profile, "-o", out, status=0 if converts else 2)
        qconvert("inspect", path, "--target", to, *profile, status=0 if converts else 1)


@pytest.mark.parametrize("source", ["digits_mlp_int8.onnx", "lstm_int8.tflite"])
@pytest.mark.parametrize("to", [Format.TOSA, Format.TOSA_RESCALE])
def test_the_verdicts_on_lowered_integers(source: str, to: Format) -> None:
    assert_verdicts_agree(load(convert(load(FIXTURES / source), to).text.encode()))


def test_ops_without_names_are_refused_by_their_places(tmp_path: Path) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(f"func.func @main{UNNAMED['float']}\n}}\n")
    [refusal] = fitness(load(path), Format.TOSA, TosaOptions(profile=Profile.INT)).refused
    assert (refusal.node, refusal.op) == (f"{path}:2:3", "stablehlo.add")
    listed = qconvert("inspect", path, "--target", "tosa", "--profile", "int", status=1).stdout
    assert listed.startswith(f"{path}:2:3: stablehlo.add: its operands are not quantized\n")
    assert fitness(load(path), Format.TOSA).floats == 1


def test_a_float_that_no_op_uses_is_refused_in_integers() -> None:
    model = load(f"func.func @main{UNNAMED['unused argument']}\n}}\n".encode())
    found = fitness(model, Format.TOSA, TosaOptions(profile=Profile.INT))
    assert [str(refusal) for refusal in found.refused] == ["model: an argument or a result is a float"]
    assert found.outcome == "refused: 1 node"
