"""Constraints: from the model's own ops, from statistics and from annotation files, put together or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert.api import load
from qconvert.frontends.mlir import load_text
from qconvert.interpreter.program import evaluate
from qconvert.ir.printing import module_text
from qconvert.passes import make_pass
from qconvert.quantization.annotations import Annotations, calibrated, from_statistics, read_annotations
from qconvert.quantization.calibration.statistics import Statistics
from qconvert.quantization.constraints import Constraints, collect
from qconvert.quantization.lifting import lift
from qconvert.quantization.names import values_by_name
from qconvert.quantization.ranges import Range
from qconvert.rewriting.base import run_passes, verify
from qconvert.support.errors import ConversionError, QConvertError, UsageError
from tests.support.regions import wrap

MAIN = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {input_names = ["x"]} {
  %0 = stablehlo.add %x, %x : tensor<2x3xf32> loc("sum")
  %1 = stablehlo.multiply %0, %x : tensor<2x3xf32> loc("product")
  %2 = stablehlo.subtract %1, %0 : tensor<2x3xf32> loc("difference")
  return %2 : tensor<2x3xf32>
}
"""


@pytest.fixture
def module() -> ModuleOp:
    return load_text(MAIN, "text")


def _file(tmp_path: Path, text: str, name: str = "notes.toml") -> Annotations:
    path = tmp_path / name
    path.write_text(text)
    return read_annotations(path)


def _shown(module: ModuleOp, constraints: Constraints) -> dict[str, str]:
    values = values_by_name(module)
    return {name: str(spec) for name, value in values.items() if (spec := constraints.specs.get(value)) is not None}


ALL_KINDS = """
couple = [["sum", "difference"]]

[values]
x = { any = 16 }
sum = { uniform = { scale = 0.5, zero_point = 3 } }

[values.product]
calibrated = { minimum = -1, maximum = 2.5 }
any = "i8<-127:127>"
"""


def test_a_file_of_all_kinds(tmp_path: Path, module: ModuleOp) -> None:
    found = collect(module, [_file(tmp_path, ALL_KINDS)])
    assert _shown(module, found) == {
        "x": "!quant.any<i16:f32>",
        "sum": "!quant.uniform<i8:f32, 0.5:3>",
        "product": "!quant.any<i8<-127:127>:f32>",
        "difference": "!quant.uniform<i8:f32, 0.5:3>",
    }
    values = values_by_name(module)
    assert str(found.ranges[values["product"]]) == "!quant.calibrated<f32<-1.0:2.5>>"
    assert [str(spec) for spec in found.all_of(values["product"])] == [
        "!quant.any<i8<-127:127>:f32>",
        "!quant.calibrated<f32<-1.0:2.5>>",
    ]
    assert len(found.all_of(values["sum"])) == 1
    assert found.groups[values["sum"]] == found.groups[values["difference"]] == "sum"
    assert values["x"] not in found.groups


