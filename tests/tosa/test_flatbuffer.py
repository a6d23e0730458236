"""TOSA's flatbuffers: each field equals tosa-opt's, weights are written while they are read, large files refused."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from importlib import metadata
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import qconvert
from benchmarks.measure import anonymous_peak_of
from benchmarks.models import write_large_model
from qconvert import Format, TosaOptions, api
from qconvert.backends.base import Profile
from qconvert.backends.flatbuffer import LARGEST
from qconvert.backends.tosa import weights
from qconvert.backends.tosa.ports import with_own_tensors
from qconvert.backends.tosa.schema import attributes_of, binding
from qconvert.backends.tosa.target import target_of
from qconvert.cli import convert as conversion
from qconvert.dialects.families import defined
from qconvert.dialects.tosa import ConstOp, ConstShapeOp
from qconvert.engines import tosa, tosa_opt
from qconvert.formats import FORMATS, binary_form
from qconvert.frontends.mlir import load_text
from qconvert.ir import module_bytes
from qconvert.support.errors import ConversionError, EngineError, EngineMissingError
from tests.support.commands import refused
from tests.support.paths import FIXTURES, SHARED_MODELS

pytestmark = pytest.mark.tosa

OPS = (Path(__file__).parent / "ops.mlir").read_text().split("// -----\n")
MODELS = [*sorted(FIXTURES.glob("**/*.onnx")), *sorted(FIXTURES.glob("*.tflite"))]
SHARED = [path for suffix in ("onnx", "tflite") for path in sorted(SHARED_MODELS.glob(f"*/*.{suffix}"))]
PLACE = re.compile(r'loc\(\\"<stdin>\\":\d+:\d+\)')


def ours(module: ModuleOp) -> bytes:
    form = FORMATS[Format.TOSA].binary
    assert form is not None
    return form.write(module)


def theirs(module: ModuleOp) -> bytes:
    return tosa.serialize(module_bytes(with_own_tensors(module)), target=target_of(module))


def fields(content: bytes, folder: Path) -> str:
    """Return all fields as flatc reads them; tosa-opt gives ops without a name their place in the text that it read."""
    path, tools = folder / "m.tosa", tosa_opt.program().parent
    path.write_bytes(content)
    options = ("--json", "--raw-binary", "--strict-json", "-o", folder, tools / "tosa.fbs", "--", path)
    subprocess.run([tools / "flatc", *options], check=True)
    return PLACE.sub("loc(unknown)", path.with_suffix(".json").read_text())


def assert_equal(module: ModuleOp, folder: Path) -> None:
    made, expected = (fields(write(module), folder) for write in (ours, theirs))
    assert len(made) > 500
    assert made == expected


@pytest.mark.parametrize("text", OPS)
def test_every_op_is_written_as_tosa_opt_does(text: str, tmp_path: Path) -> None:
    assert_equal(load_text(text, "ops.mlir"), tmp_path)


def test_every_op_and_property_is_in_the_schema() -> None:
    """A property is a field of the operator's table, but for the elements of constants, which tensors have."""
    from qconvert.dialects import tosa as dialect

    kinds = {op.name: type(op) for text in OPS for op in load_text(text, "ops.mlir").walk() if op.name[:5] == "tosa."}
    for op in (op for text in OPS for op in load_text(text, "ops.mlir").walk() if type(op) in kinds.values()):
        assert len(attributes_of(op).fields) >= len(op.properties) - isinstance(op, ConstOp | ConstShapeOp)
    assert set(kinds.values()) >= set(defined(Operation, dialect))


def test_the_union_of_attributes_has_the_operators_numbers() -> None:
    """The schema says so: tables are found by that."""
    operators, tables = (vars(getattr(binding(name), name)) for name in ("Op", "Attribute"))
    numbers = {name.replace("_", "").lower(): value for name, value in operators.items() if isinstance(value, int)}
    named = {name.removesuffix("Attribute").lower(): value for name, value in tables.items() if isinstance(value, int)}
    assert {name: value for name, value in numbers.items() if value} == {k: v for k, v in named.items() if v}


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_a_fixture_is_written_as_tosa_opt_does(model: Path, tmp_path: Path) -> None:
    assert_equal(qconvert.convert(qconvert.load(model), Format.TOSA).module, tmp_path)


