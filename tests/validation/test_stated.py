"""What a layer's program states for the page: tensors and scales of both sides, ops, attributes, weights."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qconvert import Format
from qconvert.validation import Report, Settings, validate
from qconvert.validation.figures.details import Histogram, LayerDetails, Port, Role, Stated
from qconvert.validation.rendering.page.data import layer_data
from tests.support.paths import FIXTURES

CNN = FIXTURES / "digits_cnn_int8.onnx"


def layer_of(report: Report, node: str) -> LayerDetails:
    assert report.details is not None
    assert all(layer.file is not None and not layer.file.why for layer in report.details.layers)
    [found] = [layer for layer in report.details.layers if layer.node == node]
    return found


def port(role: Role, ports: tuple[Port, ...], name: str = "") -> Port:
    [found] = [each for each in ports if each.role is role and name in each.name]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("to", [Format.ONNX, Format.TFLITE, Format.STABLEHLO])
def test_scales_of_both_sides(to: Format) -> None:
    layer = layer_of(validate(CNN, settings=Settings(to, samples=1, details=True)), "conv_3")
    assert layer.file is not None
    for role, name in ((Role.INPUT, ""), (Role.CONSTANT, "weights"), (Role.RESULT, "conv_3")):
        one, other = port(role, layer.ports, name), port(role, layer.file.ports, name)
        assert one.scales is not None
        assert (one.scales, one.zero_points, one.every_scale) == (other.scales, other.zero_points, other.every_scale)
    weights = port(Role.CONSTANT, layer.file.ports, "weights")
    assert weights.elements is not None
    assert sum(weights.elements.counts) == 16 * 16
    assert all(not differs for *_, differs in layer_data(layer, [])["tensors"])


@pytest.mark.slow
def test_what_tosa_states() -> None:
    layer = layer_of(validate(CNN, settings=Settings(Format.TOSA, samples=1, details=True)), "conv_4")
    assert layer.file is not None
    assert {each.scales for each in layer.file.ports} == {None}
    assert [op.op for op in layer.file.ops] == ["conv2d", "rescale"]
    convolution, rescale = (dict(op.facts) for op in layer.file.ops)
    assert convolution["acc type"] == "i32"
    assert convolution["zero point of the input"] == "-128"
    assert rescale["rounding mode"] == "SINGLE_ROUND"
    assert " to " in rescale["factor"]
    assert {tuple(row[3:5]) for row in layer_data(layer, [])["tensors"] if row[5] == 1} == {("-", "-")}


def test_a_scale_that_differs_is_told_by_its_channel() -> None:
    scales = (0.5, 0.25, 0.125)
    mine = Port(Role.CONSTANT, "weights", "i8", (3,), (0.125, 0.5), (0, 0), 3, 0, scales, Histogram(-4, 1, (2, 1)))
    theirs = replace(mine, every_scale=(0.5, 0.375, 0.125))
    extra = Port(Role.CONSTANT, "constant operand", "int32", (20,))
    layer = LayerDetails("t", "n", "Conv", (), (), (mine,), file=Stated((extra, theirs), ()))
    data = layer_data(layer, [])
    assert [(row[1], row[5], row[6]) for row in data["tensors"]] == [
        ("weights", 0, ""),
        ("weights", 1, "channel 1: 0.25 against 0.375, 1.5 times"),
        ("constant operand", 1, ""),
    ]
    assert data["weights"] == [["weights", -4, 1, (2, 1), [0, 1]]]
    assert layer_data(replace(layer, file=Stated((), (), "unreadable")), [])["why"] == "unreadable"