def test_the_same_as_json(tmp_path: Path) -> None:
    content = {
        "values": {
            "x": {"none": True},
            "sum": {"uniform": {"scale": [0.5, 1, 2], "zero_point": [0, 1, 0], "axis": 1, "storage": "u8"}},
            "product": {"calibrated": {"minimum": 0, "maximum": 4, "axis": 0, "slices": [[0, 1], [2, 4]]}},
        }
    }
    found = _file(tmp_path, json.dumps(content), "notes.json").specs
    assert {name: [str(spec) for spec in specs] for name, specs in found.items()} == {
        "x": ["none"],
        "sum": ["!quant.uniform<ui8:f32:1, {0.5,1.0:1,2.0}>"],
        "product": ["!quant.calibrated<f32:0, {0.0:1.0,2.0:4.0}>"],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("values = 3", "values must be a table of names and values, found 3"),
        ("value = {}", "the file: unknown key 'value'; allowed are values, couple"),
        ("values.x.unifrom = 1", "values, 'x': unknown key 'unifrom'; allowed are uniform, any, calibrated, none"),
        ("values.x = {}", "values, 'x': the table is empty; allowed keys are uniform, any, calibrated, none"),
        ("values.x.none = false", "'x', none can be true only, found False"),
        ("values.x.any = 7", "any: storage is 2, 4, 8 or 16 bits, or as i8, u8 or i8<-127:127>, found 7"),
        ("values.x.any = 'i8<3:1>'", "any: 3:1 is not a range of i8"),
        ("values.x.any = 'i8<-200:1>'", "any: -200:1 is not a range of i8"),
        ("values.x.uniform = {zero_point = 1}", "uniform: scale must be there"),
        ("values.x.uniform = {scale = 0}", "scale 0.0 is not a finite number above 0"),
        ("values.x.uniform = {scale = nan}", "scale nan is not a finite number above 0"),
        ("values.x.uniform = {scale = 1, zero_point = 128}", "zero point 128 is outside the storage range of i8"),
        ("values.x.uniform = {scale = 1, zero_point = 1.5}", r"zero_point must be integers, found \[1.5\]"),
        ("values.x.uniform = {scale = [1, 2]}", "a list of scales and an axis are given together"),
        ("values.x.uniform = {scale = [1, 2], axis = -1}", "axis must be a dimension's number, found -1"),
        ("values.x.uniform = {scale = [1, 2], zero_point = [1], axis = 1}", "2 scales and 1 zero points"),
        ("values.x.calibrated = {minimum = 1, maximum = 0}", "calibrated: the minimum 1.0 is above the maximum 0.0"),
        ("values.x.calibrated = {minimum = 1, maximum = inf}", "calibrated: the range from 1.0 to inf is not finite"),
        ("values.x.calibrated = {minimum = 1}", "calibrated: maximum must be there"),
        ("couple = [['a']]", "couple must be a list of lists of two or more names"),
        ("couple = ", "this is not valid TOML"),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=rf"notes.toml: .*{message}"):
        _file(tmp_path, text)


TWO_OF_A_GROUP = """
couple = [["x", "sum"], ["sum", "product"]]
values.x.uniform = { scale = 1 }
values.product.uniform = { scale = 2 }
"""


def test_the_fill_of_a_mask_is_no_range(tmp_path: Path) -> None:
    """Integers over all of it would keep nothing of the elements that are not masked."""
    text = """func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
      %0 = stablehlo.constant dense<[[0.0, 0.0, 0.0, -3.4e+38]]> : tensor<1x4xf32> loc("mask")
      %1 = stablehlo.add %x, %0 : tensor<1x4xf32> loc("masked")
      %2 = stablehlo.tanh %1 : tensor<1x4xf32> loc("result")
      return %2 : tensor<1x4xf32>
    }"""
    module = load_text(text, "text")
    seen = from_statistics(Statistics({"arg0": Range(-1, 1), "masked": Range(float(np.float32(-3.4e38)), 1)}))
    with pytest.raises(ConversionError, match=r"calibration gives value 'masked' the range from -3.4e\+38 to 1, "):
        collect(module, [seen])
    path = tmp_path / "notes.toml"
    path.write_text("values.masked.calibrated = { minimum = -20, maximum = 1 }")
    notes = read_annotations(path)
    assert collect(module, [notes, seen]).specs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("values.summ.any = 8", r"notes.toml: the model has no value 'summ'; it has sum"),
        ("couple = [['sum', 'y']]", r"notes.toml: the model has no value 'y'; it has x, "),
        (
            "values.x = {none = true, uniform = {scale = 1}}",
            "the annotations contradict each other: 'x' is none in .*, and 'x' is !quant.uniform<i8:f32",
        ),
        ("values.x = {any = 16, uniform = {scale = 1}}", "'x' is !quant.any<i16:f32> in .*, and 'x' is !quant.uniform"),
        (
            TWO_OF_A_GROUP,
            "contradict each other: 'x' is !quant.uniform<i8:f32, 1.0> in .*, and 'product' is .*<i8:f32, 2.0>",
        ),
        (
            "couple = [['x', 'sum']]\nvalues.x.none = true\nvalues.sum.any = 8",
            "'x' is none .*, and 'sum' is !quant.any",
        ),
        ("values.x.uniform = {scale = [1, 2], axis = 1}", r"\(C13\): 2 scales for a dimension of size 3"),
    ],
)
def test_annotations_that_contradict(tmp_path: Path, module: ModuleOp, text: str, message: str) -> None:
    with pytest.raises(QConvertError, match=message):
        collect(module, [_file(tmp_path, text)])


def test_integers_are_not_annotated(tmp_path: Path) -> None:
    text = "func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> { return %x : tensor<2xi32> }"
    with pytest.raises(UsageError, match="value 'arg0' is tensor<2xi32>, only floats are quantized"):
        collect(load_text(text, "text"), [_file(tmp_path, "values.arg0.any = 8")])