@pytest.mark.corpora
@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "profile"),
    list(zip(SHARED, cycle(Profile), strict=False)),
    ids=lambda value: getattr(value, "stem", value),
)
def test_a_shared_model_is_written_as_tosa_opt_does(model: Path, profile: Profile, tmp_path: Path) -> None:
    """Profiles take turns, since a large model takes seconds in each."""
    try:
        module = qconvert.convert(qconvert.load(model), Format.TOSA, TosaOptions(profile=profile)).module
    except ConversionError:
        pytest.skip("TOSA does not have it")
    assert_equal(module, tmp_path)


ELEMENTS = """func.func @main() -> (tensor<7xi4>, tensor<3xi48>, tensor<5xi1>, tensor<3xbf16>, tensor<3xf8E4M3FN>,
    tensor<3xf8E5M2>, tensor<i8>, tensor<3xf16>, tensor<2x2xi16>) {
  %0 = "tosa.const"() <{values = dense<[-7, 7, 1, 2, -1, 0, 3]> : tensor<7xi4>}> : () -> tensor<7xi4>
  %1 = "tosa.const"() <{values = dense<[-1, 140737488355327, -140737488355328]> : tensor<3xi48>}> : () -> tensor<3xi48>
  %2 = "tosa.const"() <{values = dense<[true, false, true, true, false]> : tensor<5xi1>}> : () -> tensor<5xi1>
  %3 = "tosa.const"() <{values = dense<[1.0, -2.5, 0x7FC0]> : tensor<3xbf16>}> : () -> tensor<3xbf16>
  %4 = "tosa.const"() <{values = dense<[1.0, -2.5, 3.0]> : tensor<3xf8E4M3FN>}> : () -> tensor<3xf8E4M3FN>
  %5 = "tosa.const"() <{values = dense<[1.0, -2.5, 3.0]> : tensor<3xf8E5M2>}> : () -> tensor<3xf8E5M2>
  %6 = "tosa.const"() <{values = dense<-7> : tensor<i8>}> : () -> tensor<i8>
  %7 = "tosa.const"() <{values = dense<[1.0, -2.5, 0x7C00]> : tensor<3xf16>}> : () -> tensor<3xf16>
  %8 = "tosa.const"() <{values = dense<[[1, -2], [-32768, 32767]]> : tensor<2x2xi16>}> : () -> tensor<2x2xi16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<7xi4>, tensor<3xi48>, tensor<5xi1>, tensor<3xbf16>,
    tensor<3xf8E4M3FN>, tensor<3xf8E5M2>, tensor<i8>, tensor<3xf16>, tensor<2x2xi16>
}"""


def test_elements_of_every_type_are_written_as_tosa_opt_does(tmp_path: Path) -> None:
    assert_equal(load_text(ELEMENTS, "e.mlir"), tmp_path)


def maximum(*locations: str, ports: tuple[str, str] = ("x", "y")) -> ModuleOp:
    """Return a chain of maxima, one for each location."""
    lines = [
        f"%{i + 1} = tosa.maximum %{i}, %0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32> {location}"
        for i, location in enumerate(locations)
    ]
    names = [f'tensor<2xi32> {{tosa.tensor_name = "{name}"}}' for name in ports]
    body = "\n  ".join([*lines, f"return %{len(locations)} : tensor<2xi32>"])
    return load_text(f"func.func @f(%0: {names[0]}) -> ({names[1]}) {{\n  {body}\n}}", "m.mlir")


LOCATIONS = (r'loc("a\22b\5Cé/x\0A")', 'loc(fused["a", "b", "a"])', 'loc("a")')


def test_names_of_every_letter_and_fused_names_are_locations(tmp_path: Path) -> None:
    assert_equal(maximum(*LOCATIONS, ports=("é x", r"y\22z")), tmp_path)
    assert r'"text": "loc(\"a\\22b\\\\\\C3\\A9/x\\0A\")"' in fields(ours(maximum(*LOCATIONS)), tmp_path)


