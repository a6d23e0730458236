"""``inspect``: what it prints of models, as text and as JSON, and what each format refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from onnx import TensorProto, helper

from qconvert import convert, load
from tests.support.commands import qconvert, refused
from tests.support.paths import FIXTURES, MLP


def test_inspect_says_what_is_in_a_model() -> None:
    out = qconvert("inspect", FIXTURES / "digits_cnn_int8.onnx").stdout
    assert "input   image: tensor<1x1x8x8xf32>" in out
    assert "output  logits: tensor<1x10xf32>" in out
    assert "100.0% in integers" in out
    assert "float   0 of these ops, 0 of them between dequantize and quantize" in out


@pytest.mark.slow
def test_inspect_why_gives_reasons() -> None:
    plain, why = (qconvert("inspect", MLP, *options).stdout for options in ((), ("--why",)))
    assert why.startswith(plain.rstrip("\n"))
    [line] = why.removeprefix(plain.rstrip("\n")).strip().splitlines()
    assert re.fullmatch(r"\S+: \S+: .+", line.strip())


def test_inspect_json() -> None:
    found = json.loads(qconvert("inspect", MLP, "--why", "--json").stdout)
    assert list(found) == [
        "file",
        "format",
        "inputs",
        "outputs",
        "ops",
        "macs",
        "quantized_macs",
        "refusals",
        "float_ops",
        "to",
        "operators",
        "float_operators",
        "weights_bytes",
        "peak_activation_bytes",
        "peak_node",
        "nodes",
        "targets",
    ]
    assert found["inputs"] == [{"name": "image", "type": "tensor<1x1x8x8xf32>"}]
    assert found["quantized_macs"] == found["macs"] > 0
    assert list(found["refusals"][0]) == ["op", "node", "reason", "refused_by"]


def test_inspect_lists_nodes_and_what_each_format_refuses() -> None:
    model = FIXTURES / "float" / "digits_cnn.onnx"
    lines = qconvert("inspect", model).stdout.splitlines()
    row = next(line for line in lines if line.endswith("conv_1 (Conv)"))
    assert row.split()[:8] == ["9,216", "640", "4,352", "float", "1x1x8x8", "f32", "1x16x8x8", "f32"]
    assert "  --to    stablehlo: converts; 19 ops in float in the file" in lines
    refused = lines.index("  --to    tosa --profile int: refused: 12 nodes")
    assert lines[refused + 1].strip() == "conv_1: Conv: its activations have no scale: quantize them statically"
    assert lines[refused + 4].strip() == "and 9 more; qconvert inspect MODEL --target tosa --profile int lists all"
    brief = qconvert("inspect", model, "--brief").stdout.splitlines()
    assert set(brief) < set(lines)
    assert not [line for line in brief if "conv_1 (Conv)" in line or "--to " in line]


@pytest.mark.row("U20")
def test_inspect_names_what_convert_refuses(tmp_path: Path) -> None:
    model = FIXTURES / "float" / "digits_cnn.onnx"
    to_int = ("--to", "tosa", "--profile", "int")
    error = refused("convert", model, "-o", tmp_path / "x.tosa.mlir", *to_int)
    listed = qconvert("inspect", model, "--brief", "--why", *to_int).stdout
    lines = [line.strip() for line in listed.splitlines() if line.startswith("    ")]
    refused_by = " (pass stablehlo-to-tosa)"
    assert lines[0].endswith(refused_by)
    reasons = [line.removesuffix(refused_by).split(": ", 2) for line in lines]
    shown = re.findall(r"'([^']+)' \(([^)]+)\)", error)
    assert [(node, reason) for node, _, reason in reasons][:3] == shown
    assert f"; {len(reasons)} nodes of the source in float as tosa" in listed
    found = qconvert("inspect", model, "--target", *to_int[1:], status=1).stdout.splitlines()
    assert [line.removeprefix(f"{model}: ") for line in found[:-1]] == [": ".join(reason) for reason in reasons]
    assert found[-1] == f"{model}: {len(reasons)} nodes cannot be converted to tosa"


@pytest.mark.row("D04")
def test_inspect_target_names_a_node_that_only_the_format_lacks(tmp_path: Path) -> None:
    """A pool over three dimensions can be read, but TOSA pools over two."""
    pool = helper.make_node("MaxPool", ["r"], ["p"], name="pool3d", kernel_shape=[2, 2, 2])
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], name="q"),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["r"], name="r"),
        pool,
        helper.make_node("QuantizeLinear", ["p", "s", "z"], ["pq"], name="pq"),
        helper.make_node("DequantizeLinear", ["pq", "s", "z"], ["y"], name="y"),
    ]
    constants = [
        helper.make_tensor("s", TensorProto.FLOAT, [], [0.5]),
        helper.make_tensor("z", TensorProto.INT8, [], [0]),
    ]
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in (("x", [1, 1, 4, 4, 4]), ("y", [1, 1, 3, 3, 3]))
    ]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], constants)
    content = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    (tmp_path / "pool.onnx").write_bytes(content)
    (tmp_path / "pool.mlir").write_text(convert(load(content)).text)
    for name in ("pool.onnx", "pool.mlir"):
        model = tmp_path / name
        error = refused("convert", model, "--to", "tosa", "-o", tmp_path / "x.tosa.mlir")
        assert "pool3d" in error
        lines = qconvert("inspect", model, "--target", "tosa", status=1).stdout.splitlines()
        assert lines == [error, f"{model}: at least 1 node cannot be converted to tosa"]
        fits = qconvert("inspect", model, "--target", "stablehlo").stdout
        assert fits == f"{model}: 0 nodes cannot be converted to stablehlo\n"
        piped = qconvert("inspect", "-", "--target", "tosa", status=1, given=model.read_bytes()).stdout
        assert piped.replace("<stdin>", str(model)).splitlines() == lines


@pytest.mark.slow
def test_inspect_counts_every_contraction() -> None:
    lstm = json.loads(qconvert("inspect", FIXTURES / "lstm_int8.tflite", "--json").stdout)
    assert lstm["macs"] == lstm["quantized_macs"] > 0


@pytest.mark.row("U21")
def test_inspect_counts_contractions_of_dynamic_models(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"], name="dynamic"),
        helper.make_node("ConvInteger", ["q", "w", "z"], ["c"], name="conv"),
        helper.make_node("Cast", ["c"], ["y"], name="cast", to=TensorProto.FLOAT),
    ]
    weights = helper.make_tensor("w", TensorProto.UINT8, [2, 1, 3, 3], bytes(range(18)), raw=True)
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in (("x", [1, 1, 4, 4]), ("y", [1, 2, 2, 2]))
    ]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (tmp_path / "dynamic.onnx").write_bytes(model.SerializeToString())
    found = json.loads(qconvert("inspect", tmp_path / "dynamic.onnx", "--json").stdout)
    assert (found["macs"], found["quantized_macs"]) == (72, 72)


@pytest.mark.row("U21")
def test_inspect_gives_no_share_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "add.mlir").write_text(
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.add %a, %a : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}"
    )
    out = qconvert("inspect", tmp_path / "add.mlir").stdout
    assert "  MACs    0\n  float   1 of these ops, 0 of them" in out


def test_inspect_options_need_a_format() -> None:
    assert refused("inspect", MLP, "--profile", "int") == "options of a format need --to FORMAT or --target FORMAT"


def test_inspect_target_lists_what_has_no_way() -> None:
    done = qconvert("inspect", MLP, "--target", "stablehlo")
    assert done.stdout == f"{MLP}: 0 nodes cannot be converted to stablehlo; 1 op in float in the file\n"
