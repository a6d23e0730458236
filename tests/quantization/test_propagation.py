"""Propagation on small models: who gives parameters to whom, where rescales stand, what is reported."""

from __future__ import annotations

import numpy as np

from qconvert import numerics
from qconvert.dialects.quant_region import PortSpec, RegionOp
from qconvert.frontends.mlir import load_text
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.passes.cleanup.fold import Fold
from qconvert.passes.fusion.legalize_qdq_to_quantized_op import LegalizeQdqToQuantizedOp
from qconvert.quantization.checks import check_target
from qconvert.quantization.export_fixed import export_fixed
from qconvert.quantization.propagation import propagate
from qconvert.quantization.region_ports import output_feature
from qconvert.quantization.rules import FixedScale, fixed_scale, free_scale, same_scale
from qconvert.quantization.signature import PortType, Signature, input_port
from qconvert.quantization.target import Kernel, Target
from qconvert.quantization.targets import find
from qconvert.rewriting.base import run_passes
from tests.support.propagation import (
    ABS,
    DENSE,
    I8,
    I16,
    JOIN,
    LOGISTIC,
    PORT,
    RANGES,
    SIGNATURE,
    SWISH,
    TFLITE,
    UI8,
    Specs,
    annotated,
    between,
    chain,
    fused,
    run,
    specs_of,
    stored_as,
    uniform,
)


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
PORT_16, ANY_PORT = PortType(I16), PortType(default=I8)
ANY = Signature((ANY_PORT,), (ANY_PORT,))
SAME_ADD = Target(
    "same-add",
    (
        Kernel("add", Signature((PORT, PORT), (PORT,)), same_scale),
        *(kernel for kernel in TFLITE.kernels if kernel.name != "add"),
    ),
)


def test_add_rescales_at_its_port_only_where_the_target_needs_one_scale() -> None:
    assert run(ADD, RANGES)[0].rescales == ()
    report, _ = run(ADD, RANGES, target=SAME_ADD)
    assert [(each.site.kernel, each.site.port) for each in report.rescales] == [("add", input_port(1))]
    report, _ = run(ADD, RANGES, target=SAME_ADD, coupled={"left": 1, "right": 1, "join": 1})
    assert report.rescales == ()


def test_ranges_become_nudged_parameters() -> None:
    _, specs = run(chain(SWISH), {"x": between(-1.0, 3.0), "n0": between(0.5, 3.0)})
    for spec, (low, high) in ((specs["hard_swish"][0][0], (-1.0, 3.0)), (specs["hard_swish"][1][0], (0.0, 3.0))):
        nudged = numerics.nudge_fake_quant(low, high, signed=True)
        assert spec == uniform(float(nudged.scale), int(nudged.zero_point))


def test_a_fixed_scale_is_followed_by_what_keeps_its_scale() -> None:
    target = Target(
        "t", (Kernel("logistic", SIGNATURE, fixed_scale(1 / 256, -128)), Kernel("abs", SIGNATURE, same_scale))
    )
    ranges = {"x": between(-1.0, 1.0), "n0": between(0.1, 0.9), "n1": between(0.1, 0.9)}
    report, specs = run(chain(LOGISTIC, ABS), ranges, target)
    assert report.rescales == ()
    assert specs["abs"] == ([uniform(1 / 256, -128)], [uniform(1 / 256, -128)])


def test_values_without_a_range_take_what_their_users_need_and_give() -> None:
    same = Target("same", (Kernel("hard_swish", SIGNATURE, free_scale), Kernel("abs", SIGNATURE, same_scale)))
    report, specs = run(chain(ABS, ABS, SWISH), {"n2": between(0.0, 1.0), "n1": uniform(0.5, 7)}, same)
    assert report.fully_quantized
    assert specs["abs"] == specs["abs2"] == ([uniform(0.5, 7)], [uniform(0.5, 7)])


def test_what_is_needed_travels_up_a_chain() -> None:
    same = Target("same", (Kernel("abs", SIGNATURE, same_scale), Kernel("hard_swish", SIGNATURE, free_scale)))
    report, specs = run(chain(SWISH, ABS, ABS, ABS), {"x": between(0.0, 1.0), "n3": uniform(0.5, 7)}, same)
    assert report.fully_quantized
    assert report.rescales == ()
    assert specs["hard_swish"][1] == specs["abs"][0] == specs["abs3"][1] == [uniform(0.5, 7)]