def test_an_op_without_a_name_has_no_location(tmp_path: Path) -> None:
    assert '"text": "loc(unknown)"' in fields(ours(maximum("")), tmp_path)


def test_ports_that_are_named_as_other_tensors_keep_their_names(tmp_path: Path) -> None:
    """tosa-opt gives two tensors one name."""
    module = maximum("", "", "", ports=("layer_0", "layer_1"))
    (tmp_path / "m.tosa").write_bytes(ours(module))
    read = qconvert.load(tmp_path / "m.tosa")
    assert (read.input_names, read.output_names) == (("layer_0",), ("layer_1",))
    found = qconvert.run(read, {"layer_0": np.int32([3, -1])}, engine=qconvert.EngineName.TOSA)
    assert found["layer_1"].tolist() == [3, -1]


def test_an_output_that_has_an_inputs_name_is_refused() -> None:
    """The file would have two tensors of one name, which tosa-opt writes and does not read."""
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "yx"],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made = api.convert(api.load(model.SerializeToString()), Format.TOSA)
    with pytest.raises(ConversionError, match="2 ports have the name 'x', a TOSA flatbuffer needs one"):
        ours(made.module)


@pytest.mark.parametrize("text", ["module {}", "func.func private @main(tensor<2xf32>) -> tensor<2xf32>"])
def test_a_module_that_computes_nothing_is_refused(text: str) -> None:
    with pytest.raises(ConversionError, match="no function with a body, a TOSA flatbuffer has one"):
        ours(load_text(text, "m.mlir"))


def test_minus_8_in_4_bits_is_refused() -> None:
    """tosa-opt writes a constant without elements."""
    with pytest.raises(ConversionError, match="the integer -8 is in a constant of 4 bits, TOSA's begin at -7"):
        ours(load_text(ELEMENTS.replace("[-7, 7,", "[-8, 7,"), "e.mlir"))


def test_an_op_of_another_dialect_is_refused() -> None:
    module = load_text("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }", "m.mlir")
    [op] = (op for op in load_text(STABLEHLO, "s.mlir").walk() if op.name == "stablehlo.abs")
    with pytest.raises(ConversionError, match=r"TOSA's flatbuffer has no operator for stablehlo\.abs"):
        attributes_of(op)
    with pytest.raises(EngineError, match="tosa engine: "):
        ours(load_text(STABLEHLO, "s.mlir"))
    assert ours(module)


STABLEHLO = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}"""


@pytest.mark.parametrize("shown", [0, 1 << 30])
def test_modules_without_weights_are_valid(shown: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shifts keep the first shift, as 0 is none; the file does not depend on that."""
    module = qconvert.convert(qconvert.load(FIXTURES / "digits_cnn_int8.onnx"), Format.TOSA).module
    content = ours(module)
    monkeypatch.setattr(weights, "_SHOWN_BYTES", shown)
    assert ours(module) == content


def test_wrong_operands_are_found_without_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """tosa-opt sees the shapes of weights."""
    monkeypatch.setattr(weights, "_SHOWN_BYTES", 0)
    text = """func.func @main(%a: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %0 = "tosa.const"() <{values = dense<1.0> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
  %1 = "tosa.add"(%a, %0) : (tensor<2x4xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}"""
    from qconvert.frontends.mlir.parsing import parse_module

    with pytest.raises(EngineError, match="tosa engine: "):
        ours(parse_module(text))