def test_the_strongest_source_has_the_range(tmp_path: Path, module: ModuleOp) -> None:
    statistics = Statistics({"x": Range(-1, 1), "sum": Range(-2, 2), "product": Range(0, 3)})
    notes = _file(tmp_path, "couple = [['sum', 'product']]\nvalues.x.calibrated = {minimum = 0, maximum = 9}")
    found = collect(module, [notes, from_statistics(statistics)])
    assert _shown(module, found) == {
        "x": "!quant.calibrated<f32<0.0:9.0>>",
        "sum": "!quant.calibrated<f32<-2.0:3.0>>",
        "product": "!quant.calibrated<f32<-2.0:3.0>>",
    }


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Range(0, 0), (0, 1)),
        (Range(3, 3), (0, 3)),
        (Range(-3, -3), (-3, 0)),
        (Range(1, 2), (1, 2)),
        (Range(0, 0, 0, ((0, 0), (0, 0))), (0, 1)),
    ],
)
def test_ranges_of_one_number(found: Range, expected: tuple[float, float]) -> None:
    spec = calibrated(found)
    spec.verify()
    assert (spec.data.minimum, spec.data.maximum) == expected


def test_names_reach_what_is_in_regions(module: ModuleOp) -> None:
    region = wrap(module, 0, 2)
    found = collect(module, [from_statistics(Statistics({"sum": Range(0, 1), "product": Range(0, 2)}))])
    assert [str(found.specs.get(value)) for value in region.outputs] == [
        "!quant.calibrated<f32<0.0:1.0>>",
        "!quant.calibrated<f32<0.0:2.0>>",
    ]


# what a model says itself -----------------------------------------------------------------------------------------