def test_a_value_that_two_ports_need_otherwise_is_as_the_first_needs_it() -> None:
    target = Target(
        "own-inputs",
        (
            Kernel("abs", SIGNATURE, free_scale),
            Kernel("tanh", SIGNATURE, FixedScale(0.5, 0, (input_port(0),))),
            Kernel("logistic", SIGNATURE, FixedScale(0.25, 1, (input_port(0),))),
        ),
    )
    text = """
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {input_names = ["x"]} {
      %v = stablehlo.abs %x : tensor<4xf32> loc("v")
      %a = stablehlo.tanh %v : tensor<4xf32> loc("a")
      %b = stablehlo.logistic %v : tensor<4xf32> loc("b")
      return %a, %b : tensor<4xf32>, tensor<4xf32>
    }
    """
    report, specs = run(text, {"x": between(-1.0, 1.0), "a": between(0.0, 1.0), "b": between(0.0, 1.0)}, target)
    assert specs["abs"][1] == [uniform(0.5)]
    assert [(rescale.site.node, rescale.given, rescale.needed) for rescale in report.rescales] == [
        ("b", uniform(0.5), uniform(0.25, 1))
    ]


def test_output_features_are_found_behind_transposes() -> None:
    text = """
    func.func @main(%x: tensor<1x4xf32>, %w: tensor<2x4xf32>) -> tensor<1x2xf32> {
      %0 = "quant.region"(%x, %w) <{logical_kernel = "fully_connected", input_specs = [none, none],
                                    output_specs = [none]}> ({
      ^bb0(%a: tensor<1x4xf32>, %b: tensor<2x4xf32>):
        %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
        %1 = stablehlo.dot_general %a, %t, contracting_dims = [1] x [0]
          : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
        "quant.return"(%1) : (tensor<1x2xf32>) -> ()
      }) : (tensor<1x4xf32>, tensor<2x4xf32>) -> tensor<1x2xf32>
      return %0 : tensor<1x2xf32>
    }
    """
    (region,) = (op for op in load_text(text, "text").walk() if isinstance(op, RegionOp))
    assert (output_feature(region, 0), output_feature(region, 1)) == (None, 0)


def test_a_constant_is_quantized_anew_for_each_port() -> None:
    text = """
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {input_names = ["x"]} {
      %c = stablehlo.constant dense<[0.0, 0.5, 1.0, 2.55]> : tensor<4xf32>
      %m = stablehlo.maximum %x, %c : tensor<4xf32> loc("m")
      %a = stablehlo.add %x, %c : tensor<4xf32> loc("a")
      return %m, %a : tensor<4xf32>, tensor<4xf32>
    }
    """
    report, specs = run(text, {"x": between(-8.0, 8.0), "m": between(0.0, 8.0), "a": between(-8.0, 10.0)})
    assert report.rescales == ()
    assert specs["maximum"][0][0] == specs["maximum"][0][1] == specs["add"][0][0]
    assert specs["add"][0][1] == uniform(float(np.float32(2.55) / np.float32(255)), -128)


