"""A given file that differs from a new conversion: the layer that it computes otherwise is named, never another one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, numpy_helper

from qconvert import Format, convert, load, save, validate
from qconvert.support.errors import EngineError
from qconvert.validation import Limits, Settings, driver
from qconvert.validation.case import Case
from qconvert.validation.rendering.conclusion import conclusion
from qconvert.validation.segments import Segments
from tests.planted.models import Storage, source
from tests.support.paths import FIXTURES

CNN, UINT8 = FIXTURES / "digits_cnn_int8.onnx", FIXTURES / "digits_cnn_uint8.onnx"
FLOATS = FIXTURES / "float" / "digits_cnn.onnx"


def changed(source: Path, node: str, what: str) -> ModelProto:
    """Return a model in which one constant of a node is another: its weights' scale or the integers of its bias."""
    model = onnx.load(source)
    makers = {name: each for each in model.graph.node for name in each.output}
    [owner] = [each for each in model.graph.node if each.name == node]
    name = owner.input[1 if what == "scale" else 2]
    if name in makers:  # the dequantize of the constant
        name = makers[name].input[1 if what == "scale" else 0]
    [tensor] = [each for each in model.graph.initializer if each.name == name]
    array = numpy_helper.to_array(tensor)
    other = array * 1.5 if what == "scale" else array + np.abs(array).max()
    tensor.CopyFrom(numpy_helper.from_array(other.astype(array.dtype), name))
    return model


@pytest.mark.slow
@pytest.mark.parametrize("to", [Format.TFLITE, Format.TOSA, Format.ONNX])
@pytest.mark.parametrize(("source", "node"), [(CNN, "conv_3"), (UINT8, "conv_3"), (UINT8, "conv_1")])
@pytest.mark.parametrize("what", ["scale", "bias"])
def test_the_changed_layer_is_named(tmp_path: Path, source: Path, node: str, to: Format, what: str) -> None:
    file = tmp_path / f"other{'.mlir' if to is Format.TOSA else '.' + to}"
    save(convert(load(changed(source, node, what).SerializeToString()), to), file)
    report = validate(source, file, settings=Settings(to, samples=4))
    assert not report.passed
    named = [failure for failure in report.failures if failure.startswith("layer ")]
    assert named, report.failures
    assert {failure.split("'")[1] for failure in named} == {node}
    assert "is not what converting" in " ".join(report.notes)


def with_other_result(source: Path, node: str, what: str) -> ModelProto:
    """Return a model in which all that write or read a node's result have another scale or zero point for it."""
    model = onnx.load(source)
    [owner] = [each for each in model.graph.node if each.name == node]
    [quantizer] = [
        each for each in model.graph.node if each.op_type == "QuantizeLinear" and owner.output[0] in each.input
    ]
    place = 1 if what == "scale" else 2
    [tensor] = [each for each in model.graph.initializer if each.name == quantizer.input[place]]
    array = numpy_helper.to_array(tensor)
    other = array * 1.5 if what == "scale" else array + 9
    model.graph.initializer.append(numpy_helper.from_array(np.asarray(other, array.dtype), "other"))
    reached = {owner.output[0]}
    for each in (each for each in model.graph.node if reached.intersection(each.input)):
        if each.op_type in ("QuantizeLinear", "DequantizeLinear", "Relu"):
            reached.add(each.output[0])
        if each.op_type in ("QuantizeLinear", "DequantizeLinear"):
            each.input[place] = "other"
    return model


@pytest.mark.slow
@pytest.mark.parametrize("to", [Format.STABLEHLO, Format.ONNX])
@pytest.mark.parametrize("what", ["scale", "zero point"])
def test_a_layer_that_reads_a_tensor_of_another_scale_is_not_named(tmp_path: Path, to: Format, what: str) -> None:
    """The source's integers stand for other numbers in the file: the layer that makes the tensor differs alone."""
    file = tmp_path / f"other{'.mlir' if to is Format.STABLEHLO else '.' + to}"
    save(convert(load(with_other_result(CNN, "conv_2", what).SerializeToString()), to), file)
    report = validate(CNN, file, settings=Settings(to, samples=4))
    named = {failure.split("'")[1] for failure in report.failures if failure.startswith("layer ")}
    assert named == {"conv_2"}
    assert conclusion(report).startswith(f"1 of {len(report.layers)} layers is wrong alone: 'conv_2'")
    if to is Format.ONNX:
        assert f"reads the result of 'conv_2', whose {what} differs: layer '" in " ".join(report.notes)


