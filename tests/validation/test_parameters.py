"""``qconvert.diff``: correct conversions do not differ, and planted faults are named with their layers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import qconvert
from qconvert import Format, HeldAs, OnnxOptions, StableHloOptions, Style, TfliteOptions, TosaOptions, WriteOptions
from qconvert.backends.ethos_u.accelerator import find_npu
from qconvert.backends.tosa import HalfRounding, Profile
from qconvert.validation.parameters.unequal import order_between, unequal
from tests.support.paths import FIXTURES, MLP, ROOT
from tests.support.planted_faults import FAULTS, network, planted_fault

CNN = FIXTURES / "digits_cnn_int8.onnx"
UNSIGNED_CNN = FIXTURES / "digits_cnn_uint8.onnx"
UNSIGNED_MLP = FIXTURES / "digits_mlp_uint8.onnx"

WRITTEN = [
    pytest.param(Format.ONNX, None, ".onnx", id="onnx"),
    pytest.param(Format.ONNX, OnnxOptions(style=Style.QOPERATOR), ".onnx", id="qoperator"),
    pytest.param(Format.TFLITE, None, ".tflite", id="tflite"),
    pytest.param(Format.TFLITE, TfliteOptions(storage=HeldAs.SOURCE), ".tflite", id="tflite-uint8"),
    pytest.param(Format.STABLEHLO, None, ".mlir", id="stablehlo"),
    pytest.param(Format.STABLEHLO_QDQ, None, ".stablehlo-qdq.mlir", id="stablehlo-qdq"),
    pytest.param(Format.STABLEHLO_INT, None, ".stablehlo-int.mlir", id="stablehlo-int"),
    pytest.param(Format.TOSA_RESCALE, None, ".tosa-rescale.mlir", id="tosa-rescale"),
    pytest.param(Format.TOSA, None, ".tosa.mlir", id="tosa"),
    pytest.param(Format.TOSA, None, ".tosa", id="flatbuffer", marks=pytest.mark.tosa),
]
"""Formats with options, and the suffix of a file."""

FOUR = [each for each in WRITTEN if each.id in ("onnx", "tflite", "stablehlo", "tosa")]


def written(source: Path | bytes, path: Path, to: Format, options: WriteOptions | None = None) -> Path:
    qconvert.save(qconvert.convert(qconvert.load(source), to, options), path)
    return path


@pytest.mark.quick(4)
@pytest.mark.parametrize("source", [MLP, UNSIGNED_CNN, FIXTURES / "svdf_int8.tflite"], ids=lambda path: path.stem)
@pytest.mark.parametrize(("to", "options", "suffix"), WRITTEN)
def test_a_conversion_does_not_differ(
    tmp_path: Path, source: Path, to: Format, options: WriteOptions | None, suffix: str
) -> None:
    path = written(source, tmp_path / f"written{suffix}", to, options)
    for pair in ((source, path), (path, source)):
        found = qconvert.diff(*pair)
        assert found.equal, found.findings


def test_models_of_other_styles_and_storage_do_not_differ() -> None:
    """One file has int8 in QOperator, the other uint8 in QDQ; both have the same scales."""
    found = qconvert.diff(CNN, UNSIGNED_CNN)
    assert found.equal, found.findings
    assert any("signed integers" in purpose for purpose in found.on_purpose)


@pytest.mark.quick(6)
@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize(("to", "options", "suffix"), FOUR)
def test_a_planted_fault_is_named(
    tmp_path: Path, kind: str, to: Format, options: WriteOptions | None, suffix: str
) -> None:
    fault = FAULTS[kind]
    path = written(planted_fault(kind).SerializeToString(), tmp_path / f"bad{suffix}", to, options)
    found = qconvert.diff(network().SerializeToString(), path)
    assert not found.equal
    first = found.findings[0]
    assert first.layer in fault.layers
    assert (fault.in_tosa if to is Format.TOSA else fault.parameter) in f"{first.parameter} {first.text}"


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", ["scale of a channel", "pads", "dropped ReLU"])
@pytest.mark.parametrize(("to", "options", "suffix"), FOUR)
def test_a_fault_in_a_signed_form_of_an_unsigned_model(
    tmp_path: Path, kind: str, to: Format, options: WriteOptions | None, suffix: str
) -> None:
    bad = planted_fault(kind, np.uint8).SerializeToString()
    path = written(bad, tmp_path / f"bad{suffix}", to, options)
    found = qconvert.diff(network(np.uint8).SerializeToString(), path)
    assert found.findings[0].layer in FAULTS[kind].layers


def test_a_scale_is_told_by_channel_with_its_factor() -> None:
    [weights, bias] = qconvert.diff(network().SerializeToString(), _bytes("scale of a channel")).findings
    assert (weights.parameter, bias.parameter) == ("weights scale", "bias scale")
    assert weights.text.startswith("channel 3: ")
    assert weights.text.endswith(", 1.5 times")


def test_weights_are_told_as_integers_and_as_numbers() -> None:
    [found] = qconvert.diff(network().SerializeToString(), _bytes("one weight")).findings
    assert re.fullmatch(
        r"1 of 1,280 integers differ, all in channel 5; at \[5, 60\]: -13 against -12 \(-0\.\d+ against -0\.\d+\)",
        found.text,
    )


def test_exchanged_channels_and_transposed_weights_are_told() -> None:
    good = network().SerializeToString()
    [exchanged] = qconvert.diff(good, _bytes("swapped channels")).findings
    assert exchanged.text == "the slices of channels 2, 5 are exchanged"
    [transposed] = qconvert.diff(good, _bytes("transposed weights")).findings
    assert transposed.text == "transposed: equal in the order [0, 1, 3, 2] of dimensions"


def _bytes(kind: str) -> bytes:
    return planted_fault(kind).SerializeToString()


def edited(path: Path, pattern: str, change: Callable[[re.Match[str]], str]) -> Path:
    """Write a text with the last match of a pattern changed."""
    text = path.read_text()
    *_, last = re.finditer(pattern, text)
    bad = path.with_name(f"bad_{path.name}")
    bad.write_text(text[: last.start()] + change(last) + text[last.end() :])
    return bad


def test_a_shift_of_a_rescale_is_told_as_its_factor(tmp_path: Path) -> None:
    """A text of TOSA without names of layers: they are those of the source at the same place."""
    path = written(UNSIGNED_MLP, tmp_path / "mlp.tosa.mlir", Format.TOSA)
    bad = edited(path, r"dense<39> : tensor<1xi8>", lambda _: "dense<40> : tensor<1xi8>")
    unnamed = tmp_path / "unnamed.tosa.mlir"
    unnamed.write_text(re.sub(r" loc\(.*\)$", "", bad.read_text(), flags=re.MULTILINE))
    for file in (bad, unnamed):
        found = qconvert.diff(UNSIGNED_MLP, file)
        assert {each.parameter for each in found.findings} == {"RESCALE factor"}
        assert all(each.text.endswith("0.5 times") for each in found.findings)
        assert found.findings[0].layer == "gemm_3"


def test_a_scale_in_a_text_of_stablehlo(tmp_path: Path) -> None:
    path = written(MLP, tmp_path / "mlp.mlir", Format.STABLEHLO)
    scale = 0.14551343023777008
    text = path.read_text()
    assert str(scale) in text
    bad = tmp_path / "bad.mlir"
    bad.write_text(text.replace(str(scale), str(2 * scale)))
    for pair in ((MLP, bad), (path, bad)):
        [found] = qconvert.diff(*pair).findings
        assert (found.layer, found.parameter) == ("gemm_3", "scale")
        assert found.text.endswith("2 times")


def test_another_order_of_nodes_is_no_difference() -> None:
    """Operators are paired by name, and without names by what they read: not by their places alone."""
    model = network()
    dequantizers = [node for node in model.graph.node if node.name.endswith("_dq")]
    others = [node for node in model.graph.node if not node.name.endswith("_dq")]
    del model.graph.node[:]
    model.graph.node.extend([*reversed(dequantizers), *others])
    for names in (True, False):
        for node in () if names else model.graph.node:
            node.name = ""
        assert qconvert.diff(network().SerializeToString(), model.SerializeToString()).equal


@pytest.mark.parametrize("named", [True, False])
def test_an_operator_that_reads_other_values_is_told(named: bool) -> None:
    """All parameters are equal, and so are the shapes; a difference of two values has them in the other order."""

    def difference(*operands: str) -> bytes:
        made = [("Relu", ["x"], "a"), ("Sigmoid", ["x"], "b"), ("Sub", list(operands), "y")]
        nodes = [helper.make_node(op, inputs, [name], name if named else "") for op, inputs, name in made]
        ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in ("x", "y")]
        graph = helper.make_graph(nodes, "difference", ports[:1], ports[1:])
        opset = helper.make_opsetid("", 17)
        return helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()

    assert qconvert.diff(difference("a", "b"), difference("a", "b")).equal
    found = qconvert.diff(difference("a", "b"), difference("b", "a")).findings
    assert [finding.parameter for finding in found] == ["inputs", "inputs"]


def test_a_float_weight(tmp_path: Path) -> None:
    source = FIXTURES / "float" / "digits_cnn.onnx"
    model = onnx.load(source)
    weights = next(each for each in model.graph.initializer if len(each.dims) == 4)
    array = numpy_helper.to_array(weights).copy()
    array[1, 0, 2, 2] *= 3
    weights.CopyFrom(numpy_helper.from_array(array, weights.name))
    onnx.save(model, tmp_path / "bad.onnx")
    [found] = qconvert.diff(source, tmp_path / "bad.onnx").findings
    assert found.parameter == "weights"
    assert found.text.endswith("3 times")


U55 = find_npu("ethos-u55")

SHOWN = [
    pytest.param(UNSIGNED_CNN, TosaOptions(nhwc_io=True), ["--nhwc-io"], id="nhwc"),
    pytest.param(UNSIGNED_CNN, TosaOptions(profile=Profile.INT), ["--quantized-io"], id="int"),
    pytest.param(
        UNSIGNED_CNN,
        TosaOptions(quantized_io=True, nhwc_io=True, rounding=HalfRounding.EVEN, npu=U55),
        ["--quantized-io", "--rounding half-even", "--nhwc-io"],
        id="several",
    ),
    pytest.param(
        UNSIGNED_CNN,
        TfliteOptions(profile=Profile.INT, storage=HeldAs.SOURCE),
        ["--quantized-io", "--storage source"],
        id="tflite",
    ),
    pytest.param(
        UNSIGNED_CNN,
        OnnxOptions(quantized_io=True, style=Style.QOPERATOR),
        ["--quantized-io", "--style qoperator"],
        id="onnx",
    ),
    pytest.param(
        FIXTURES / "svdf_int8.tflite", OnnxOptions(exact_rounding=True), ["--exact-rounding"], id="exact onnx"
    ),
    pytest.param(UNSIGNED_CNN, StableHloOptions(exact_rounding=True), ["--exact-rounding"], id="exact stablehlo"),
    pytest.param(UNSIGNED_CNN, StableHloOptions(quantized_io=True), ["--quantized-io"], id="stablehlo"),
]
"""Sources, options with which a file is written, and the options that explain it."""

OF_OPTIONS = {
    TosaOptions: (Format.TOSA, ".tosa.mlir"),
    TfliteOptions: (Format.TFLITE, ".tflite"),
    OnnxOptions: (Format.ONNX, ".onnx"),
    StableHloOptions: (Format.STABLEHLO, ".mlir"),
}


@pytest.mark.quick(3)
@pytest.mark.parametrize(("source", "options", "flags"), SHOWN)
def test_options_that_a_file_shows(tmp_path: Path, source: Path, options: WriteOptions, flags: list[str]) -> None:
    to, suffix = OF_OPTIONS[type(options)]
    path = written(source, tmp_path / f"written{suffix}", to, options)
    for pair in ((source, path), (path, source)):
        found = qconvert.diff(*pair)
        assert found.equal, found.findings
        assert list(found.options) == flags


def test_options_of_an_npu(tmp_path: Path) -> None:
    """A softmax has other operators for an NPU."""
    ports = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 8]),
        helper.make_empty_tensor_value_info("y"),
    ]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], "quantize"),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"], "dequantize"),
        helper.make_node("Softmax", ["d"], ["m"], "softmax"),
        helper.make_node("QuantizeLinear", ["m", "s", "z"], ["p"], "requantize"),
        helper.make_node("DequantizeLinear", ["p", "s", "z"], ["y"], "dequantized"),
    ]
    constants = [numpy_helper.from_array(np.float32(0.1), "s"), numpy_helper.from_array(np.int8(3), "z")]
    graph = helper.make_graph(nodes, "softmax", ports[:1], ports[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    path = written(model, tmp_path / "softmax.tosa.mlir", Format.TOSA, TosaOptions(npu=U55))
    found = qconvert.diff(model, path)
    assert found.equal, found.findings
    assert found.options == ("--npu ethos-u55",)


def test_given_options_are_the_only_ones(tmp_path: Path) -> None:
    options = TosaOptions(nhwc_io=True)
    path = written(CNN, tmp_path / "nhwc.tosa.mlir", Format.TOSA, options)
    assert qconvert.diff(CNN, path, lambda _: options).equal
    assert not qconvert.diff(CNN, path, lambda _: TosaOptions()).equal


def test_other_operators_come_with_a_hint_about_options(tmp_path: Path) -> None:
    good = network().SerializeToString()
    path = written(_bytes("dropped ReLU"), tmp_path / "bad.tosa.mlir", Format.TOSA)
    assert "give the same options" in qconvert.diff(good, path).hint
    assert not qconvert.diff(good, _bytes("one weight")).hint


def test_every_key_of_the_json_is_documented() -> None:
    """In the table of keys; ``.layer`` there continues the key in front of it."""
    page = (ROOT / "docs" / "diff.md").read_text().partition("## Reports")[2]
    rows = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    documented = set(re.findall(r"[a-z_]+", rows))
    found = json.loads(qconvert.diff(network().SerializeToString(), _bytes("one weight")).json())
    assert {*found, *found["first"], *found["findings"][0]} == documented


def test_arrays_are_compared_a_part_at_a_time() -> None:
    one = np.zeros((3000, 2000), np.int8)
    other = one.copy()
    other[2999, [5, 7]] = 1
    found = unequal(one, other)
    assert (found.count, found.first, found.values) == (2, (2999, 5), (0, 1))
    assert (found.indices(0), found.indices(1)) == ([2999], [5, 7])
    assert not unequal(np.array([np.nan, 1.0]), np.array([np.nan, 1.0])).count


def test_unsigned_integers_are_signed_ones_with_an_offset() -> None:
    one = np.arange(6, dtype=np.uint8).reshape(2, 3)
    assert not unequal(one, (one.astype(np.int16) - 128).astype(np.int8), -128).count
    assert order_between(one, (one.astype(np.int16) - 128).astype(np.int8).T, -128) == (1, 0)


def test_a_pad_that_a_file_has_beside_a_convolution_is_named_after_it(tmp_path: Path) -> None:
    """TFLite has an operator of its own for pads that are neither SAME nor VALID."""

    def model(pads: str) -> bytes:
        text = f"""<ir_version: 8, opset_import: ["" : 17]>
        g (float[1, 1, 8, 8] x) => (float[1, 1, 4, 4] y)
        <float s = {{0.01}}, int8 z = {{0}}, int8[1, 1, 3, 3] w = {{1, 2, 3, 4, 5, 6, 7, 8, 9}}> {{
            xq = QuantizeLinear(x, s, z)
            xd = DequantizeLinear(xq, s, z)
            wd = DequantizeLinear(w, s, z)
            c = Conv<strides = [2, 2], pads = {pads}>(xd, wd)
            cq = QuantizeLinear(c, s, z)
            y = DequantizeLinear(cq, s, z)
        }}"""
        made = onnx.parser.parse_model(text)
        for node in made.graph.node:
            node.name = f"{node.output[0]}_node"
        content: bytes = made.SerializeToString()
        return content

    file = written(model("[1, 1, 0, 0]"), tmp_path / "other.tflite", Format.TFLITE)
    findings = qconvert.diff(qconvert.load(model("[0, 0, 1, 1]")), file).findings
    assert findings
    assert {each.layer for each in findings} == {"c_node"}
