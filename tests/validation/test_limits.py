"""What fails a layer and an output, and in what words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert.api import convert, load
from qconvert.formats import FORMATS, Format
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.support.errors import UsageError
from qconvert.validation import LayerReport, Limits, OutputReport
from qconvert.validation.figures.report import FloatError, RewrittenLayer
from qconvert.validation.layers import Family, Layer, split_layers
from qconvert.validation.limits.limits import (
    FamilyLimit,
    failure_of,
    float_limit,
    limit_for,
    relative_failure,
    rewritten_failure,
    rounds,
)
from qconvert.validation.limits.litert_limits import kernel_limit, kernel_margin, litert_limit
from qconvert.validation.measuring.rewritten import default_limit
from tests.support.paths import FIXTURES
from tests.support.tflite_cases import Tensor, constant, one_op

LAYER = LayerReport("n", ("n", "q"), "Conv", "contraction", "n_q", 1.0, 1.0, 0, 100_000, 0)
OUTPUT = OutputReport("y", "float32", 1.0, 0, 0.0, None, None, 1.0)


def verdict(family: Family, bits: int = 8, **found: float) -> str | None:
    return failure_of(replace(LAYER, family=family, **found), limit_for(family, bits))  # type: ignore[arg-type]


def test_an_equal_layer_passes_everywhere() -> None:
    assert {verdict(family, bits) for family in Family for bits in (8, 16)} == {None}


@pytest.mark.parametrize(
    ("family", "bits", "found", "passes"),
    [
        (Family.CONTRACTION, 8, {"exact": 0.9999, "exact_non_ties": 0.9999}, True),
        (Family.CONTRACTION, 8, {"exact": 0.99988, "exact_non_ties": 0.99988}, False),
        (Family.CONTRACTION, 8, {"exact": 0.99, "ties": 10_000}, True),
        (Family.CONTRACTION, 8, {"exact": 0.99, "ties": 10_000, "exact_non_ties": 0.99988}, False),
        (Family.CONTRACTION, 16, {"exact": 0.99, "ties": 10_000}, True),
        (Family.CONTRACTION, 16, {"exact": 0.9962, "exact_non_ties": 0.9962}, True),
        (Family.CONTRACTION, 16, {"exact": 0.996, "exact_non_ties": 0.996}, False),
        (Family.AVERAGE, 8, {"exact": 0.9, "ties": 20_000}, True),
        (Family.AVERAGE, 8, {"exact": 0.9, "exact_non_ties": 0.99}, False),
        (Family.AVERAGE, 16, {"exact": 0.9, "ties": 20_000}, True),
        (Family.AVERAGE, 16, {"exact": 0.9, "exact_non_ties": 0.99}, False),
        (Family.ELEMENTWISE, 8, {"exact": 0.9, "ties": 20_000}, True),
        (Family.ELEMENTWISE, 8, {"exact": 0.99999, "exact_non_ties": 0.99999}, False),
        (Family.MOVEMENT, 8, {"exact": 0.99999}, False),
        (Family.MOVEMENT, 16, {"exact": 0.99999}, False),
        *((family, 16, {"max_lsb": 2}, False) for family in Family),
    ],
)
def test_limits_of_the_families(family: Family, bits: int, found: dict[str, float], passes: bool) -> None:
    assert (verdict(family, bits, **found) is None) is passes


@pytest.mark.parametrize(
    ("error", "found", "passes"),
    [
        (FloatError(0.01, 0.02), {"exact": 0.981, "exact_non_ties": 0.981}, True),
        (FloatError(0.01, 0.02), {"exact": 0.979, "exact_non_ties": 0.979}, False),
        (FloatError(0.01, 0.02), {"max_lsb": 2}, False),
        (FloatError(0.6, 1.5), {"exact": 0.0, "exact_non_ties": 0.0, "max_lsb": 2}, True),
        (FloatError(0.6, 1.5), {"max_lsb": 3}, False),
        (FloatError(0.0, 0.0), {"exact": 0.99988, "exact_non_ties": 0.99988}, False),
    ],
)
def test_limits_that_follow_from_the_error_of_sums(error: FloatError, found: dict[str, float], passes: bool) -> None:
    layer = replace(LAYER, **found)  # type: ignore[arg-type]
    assert (failure_of(layer, limit_for(Family.CONTRACTION, 16, error)) is None) is passes


@pytest.mark.parametrize("family", Family)
@pytest.mark.parametrize("bits", [8, 16])
def test_nothing_may_differ_from_litert_in_tosa(family: Family, bits: int) -> None:
    limit = litert_limit(layer_of(family, bits), FORMATS[Format.TOSA])
    assert failure_of(LAYER, limit) is None
    assert failure_of(replace(LAYER, exact=1 - 1 / LAYER.elements, max_lsb=1), limit) is not None


_WRITTEN = 2.0**-16
"""What a factor of float32 scales moves 2^8 LSB by."""


@pytest.mark.parametrize(
    ("op", "types", "result", "margin"),
    [
        ('"stablehlo.multiply"(%a, %b)', ("0.02", "0.01"), "0.01", 2.0**-6),  # 0.64 * 2^-5
        ('"stablehlo.multiply"(%a, %b)', ("0.02", "0.01"), "0.0003", 0.0),  # 0.67
        ('"stablehlo.abs"(%a)', ("0.03",), "0.1", 2.0**-9),  # 0.6 * 2^-1, times 128
        ('"stablehlo.negate"(%a)', ("0.1",), "0.1", 0.0),
        ('"stablehlo.maximum"(%a, %b)', ("0.02", "0.09"), "0.1", 2.0**-10),  # 0.8 * 2^-2, times 128, 0.9
        ('"stablehlo.add"(%a, %b)', ("0.02", "0.09"), "0.1", 0.0),  # the kernel's shift is of 20 bits
        ('"qconvert.leaky_relu"(%a) {alpha = 0.1 : f32}', ("0.03",), "0.1", 2.0**-9),  # 0.6 * 2^-1, 0.96 * 2^-5
        ('"qconvert.leaky_relu"(%a) {alpha = 0.1 : f32}', ("0.1",), "0.1", 2.0**-11),  # 1, 0.8 * 2^-3
        ('"qconvert.leaky_relu"(%a) {alpha = 2.0 : f32}', ("0.03",), "0.1", 2.0**-2),  # 0.6 * 2^-1, by LEAKY_RELU
    ],
)
def test_values_tie_where_litert_rounds_before_and_after_a_shift(
    op: str, types: tuple[str, ...], result: str, margin: float
) -> None:
    ports = [f"tensor<4x!quant.uniform<i8:f32, {scale}>>" for scale in (*types, result)]
    arguments = ", ".join(f"%{name}: {port}" for name, port in zip("ab", ports[:-1], strict=False))
    text = f"""func.func @main({arguments}) -> {ports[-1]} {{
      %0 = {op} : ({", ".join(ports[:-1])}) -> {ports[-1]}
      return %0 : {ports[-1]}
    }}"""
    layer = replace(layer_of(Family.ELEMENTWISE, 8), module=parse_module(text))
    assert kernel_margin(layer) == margin + _WRITTEN
    assert kernel_margin(replace(layer, family=Family.AVERAGE)) == 0.0


@pytest.mark.parametrize(
    ("count", "result", "needed"),
    [
        (12, 0.0216, 0.5),  # 0.0565 / 0.0216 = 0.65 * 2^2, and 12 elements shift by 3: one place for a second rounding
        (4, 0.0216, 0.95),  # no place is left
        (12, 0.0565, 0.95 - 0.2),
    ],
)
def test_a_mean_of_tflite_rounds_before_and_after_its_shift(count: int, result: float, needed: float) -> None:
    """``round(round(sum * multiplier) / 2^places)`` differs from one rounding for up to 1 of 2^places sums."""
    operand, made = Tensor((1, 4, count), 0.0565, -18), Tensor((1, 4), result, -17)
    module = load(one_op("MEAN", [operand, constant([2])], [made], "ReducerOptions")).module
    layer = replace(layer_of(Family.AVERAGE, 8), module=module)
    assert litert_limit(layer, FORMATS[Format.STABLEHLO]).exact_non_ties == pytest.approx(needed)
    assert litert_limit(layer, FORMATS[Format.TOSA]) == FamilyLimit(1.0, 1.0, 0)


@pytest.mark.parametrize("bits", [8, 16])
def test_a_contraction_of_equal_weights_has_the_limit_of_an_average(bits: int) -> None:
    ports = [Tensor((1, 4), 0.1, 0, f"INT{bits}"), Tensor((1, 2), 0.3, 0, f"INT{bits}")]
    layers = []
    for weights, family in (([[64] * 4] * 2, Family.AVERAGE), ([[64] * 4, [64, 64, 63, 64]], Family.CONTRACTION)):
        content = one_op(
            "FULLY_CONNECTED", [ports[0], constant(weights, "INT8", 0.01)], ports[1:], "FullyConnectedOptions"
        )
        layers.append((replace(layer_of(Family.CONTRACTION, bits), module=load(content).module), family))
    to = FORMATS[Format.STABLEHLO]
    assert [litert_limit(layer, to) == litert_limit(layer_of(family, bits), to) for layer, family in layers] == [
        True
    ] * 2
    assert kernel_limit(layers[0][0]) != kernel_limit(layers[1][0])


@pytest.mark.parametrize(("scale", "steps"), [(0.00016598531510680914, 4), (2.0**-12, 1)])
def test_functions_of_16_bits_differ_by_the_error_of_their_kernels(scale: float, steps: int) -> None:
    """LiteRT interpolates TANH in a table over -10.7 .. 10.7, to which it brings the input by a factor of few bits."""
    operand, made = Tensor((1, 4), scale, 0, "INT16"), Tensor((1, 4), 2.0**-15, 0, "INT16")
    layer = replace(layer_of(Family.ELEMENTWISE, 16), module=load(one_op("TANH", [operand], [made])).module)
    limit = litert_limit(layer, FORMATS[Format.STABLEHLO])
    assert limit.max_lsb == steps
    assert failure_of(replace(LAYER, exact=0.5, exact_non_ties=0.5), limit) is not None
    assert litert_limit(layer, FORMATS[Format.TOSA]) == FamilyLimit(1.0, 1.0, 0)


def layer_of(family: Family, bits: int) -> Layer:
    return Layer("n_q", ("x",), ModuleOp([]), "n", ("n",), family, bits, (-128, 127))


@pytest.mark.parametrize(
    ("family", "bits", "steps", "share"),
    [
        *((Family.MOVEMENT, bits, 0, 1.0) for bits in (8, 16)),
        *((family, 8, 1, 0.95) for family in (Family.AVERAGE, Family.ELEMENTWISE, Family.RECURRENT)),
        *((family, 16, 1, 0.8) for family in (Family.AVERAGE, Family.ELEMENTWISE)),
        (Family.CONTRACTION, 8, 1, 0.98),
        (Family.CONTRACTION, 16, 3, 0.0),
    ],
)
def test_steps_from_litert_in_formats_with_another_arithmetic(
    family: Family, bits: int, steps: int, share: float
) -> None:
    limit = litert_limit(layer_of(family, bits), FORMATS[Format.STABLEHLO])
    assert failure_of(replace(LAYER, exact=share, exact_non_ties=share, max_lsb=steps), limit) is None
    assert failure_of(replace(LAYER, exact=share, exact_non_ties=share, max_lsb=steps + 1), limit) is not None
    below = share - 0.001
    assert below < 0 or failure_of(replace(LAYER, exact=below, exact_non_ties=below, max_lsb=steps), limit) is not None


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("op", "reference", "default"),
    [("Conv", 0.98, 0.999), ("Add", 0.98, 0.98), ("AveragePool", 0.95, 0.95), ("Relu", 1.0, 1.0)],
)
def test_limits_of_litert_for_models_of_onnx(op: str, reference: float, default: float) -> None:
    model = load(FIXTURES / "digits_cnn_pow2.onnx")
    layers = split_layers(convert(model, Format.TFLITE).fused, model.input_names, model.op_types)
    layer = next(layer for layer in layers if model.op_types[layer.node] == op)
    assert kernel_limit(layer).exact == reference
    assert default_limit(layer).exact == default


@pytest.mark.parametrize(("exact", "lsb", "passes"), [(0.9995, 1, True), (0.9985, 1, False), (1.0, 2, False)])
def test_limits_of_the_default_kernels(exact: float, lsb: int, passes: bool) -> None:
    layer = replace(LAYER, rewritten=RewrittenLayer(exact, lsb, 0.999))
    failure = rewritten_failure(layer, FamilyLimit(0.999, 0.999), "default kernels")
    assert (failure is None) is passes
    assert passes or "layer 'n' (Conv, contraction), with default kernels: " in str(failure)


def test_one_element_may_differ_where_the_share_is_finer() -> None:
    one, two = 1 - 1 / 500, 1 - 2 / 500
    assert verdict(Family.CONTRACTION, elements=500, exact=one, exact_non_ties=one, max_lsb=1) is None
    assert verdict(Family.CONTRACTION, elements=500, exact=two, exact_non_ties=two, max_lsb=1) is not None
    assert verdict(Family.ELEMENTWISE, elements=500, exact=one, exact_non_ties=one, max_lsb=1) is not None


def test_a_layer_without_elements_passes() -> None:
    assert verdict(Family.MOVEMENT, elements=0) is None


def test_the_sentence_names_layer_figures_and_limits() -> None:
    assert verdict(Family.CONTRACTION, exact=0.5, exact_non_ties=0.25, max_lsb=3) == (
        "layer 'n' (Conv, contraction): "
        "0.250000 of its elements without ties are equal, 0.9999 is needed and it is 3 LSB off, the limit is 1"
    )


def test_end_to_end_limits_are_opt_in() -> None:
    far = replace(OUTPUT, exact=0.0, max_lsb=200, max_abs=9.0, sqnr_db=-3.0)
    assert Limits().failures(far) == []
    assert Limits().given() == {}


def test_end_to_end_limits() -> None:
    limits = Limits(max_lsb=1, min_exact=0.9, min_sqnr_db=30.0)
    assert limits.given() == {"max_lsb": 1, "min_exact": 0.9, "min_sqnr_db": 30.0}
    assert limits.failures(OUTPUT) == []
    assert limits.failures(replace(OUTPUT, exact=0.9, max_lsb=1, sqnr_db=30.0)) == []
    assert limits.failures(replace(OUTPUT, exact=0.75, max_lsb=2, sqnr_db=29.94)) == [
        "output 'y' is 2 LSB off, the limit is 1",
        "0.750000 of output 'y' is equal, 0.9 is needed",
        "output 'y' has 29.9 dB, 30.0 are needed",
    ]


def test_what_has_no_figure_fails_where_it_differs() -> None:
    """NaN and infinity have neither LSB nor decibels; a float output has no LSB."""
    limits = Limits(max_lsb=1, min_sqnr_db=30.0)
    assert limits.failures(replace(OUTPUT, max_lsb=None)) == []
    assert limits.failures(replace(OUTPUT, max_lsb=None, exact=0.5)) == [
        "output 'y' differs and has no LSB, the limit is 1 LSB",
        "output 'y' has no finite signal or noise, 30.0 dB are needed",
    ]


def test_relative_limits_are_those_of_the_type() -> None:
    float_output = replace(OUTPUT, max_rel=0.01)
    assert Limits(max_rel=0.01).failures(float_output) == []
    assert Limits(max_rel=0.009).failures(float_output) == [
        "output 'y' differs by 0.01 of its largest value, the limit is 0.009"
    ]
    types = ("float64", "float32", "float16", "bfloat16")
    assert [float_limit(replace(float_output, dtype=dtype)) for dtype in types] == [1e-4, 1e-4, 2**-7, 2**-4]
    assert float_limit(OUTPUT) is None
    assert relative_failure(OUTPUT, 0.0) is None


@pytest.mark.parametrize(
    ("body", "rounding"),
    [
        ("%0 = stablehlo.tanh %x : tensor<f32>", False),
        ("%0 = stablehlo.floor %x : tensor<f32>", True),
        ("%0 = stablehlo.convert %x : (tensor<f32>) -> tensor<i32>", True),
        ("%0 = stablehlo.convert %x : (tensor<f32>) -> tensor<f64>", False),
        ("%0 = stablehlo.uniform_quantize %x : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 0.5>>", True),
        (
            "%0 = stablehlo.constant() <{value = dense<1> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5>>",
            False,
        ),
        ("%0 = stablehlo.compare GT, %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>", False),
    ],
)
def test_what_rounds_while_it_runs(body: str, rounding: bool) -> None:
    module = parse_module(f"func.func @main(%x: tensor<f32>) {{\n{body}\nreturn\n}}")
    assert rounds(module) is rounding


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_limits_are_finite(value: float) -> None:
    with pytest.raises(UsageError, match=r"the limit min_sqnr_db is .*, it must be a finite number"):
        Limits(min_sqnr_db=value)


def test_a_bias_that_the_sums_round_moves_results_of_the_default_kernels() -> None:
    sums, finer = "!quant.uniform<i32:f32, 0.0004>", "!quant.uniform<i32:f32, 0.0000001>"
    operands = "tensor<2x3x!quant.uniform<i8:f32, 0.02>>, tensor<3x4x!quant.uniform<i8:f32, 0.02>>"
    module = parse_module(f"""func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.02>>, %b: tensor<2x4x{finer}>)
    -> tensor<2x4x!quant.uniform<i8:f32, 0.05>> {{
  %w = stablehlo.constant() {{value = dense<1> : tensor<3x4xi8>}} : () -> tensor<3x4x!quant.uniform<i8:f32, 0.02>>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({operands}) -> tensor<2x4x{sums}>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2x4x{sums}>) -> tensor<2x4x{finer}>
  %2 = stablehlo.add %1, %b : tensor<2x4x{finer}>
  %3 = stablehlo.uniform_quantize %2 : (tensor<2x4x{finer}>) -> tensor<2x4x!quant.uniform<i8:f32, 0.05>>
  return %3 : tensor<2x4x!quant.uniform<i8:f32, 0.05>>
}}""")
    layer = replace(layer_of(Family.CONTRACTION, 8), module=module)
    assert default_limit(layer).exact == pytest.approx(0.999 - 0.0004 / 0.05 / 2)