INSTRUMENTED = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {input_names = ["x"]} {
  %a = "quant.stats"(%x) <{layerStats = dense<[-1.0, 2.0]> : tensor<2xf32>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = stablehlo.add %a, %a : tensor<2x3xf32> loc("sum")
  %b = "quant.coupled_ref"(%0) <{coupledKey = "k"}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = "quant.stats_ref"(%b) <{statsKey = "s"}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.multiply %c, %a : tensor<2x3xf32> loc("product")
  %d = "quant.stats"(%1) <{layerStats = dense<[-1.0, 4.0]> : tensor<2xf32>,
    axisStats = dense<[[-1.0, 1.0], [0.0, 4.0], [0.0, 0.0]]> : tensor<3x2xf32>, axis = 1 : i64}>
    : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %e = "quant.stats_ref"(%d) <{statsKey = "s"}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.subtract %e, %c : tensor<2x3xf32> loc("difference")
  %f = "quant.coupled_ref"(%2) <{coupledKey = "k"}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %g = "quant.const_fake_quant"(%f) <{min = -0.5 : f32, max = 2.05 : f32, num_bits = 8 : i64, is_signed = true}>
    : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.abs %g : tensor<2x3xf32> loc("abs")
  return %3 : tensor<2x3xf32>
}
"""


def test_instrumentation_is_taken_out() -> None:
    module = load_text(INSTRUMENTED, "text")
    annotations = lift(module)
    verify(module, "lift")
    assert "quant." not in module_text(module)
    assert _shown(module, collect(module, [annotations])) == {
        "x": "!quant.calibrated<f32<-1.0:2.0>>",
        "sum": "!quant.uniform<i8:f32, 0.009999999776482582:-78>",
        "product": "!quant.calibrated<f32:1, {-1.0:1.0,0.0:4.0,0.0:0.0}>",
        "difference": "!quant.uniform<i8:f32, 0.009999999776482582:-78>",
    }
    assert annotations.coupled == (("sum", "difference"),)
    assert annotations.sharing == (("sum", "product"),)


def test_a_qdq_model_becomes_its_float_model() -> None:
    """What is left of the QDQ model computes what it was quantized from, up to the weights' rounding."""
    module = load("fixtures/digits_cnn_int8.onnx").module.clone()
    run_passes(module, [make_pass("fold")])
    annotations = lift(module)
    verify(module, "lift")
    assert "quant.uniform" not in module_text(module)
    constraints = collect(module, [annotations])
    shown = _shown(module, constraints)
    assert shown["image"].startswith("!quant.uniform<i8:f32, ")
    assert sum(":f32:3, " in spec for spec in shown.values()) == 4
    assert sum(":f32:1, " in spec for spec in shown.values()) == 1
    original = load("fixtures/float/digits_cnn.onnx").module
    for image in np.load("fixtures/digits_test.npz")["image"][:5]:
        (found,), (expected,) = evaluate(module, [image[None]]), evaluate(original, [image[None]])
        np.testing.assert_allclose(found, expected, atol=0.5)


def test_an_activation_in_a_quantizer_is_left_as_a_clamp() -> None:
    module = load_text(
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
          %0 = stablehlo.add %x, %x : tensor<4xf32> loc("sum")
          %1 = stablehlo.uniform_quantize %0 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:-128>> loc("q")
          %2 = stablehlo.uniform_dequantize %1 : (tensor<4x!quant.uniform<i8:f32, 0.5:-128>>) -> tensor<4xf32>
          %3 = stablehlo.reshape %2 : (tensor<4xf32>) -> tensor<2x2xf32>
          %4 = stablehlo.uniform_quantize %3 : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<ui8:f32, 0.5>>
          %5 = stablehlo.uniform_dequantize %4 : (tensor<2x2x!quant.uniform<ui8:f32, 0.5>>) -> tensor<2x2xf32>
          %6 = stablehlo.reshape %5 : (tensor<2x2xf32>) -> tensor<4xf32>
          return %6 : tensor<4xf32>
        }""",
        "text",
    )
    annotations = lift(module)
    verify(module, "lift")
    (found,) = evaluate(module, [np.array([-3, 0, 99, 0.125], np.float32)])
    assert found.tolist() == [0, 0, 127.5, 0.25]
    assert [op.name for op in module.walk()].count("stablehlo.clamp") == 1
    assert annotations.specs.keys() == {"sum", "q", "reshape:1"}


TWO_WAYS = """
func.func @main(%x: tensor<2xf32>, %y: tensor<2x!quant.uniform<i8:f32, 0.25>>)
    -> (tensor<2xf32>, tensor<2x!quant.uniform<i8:f32, 2.0>>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
  %2 = stablehlo.uniform_quantize %1 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2xf32>
  %4 = stablehlo.uniform_dequantize %y : (tensor<2x!quant.uniform<i8:f32, 0.25>>) -> tensor<2xf32>
  %5 = stablehlo.add %3, %4 : tensor<2xf32> loc("sum")
  %6 = stablehlo.uniform_quantize %5 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 2.0>>
  %7 = stablehlo.uniform_dequantize %6 : (tensor<2x!quant.uniform<i8:f32, 2.0>>) -> tensor<2xf32>
  %8 = stablehlo.abs %7 : tensor<2xf32> loc("abs")
  return %8, %6 : tensor<2xf32>, tensor<2x!quant.uniform<i8:f32, 2.0>>
}
"""


def test_what_means_rounding_stays() -> None:
    """Two quantizers in a row are no annotation of one value; quantized ports keep their casts."""
    module = load_text(TWO_WAYS, "text")
    annotations = lift(module)
    verify(module, "lift")
    names = [op.name for op in module.walk()]
    assert names.count("stablehlo.uniform_quantize") == 2
    assert names.count("stablehlo.uniform_dequantize") == 2
    shown = {name: [str(spec) for spec in specs] for name, specs in annotations.specs.items()}
    assert shown == {
        "arg0": ["!quant.uniform<i8:f32, 0.5>"],
        "uniform_dequantize:1": ["!quant.uniform<i8:f32, 1.0>"],
        "uniform_dequantize:2": ["!quant.uniform<i8:f32, 0.25>"],
        "sum": ["!quant.uniform<i8:f32, 2.0>"],
    }


def test_fake_quant_is_refused_where_it_contradicts(tmp_path: Path) -> None:
    module = load_text(INSTRUMENTED, "text")
    said: Any = lift(module)
    with pytest.raises(ConversionError, match=r"'sum' is none in .*notes.toml, and 'difference' is .* in the model"):
        collect(module, [_file(tmp_path, "values.sum.none = true"), said])


def test_the_models_own_names_may_be_gone(module: ModuleOp) -> None:
    said = Annotations("the model", {"gone": (calibrated(Range(0, 1)),)}, (("gone",), ("gone", "x")), is_strict=False)
    assert collect(module, [said]).specs == {}