def with_sparse_weights(path: Path, *rows: int) -> Path:
    """Write a chain of quantized products whose weights are a file without blocks on the disk."""
    known = [numpy_helper.from_array(np.float32(0.1), "s"), numpy_helper.from_array(np.int8(0), "z")]
    nodes, end = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q0"])], 0
    for i, (inner, outer) in enumerate(zip((1, *rows), rows, strict=False)):
        tensor = TensorProto(name=f"w{i}", data_type=TensorProto.INT8, dims=(inner, outer))
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in {"location": "w.bin", "offset": str(end), "length": str(inner * outer)}.items():
            tensor.external_data.add(key=key, value=value)
        known.append(tensor)
        end += inner * outer
        nodes += [
            helper.make_node("DequantizeLinear", [f"q{i}", "s", "z"], [f"x{i}"]),
            helper.make_node("DequantizeLinear", [f"w{i}", "s", "z"], [f"v{i}"]),
            helper.make_node("MatMul", [f"x{i}", f"v{i}"], [f"m{i}"]),
            helper.make_node("QuantizeLinear", [f"m{i}", "s", "z"], [f"q{i + 1}"]),
        ]
    nodes.append(helper.make_node("DequantizeLinear", [f"q{len(rows)}", "s", "z"], ["y"]))
    ports = [helper.make_tensor_value_info("x", 1, (1, 1)), helper.make_tensor_value_info("y", 1, (1, rows[-1]))]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], known)
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    with path.with_name("w.bin").open("wb") as stream:
        os.truncate(stream.fileno(), end)
    return path


def test_a_file_of_more_than_2_gigabytes_is_refused_before_weights_are_read(tmp_path: Path) -> None:
    model, side = tmp_path / "m.onnx", 1 << 15
    with_sparse_weights(model, side, side, side)
    message = refused("convert", model, "-o", tmp_path / "m.tosa")
    assert re.search(rf"the \.tosa file would have 2,\d+,\d+,\d+ bytes, a flatbuffer has at most {LARGEST:,}", message)
    assert "Write TOSA's text (.tosa.mlir), which has no limit" in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.onnx", "w.bin"]


def test_twice_as_much_is_refused_before_it_is_converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, side = tmp_path / "m.onnx", 1 << 15
    with_sparse_weights(model, *[side] * 6)
    monkeypatch.setattr(conversion, "convert_model", None)
    message = refused("convert", model, "-o", tmp_path / "m.tosa")
    assert message.startswith(f"{model}: the .tosa file would have more than 2,684,370,944 bytes, a flatbuffer has")


PRODUCTS = """func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = stablehlo.constant dense<1.0> : tensor<4x4xf32>
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %known = stablehlo.dot_general %w, %t, PRODUCT
  %y = stablehlo.dot_general %a, %t, PRODUCT
  %z = stablehlo.dot_general %a, %known, PRODUCT
  %s = stablehlo.add %a, %w : tensor<4x4xf32>
  return RESULT : tensor<4x4xf32>
}""".replace("PRODUCT", "contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>")


@pytest.mark.parametrize(("result", "is_counted"), [("%y", True), ("%s", False), ("%z", False)])
def test_weights_are_counted_that_an_output_is_multiplied_by(
    result: str, is_counted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """%known is a constant of its own, and products without users are removed."""
    monkeypatch.setattr(weights, "LARGEST", 7)
    module = load_text(PRODUCTS.replace("RESULT", result), "m.mlir")
    with pytest.raises(ConversionError, match="more than 8 bytes") if is_counted else contextlib.nullcontext():
        weights.check_source(module)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="anonymous memory is known on Linux")
def test_weights_need_little_anonymous_memory(tmp_path: Path) -> None:
    peaks = []
    for megabytes in (1, 400):
        model = tmp_path / f"m{megabytes}.onnx"
        write_large_model(model, megabytes, beside=True)
        peaks.append(anonymous_peak_of("qconvert", "convert", str(model), "-o", str(tmp_path / "out.tosa")))
    assert peaks[1] - peaks[0] < 200


def test_without_tosa_tools_one_line_says_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(distribution: str) -> str:
        raise metadata.PackageNotFoundError(distribution)

    monkeypatch.setattr(metadata, "version", version)
    converted = qconvert.convert(qconvert.load(FIXTURES / "digits_mlp_int8.onnx"), Format.TOSA)
    with pytest.raises(EngineMissingError, match=r"tosa-tools is missing\): pip install 'qconvert\[tosa\]'"):
        qconvert.save(converted, tmp_path / "m.tosa")
    qconvert.save(converted, tmp_path / "m.tosa.mlir")
    assert [path.name for path in tmp_path.iterdir()] == ["m.tosa.mlir"]


def test_a_name_that_ends_in_tosa_chooses_the_flatbuffer() -> None:
    assert binary_form("m.tosa") is FORMATS[Format.TOSA].binary
