"""Propagation on small models: who gives parameters to whom, where rescales stand, what is reported."""

from __future__ import annotations

from qconvert.dialects.quant_region import PortSpec
from qconvert.quantization.checks import check_target
from qconvert.quantization.propagation import propagate
from qconvert.quantization.report import Report
from qconvert.quantization.rules import same_scale
from qconvert.quantization.target import Kernel, PortType, Signature, Target, input_port
from qconvert.quantization.targets import find
from tests.quantization.annotated import I8, annotated, between, fused, specs_of, uniform

TFLITE = find("tflite-int8")

JOIN = """
func.func @main(%x: tensor<2x4xf32>) -> tensor<4x4xf32> attributes {input_names = ["x"]} {
  %w = stablehlo.constant
    dense<[[0.5, -1.0, 0.0, 1.0], [0.25, 1.0, 0.0, 2.0], [0.5, 0.0, 0.0, 1.0], [0.5, 1.0, 0.0, 1.0]]>
    : tensor<4x4xf32>
  %l = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32> loc("left")
  %r = "qconvert.hard_swish"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("right")
  %j = stablehlo.concatenate %l, %r, dim = 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32> loc("join")
  return %j : tensor<4x4xf32>
}
"""
RANGES = {
    "x": between(-1.0, 1.0),
    "left": between(-4.0, 4.0),
    "right": between(-0.375, 1.0),
    "join": between(-4.0, 4.0),
}


def run(
    text: str, specs: dict[str, PortSpec], **more: object
) -> tuple[Report, dict[str, tuple[list[PortSpec], list[PortSpec]]]]:
    """Propagate, again with the same result, and hold the result against the target."""
    target = more.pop("target", TFLITE)
    assert isinstance(target, Target)
    coupled = more.pop("coupled", None)
    module = fused(text)
    report = propagate(module, target, annotated(module, specs, coupled), **more)  # type: ignore[arg-type]
    before = str(module)
    module.verify()
    assert propagate(module, target, annotated(module, specs, coupled), **more) == report  # type: ignore[arg-type]
    assert str(module) == before
    assert check_target(module, target) == []
    return report, specs_of(module)


def test_two_branches_meet_at_concat_and_one_is_rescaled_at_its_port() -> None:
    report, specs = run(JOIN, RANGES)
    assert report.fully_quantized
    (rescale,) = report.rescales
    assert (rescale.site.node, rescale.site.kernel, rescale.site.port) == ("join", "concatenate", input_port(1))
    assert (rescale.source, rescale.given) == ("node 'right'", specs["hard_swish"][1][0])
    assert rescale.needed == specs["concatenate"][0][1] == specs["concatenate"][1][0] == specs["fully_connected"][1][0]


def test_the_rescale_is_gone_when_the_branches_are_coupled() -> None:
    report, specs = run(JOIN, RANGES, coupled={"left": "branches", "right": "branches"})
    assert report.rescales == ()
    assert specs["hard_swish"][1] == specs["fully_connected"][1] == specs["concatenate"][1]


def test_the_rescale_is_gone_when_one_branch_has_no_range_of_its_own() -> None:
    ranges = {name: spec for name, spec in RANGES.items() if name != "right"}
    report, specs = run(JOIN, ranges)
    assert report.rescales == ()
    assert specs["hard_swish"][1] == specs["concatenate"][1]


def test_the_rescale_is_gone_when_a_branch_is_annotated() -> None:
    report, specs = run(JOIN, RANGES | {"left": uniform(0.25, 3), "right": uniform(0.25, 3)})
    assert report.rescales == ()
    assert specs["concatenate"][1] == [uniform(0.25, 3)]


ADD = (
    JOIN.replace("stablehlo.concatenate %l, %r, dim = 0", "stablehlo.add %l, %r")
    .replace('4x4xf32> loc("join")', '2x4xf32> loc("join")')
    .replace("-> tensor<4x4xf32> attributes", "-> tensor<2x4xf32> attributes")
    .replace("return %j : tensor<4x4xf32>", "return %j : tensor<2x4xf32>")
)
_PORT = PortType(I8)
SAME_ADD = Target(
    "same-add",
    (
        Kernel("add", Signature((_PORT, _PORT), (_PORT,)), same_scale),
        *(kernel for kernel in TFLITE.kernels if kernel.name != "add"),
    ),
)


def test_add_rescales_at_its_port_only_where_the_target_needs_one_scale() -> None:
    assert run(ADD, RANGES)[0].rescales == ()
    report, _ = run(ADD, RANGES, target=SAME_ADD)
    assert [(each.site.kernel, each.site.port) for each in report.rescales] == [("add", input_port(1))]
    report, _ = run(ADD, RANGES, target=SAME_ADD, coupled={"left": 1, "right": 1, "join": 1})
    assert report.rescales == ()