def test_an_argument_taken_at_two_scales_is_rescaled_for_the_second() -> None:
    target = Target(
        "own-inputs",
        (
            Kernel("tanh", SIGNATURE, FixedScale(0.5, 0, (input_port(0),))),
            Kernel("logistic", SIGNATURE, FixedScale(0.25, 1, (input_port(0),))),
            Kernel("add", Signature((PORT, PORT), (PORT,)), free_scale),
        ),
    )
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {input_names = ["x"]} {
      %a = stablehlo.tanh %x : tensor<4xf32> loc("a")
      %b = stablehlo.logistic %x : tensor<4xf32> loc("b")
      %c = stablehlo.add %a, %b : tensor<4xf32> loc("c")
      return %c : tensor<4xf32>
    }
    """
    ranges = {"x": between(-1.0, 1.0), "a": between(0.0, 1.0), "b": between(0.0, 1.0), "c": between(0.0, 2.0)}
    report, _ = run(text, ranges, target)
    assert [(rescale.site.node, rescale.source) for rescale in report.rescales] == [("b", "argument 0")]


def storages(specs: Specs) -> set[Storage]:
    found = [spec for sides in specs.values() for side in sides for spec in side]
    return {spec.storage for spec in found if isinstance(spec, UniformQuantizedType)}


def test_signatures_are_chosen_by_what_is_asked_for_and_by_what_arrives() -> None:
    signatures = (SIGNATURE, Signature((PORT_16,), (PORT_16,)))
    swishes = tuple(Kernel("hard_swish", signature, free_scale) for signature in signatures)
    target = Target("mixed", (*swishes, Kernel("abs", ANY, same_scale)))
    ranges: dict[str, PortSpec] = {f"n{i}": between(0.0, 1.0) for i in range(3)}
    text = chain(SWISH, ABS, SWISH)
    assert storages(run(text, ranges | {"x": between(-1.0, 1.0)}, target)[1]) == {I8}
    assert storages(run(text, ranges | {"x": uniform(2.0**-15, 0, I16)}, target)[1]) == {I16}
    assert storages(run(chain(ABS), {"x": stored_as(I16), "n0": between(-1.0, 1.0)}, target)[1]) == {I16}


def test_unsigned_annotations_are_the_same_numbers_on_a_signed_target() -> None:
    _, specs = run(chain(SWISH), {"x": uniform(0.5, 131, UI8), "n0": between(0.0, 1.0)})
    assert specs["hard_swish"][0] == [uniform(0.5, 3)]


def test_biases_fit_32_bits_also_where_the_weights_are_zeros_or_nearly() -> None:
    _, specs = run(DENSE, {"x": between(-1.0, 1.0), "y": between(-4.0, 4.0)}, find("tosa-int8"))
    x, weights, bias = specs["fully_connected"][0]
    assert isinstance(x, UniformQuantizedType)
    assert isinstance(weights, UniformQuantizedType)
    assert isinstance(bias, UniformQuantizedType)
    assert weights.scales.tolist() == [2 / np.float32(127), np.float32(2.0 / (x.scale * 2.0**28)), 2 / np.float32(127)]
    assert bias.scales.tolist() == (x.scale * weights.scales).tolist()
    integers, _ = numerics.quantize_bias([3.0, -2.0, 1.0], bias.scales)
    assert np.abs(integers.astype(np.int64)).max() <= (1 << 28) + 64


def test_sums_of_16_bit_activations_fit_32_bits() -> None:
    """Weights get as much larger steps as their sums need, and all is integer arithmetic."""
    weights = np.random.default_rng(0).normal(size=(6000, 2)).astype(np.float32)
    weights[:, 1] *= 0.001
    dot = "stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]"
    text = f"""
    func.func @main(%x: tensor<1x6000xf32>) -> tensor<1x2xf32> attributes {{input_names = ["x"]}} {{
      %w = stablehlo.constant dense<"0x{weights.tobytes().hex()}"> : tensor<6000x2xf32>
      %b = stablehlo.constant dense<[30.0, -20.0]> : tensor<2xf32>
      %d = {dot} : (tensor<1x6000xf32>, tensor<6000x2xf32>) -> tensor<1x2xf32>
      %s = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
      %y = stablehlo.add %d, %s : tensor<1x2xf32> loc("y")
      return %y : tensor<1x2xf32>
    }}
    """
    target = find("tosa-int16")
    module = fused(text)
    report = propagate(module, target, annotated(module, {"x": between(-1.0, 1.0), "y": between(-200.0, 200.0)}))
    assert report.fully_quantized
    assert check_target(module, target) == []
    x, found, _ = specs_of(module)["fully_connected"][0]
    assert isinstance(x, UniformQuantizedType)
    assert isinstance(found, UniformQuantizedType)
    plain = np.abs(weights).max(0) / np.float32(127)
    assert (found.scales > 1.2 * plain).all()
    integers = np.rint(weights / found.scales.astype(np.float32))
    reach = np.abs(integers).sum(0) * 32768 + np.abs([30.0, -20.0]) / (x.scale * found.scales)
    assert (reach < 2.0**31).all()
    assert reach[0] > 2.0**31 * 0.8
    export_fixed(module)
    (_, result) = run_passes(module, [Fold(), LegalizeQdqToQuantizedOp()])
    assert result.refusals == ()