def test_operands_that_are_exchanged_behind_all_layers_are_named() -> None:
    def model(*operands: str) -> bytes:
        text = f"""<ir_version: 8, opset_import: ["" : 17]>
        g (float[2, 8] x) => (float[2, 8] y) <float s = {{0.01}}, float t = {{0.02}}, int8 z = {{0}}> {{
            xq = QuantizeLinear(x, s, z)
            xd = DequantizeLinear(xq, s, z)
            r = Relu(xd)
            rq = QuantizeLinear(r, t, z)
            rd = DequantizeLinear(rq, t, z)
            y = Sub({", ".join(operands)})
        }}"""
        made = onnx.parser.parse_model(text)
        for node in made.graph.node:
            node.name = f"{node.output[0]}_node"
        content: bytes = made.SerializeToString()
        return content

    report = validate(load(model("rd", "xd")), load(model("xd", "rd")), settings=Settings(samples=4))
    assert not report.passed
    assert report.other_cause is not None
    assert report.other_cause.layer == "y_node"
    assert conclusion(report).startswith("'y_node' differs, inputs: ")


@pytest.mark.slow
def test_the_changed_node_of_floats_is_named(tmp_path: Path) -> None:
    model = onnx.load(FLOATS)
    [node] = [each for each in model.graph.node if each.name == "conv_3"]
    [tensor] = [each for each in model.graph.initializer if each.name == node.input[1]]
    tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) * np.float32(1.5), tensor.name))
    file = tmp_path / "other.tflite"
    save(convert(load(model.SerializeToString()), Format.TFLITE), file)
    report = validate(FLOATS, file, settings=Settings(Format.TFLITE, samples=2))
    assert not report.passed
    assert "layer 'conv_3' (Conv), computed from the reference's floats" in " ".join(report.failures)


def test_why_no_layer_is_named_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(case: Case, count: int) -> Segments:
        raise EngineError(f"onnxruntime engine: ended while it ran {count} samples of {case.file.file}")

    file = tmp_path / "other.onnx"
    onnx.save(changed(CNN, "conv_3", "bias"), file)
    monkeypatch.setattr(driver, "segments_of", ends)
    report = validate(CNN, file, settings=Settings(Format.ONNX, samples=2))
    assert "the layers of the file cannot be compared: onnxruntime engine: ended" in " ".join(report.notes)


def faulty(model: onnx.ModelProto, node: str) -> bytes:
    """Return an encoder whose product by a constant, or the order of a transpose, is another one."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    [found] = [each for each in changed.graph.node if each.name == node]
    if found.op_type == "Transpose":
        order = next(each for each in found.attribute if each.name == "perm").ints
        order[-1], order[-2] = order[-2], order[-1]
    else:
        makers = {name: each for each in changed.graph.node for name in each.output}
        names = [makers[name].input[0] for name in found.input if name in makers]
        [constant] = [each for each in changed.graph.initializer if each.name in names]
        halved = numpy_helper.to_array(constant) // 2
        constant.CopyFrom(numpy_helper.from_array(halved, constant.name))
    return changed.SerializeToString()


@pytest.mark.slow
@pytest.mark.litert
@pytest.mark.parametrize("node", ["mul_11_node", "transpose_17_node"])
def test_a_fault_that_is_seen_in_another_layer_is_named_by_its_parameter(node: str) -> None:
    """A product that keeps the integers, and a transpose in front of a reshape: neither is a tensor of its own."""
    model = source("encoder", Storage.INT8)
    file = convert(load(faulty(onnx.load_from_string(model.content), node)), Format.TFLITE).content
    assert file is not None
    report = validate(model, load(bytes(file)), settings=Settings(samples=2))
    assert report.other_cause is not None
    assert report.other_cause.layer == node
    assert report.failures[0].startswith(f"layer '{node}'")
    assert conclusion(report).startswith(f"'{node}' differs, ")
    limited = validate(model, load(bytes(file)), settings=Settings(samples=2, limits=Limits(max_lsb=1)))
    assert all(failure.startswith("output '") for failure in limited.failures)
    assert limited.notes.count(report.failures[0]) == 1
    assert not {*limited.failures} & {*limited.notes}
