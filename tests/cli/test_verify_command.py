"""``qconvert verify``, and the constraints on weights that every command checks where StableHLO is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qconvert import ConversionError, convert, load, save, transform, verify
from qconvert.frontends.mlir import load_text
from qconvert.ir import module_text
from qconvert.passes.cleanup.strip_attributes import StripAttributes
from tests.support.commands import process, qconvert
from tests.support.paths import FIXTURES

Q = "!quant.uniform<i8:f32, 0.5>"
SHIFTED = "!quant.uniform<i8:f32, 0.5:3>"
NARROW = "!quant.uniform<i4:f32, 0.5>"
WIDE = "!quant.uniform<i32:f32, 0.25>"


def per_axis(dimension: int, storage: str = "i8", count: int = 2) -> str:
    return f"!quant.uniform<{storage}:f32:{dimension}, {{{', '.join(['0.5'] * count)}}}>"


def dot(lhs: str, rhs: str, result: str) -> str:
    types = f"tensor<2x2x{lhs}>", f"tensor<2x2x{rhs}>"
    return f"""func.func @main(%x: {types[0]}, %w: {types[1]}) -> tensor<2x2x{result}> {{
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({types[0]}, {types[1]}) -> tensor<2x2x{result}>
  return %0 : tensor<2x2x{result}>
}}
"""


def convolution(lhs: str, rhs: str, result: str) -> str:
    shape = "tensor<1x2x2x"
    types = f"{shape}{lhs}>", f"tensor<1x2x2x{rhs}>"
    return f"""func.func @main(%x: {types[0]}, %w: {types[1]}) -> {shape}{result}> {{
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{}}
       {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({types[0]}, {types[1]}) -> {shape}{result}>
  return %0 : {shape}{result}>
}}
"""


VIOLATIONS = {
    "dot_general C14": dot(Q, Q, "f32"),
    "dot_general C14 hybrid": dot("f32", Q, Q),
    "dot_general C15": dot(Q, SHIFTED, WIDE),
    "dot_general C15 hybrid": dot("f32", SHIFTED, "f32"),
    "dot_general C16": dot(Q, per_axis(0), WIDE),
    "dot_general C16 hybrid": dot("f32", per_axis(0), "f32"),
    "dot_general C17": dot(Q, NARROW, WIDE),
    "dot_general C19": dot(Q, Q, per_axis(1, "i32")),
    "convolution C28": convolution(Q, Q, "f32"),
    "convolution C28 hybrid": convolution("f32", Q, Q),
    "convolution C29": convolution(Q, per_axis(1), WIDE),
    "convolution C29 hybrid": convolution("f32", per_axis(1), "f32"),
    "convolution C30": convolution(Q, per_axis(2), per_axis(1, "i32")),
    "convolution C31": convolution(Q, NARROW, WIDE),
    "convolution C33": convolution(Q, Q, per_axis(2, "i32")),
}
"""Modules by the constraint that their only op violates, at line 2."""

VALID = {
    "dot_general": dot(Q, Q, WIDE),
    "dot_general, per axis": dot(Q, per_axis(1), per_axis(1, "i32")),
    "hybrid dot_general": dot("f32", per_axis(1), "f32"),
}


@pytest.mark.row("D19")
@pytest.mark.parametrize("name", VIOLATIONS)
def test_weights_that_stablehlo_forbids_are_refused_where_a_module_is_read(name: str) -> None:
    op, number, *_ = name.split()
    with pytest.raises(ConversionError, match=rf"^t:2:3: stablehlo.{op}: {op} \({number}\b"):
        load_text(VIOLATIONS[name], "t")


@pytest.mark.parametrize("name", VIOLATIONS)
def test_verify_cites_their_constraints(name: str) -> None:
    op, number, *_ = name.split()
    [violation] = verify(VIOLATIONS[name].encode()).violations
    assert (violation.place, violation.op, violation.subject) == ("<bytes>:2:3", f"stablehlo.{op}", op)
    assert violation.constraint.split(",")[0] == number
    assert str(violation).startswith(f"<bytes>:2:3: ({violation.constraint}) of {op}: ")


def test_a_constraint_is_cited_once() -> None:
    taken, made = (f"tensor<{shape}x{per_axis(0)}>" for shape in ("2x2", "4"))
    op = f"stablehlo.reshape %x : ({taken}) -> {made}"
    text = f"func.func @main(%x: {taken}) -> {made} {{\n  %0 = {op}\n  return %0 : {made}\n}}"
    violation, *_ = verify(text.encode()).violations  # the result's type is wrong as well
    assert (violation.constraint, violation.subject) == ("C3", "reshape")
    assert str(violation).count("(C3)") == 1
    assert "mixes the slices of quantization dimension 0 (operands: " in violation.found


@pytest.mark.parametrize("name", VALID)
def test_weights_that_it_allows_are_read(name: str) -> None:
    load_text(VALID[name], "t")
    assert verify(VALID[name].encode()).violations == ()


@pytest.mark.stablehlo
def test_stablehlos_verifier_agrees() -> None:
    from qconvert.engines import stablehlo
    from qconvert.support.errors import EngineError

    answers = stablehlo.verify_many([*VIOLATIONS.values(), *VALID.values()])
    refused = [isinstance(answer, EngineError) for answer in answers]
    assert refused == [True] * len(VIOLATIONS) + [False] * len(VALID)


def test_the_ir_of_an_onnx_model_is_read_with_the_weights_that_it_has() -> None:
    ir = transform(load(FIXTURES / "digits_mlp_uint8.onnx"), ["fold", "legalize-qdq-to-quantized-op"])
    load_text(ir.text, "ir")
    StripAttributes().apply(ir.module)
    with pytest.raises(ConversionError, match=r"dot_general \(C15\)"):
        load_text(module_text(ir.module), "ir")


TWO = """func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.abs %x : tensor<2x!quant.uniform<i8:f32, 0.5>>
  %1 = "stablehlo.transpose"(%0) <{permutation = array<i64: 1>}> : (tensor<2x!quant.uniform<i8:f32, 0.5>>)
       -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %2 = "stablehlo.concatenate"(%y, %y) <{dimension = 4 : i64}> : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  return %y : tensor<3xf32>
}
"""


@pytest.mark.slow
def test_all_violations_are_printed(tmp_path: Path) -> None:
    file = tmp_path / "two.mlir"
    file.write_text(f"{TWO}// -----\n{VIOLATIONS['dot_general C15']}")
    lines = process("verify", file, status=1).stdout.splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"{file}:{place}" for place in ("3:3", "5:3", "10:3")] + [
        str(file)
    ]
    assert "stablehlo.transpose: " in lines[0]
    assert ": (C15) of dot_general: rhs must have zero point 0" in lines[2]
    assert lines[3] == f"{file}: 3 violations of StableHLO's specification"


def test_ops_that_use_an_op_without_a_property_are_left_out() -> None:
    text = """func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
      %0 = "stablehlo.constant"() : () -> tensor<2xi64>
      %1 = stablehlo.dynamic_reshape %x, %0 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
      %2 = "stablehlo.transpose"(%1) <{permutation = array<i64: 0, 2>}> : (tensor<3x2xf32>) -> tensor<3x2xf32>
      return %1 : tensor<3x2xf32>
    }"""
    assert [violation.op for violation in verify(text.encode()).violations] == [
        "stablehlo.constant",
        "stablehlo.transpose",
    ]


def test_a_valid_module_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "valid.mlir"
    file.write_text(VALID["dot_general"])
    assert qconvert("verify", file).stdout == f"{file}: valid StableHLO\n"


OPEN = """func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.add %x, %y : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
"""


def test_open_dimensions_are_checked_at_a_size(tmp_path: Path) -> None:
    file = tmp_path / "open.mlir"
    file.write_text(OPEN)
    assert qconvert("verify", file, "--dim", "arg0.0=3", "--dim", "arg1.0=3").stdout == f"{file}: valid StableHLO\n"
    assert (
        "must have one shape, found 3x4, 2x4"
        in qconvert("verify", file, "--dim", "arg0.0=3", "--dim", "arg1.0=2", status=2).stderr
    )
    assert "no input has a dimension 'N'" in qconvert("verify", file, "--dim", "N=2", status=2).stderr


def test_json(tmp_path: Path) -> None:
    file = tmp_path / "one.mlir"
    file.write_text(VIOLATIONS["convolution C29"])
    found = json.loads(qconvert("verify", file, "--json", status=1).stdout)
    assert (found["file"], found["format"]) == (str(file), "stablehlo")
    [violation] = found["violations"]
    assert (violation["place"], violation["constraint"], violation["op"]) == (
        f"{file}:2:3",
        "C29",
        "stablehlo.convolution",
    )


@pytest.mark.parametrize("content", ["module {", "func.func @main() { %0 = stablehlo.nothing }", "no mlir"])
def test_input_that_cannot_be_read_has_status_2(tmp_path: Path, content: str) -> None:
    file = tmp_path / "broken.mlir"
    file.write_text(content)
    assert str(file) in qconvert("verify", file, status=2).stderr


def test_files_that_are_no_text() -> None:
    assert "valid ONNX" in qconvert("verify", FIXTURES / "digits_cnn_int8.onnx").stdout
    assert "cannot be read" in qconvert("verify", "no-such-file.mlir", status=2).stderr


def test_ops_of_qconvert_are_violations_of_stablehlo() -> None:
    op = '"qconvert.erf"(%x) : (tensor<2xf32>) -> tensor<2xf32>'
    text = f"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{ %0 = {op}\n  return %0 : tensor<2xf32> }}"
    [violation] = verify(text.encode()).violations
    assert violation.found.startswith("StableHLO does not have this op")


TOSA = """module attributes {tosa.target_env = #tosa.target_env<specification_version = "1.0", level = "8k",
  profiles = [pro_int], extensions = []>} {
  func.func @main(%x: tensor<1x1x1x1x1x1x2xi8>, %y: tensor<2xi16>) -> (tensor<1x1x1x1x1x1x2xi8>, tensor<2xi16>) {
    %0 = "tosa.abs"(%x) : (tensor<1x1x1x1x1x1x2xi8>) -> tensor<1x1x1x1x1x1x3xi8>
    %1 = "tosa.concat"(%y, %y) <{axis = 0 : i32}> : (tensor<2xi16>, tensor<2xi16>) -> tensor<4xi16>
    return %x, %y : tensor<1x1x1x1x1x1x2xi8>, tensor<2xi16>
  }
}
"""


def test_tosa_is_checked_against_its_levels_and_the_named_target() -> None:
    text = TOSA.replace("    %1 = stablehlo.abs %y : tensor<2xi16>\n", "")
    found = verify(text.encode())
    assert found.format == "tosa"
    assert [violation.op for violation in found.violations] == [
        "tosa.abs",
        "tosa.abs",
        "tosa.abs",
        "func.return",
        "tosa.abs",
        "builtin.module",
    ]
    texts = found.text()
    assert "a rank of 7 exceeds the limit 6 of TOSA's level 8k" in texts
    assert "the module needs the extension int16, which its target lacks" in texts


@pytest.mark.quick(2)
@pytest.mark.parametrize("to", ["stablehlo", "stablehlo-qdq", "stablehlo-int", "tosa-rescale", "tosa"])
@pytest.mark.parametrize("model", ["digits_cnn_int8.onnx", "digits_mlp_uint8.onnx"])
def test_what_convert_writes_is_valid(model: str, to: str, tmp_path: Path) -> None:
    file = tmp_path / "converted.mlir"
    qconvert("convert", FIXTURES / model, "--to", to, "-o", file)
    assert verify(file).violations == ()


@pytest.mark.stablehlo
@pytest.mark.tosa
@pytest.mark.parametrize(("to", "suffix"), [("stablehlo", ".mlirbc"), ("tosa", ".tosa")])
def test_binary_files(to: str, suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"converted{suffix}"
    save(convert(load(FIXTURES / "digits_cnn_int8.onnx"), to), file)
    assert qconvert("verify", file).stdout.startswith(f"{file}: valid ")
