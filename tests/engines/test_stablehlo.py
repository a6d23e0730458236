import ml_dtypes
import numpy as np
import pytest

from qconvert.engines import stablehlo
from qconvert.engines.modules import Program
from qconvert.engines.wire import Array
from qconvert.support.errors import EngineError

pytestmark = pytest.mark.stablehlo

# The specification's widened form: the body adds in i32 what arrives in i8. It verifies, and aborts the interpreter.
I8, I32 = "!quant.uniform<i8:f32, 0.5>", "!quant.uniform<i32:f32, 0.5>"
WIDENED_WINDOW = f"""
func.func @main(%x: tensor<1x4x4x1x{I8}>) -> tensor<1x2x2x1x{I32}> {{
  %init = stablehlo.constant() <{{value = dense<0> : tensor<i8>}}> : () -> tensor<{I8}>
  %0 = "stablehlo.reduce_window"(%x, %init)
    <{{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}}> ({{
  ^bb0(%a: tensor<{I32}>, %b: tensor<{I32}>):
    %1 = stablehlo.add %a, %b : tensor<{I32}>
    stablehlo.return %1 : tensor<{I32}>
  }}) : (tensor<1x4x4x1x{I8}>, tensor<{I8}>) -> tensor<1x2x2x1x{I32}>
  return %0 : tensor<1x2x2x1x{I32}>
}}"""
IDENTITY = "func.func @main(%a: tensor<2x{0}>) -> tensor<2x{0}> {{ return %a : tensor<2x{0}> }}"


def test_quantized_add_rounds_the_sum_once(quantized_add: str) -> None:
    a, b = np.array([1, 3, 5, 127, -128], np.int8), np.array([1, 3, 5, 127, -128], np.int8)
    [result] = stablehlo.run_samples(quantized_add, [[a, b]])[0]
    # 0.5 * (a - 1) + 0.25 * (b + 3) = 1, 2.5, 4, 95.5, -95.75; ties to even
    assert result.tolist() == [1, 2, 4, 96, -96]
    assert result.dtype == np.int8


def test_requantize_breaks_ties_to_even_and_saturates(requantize: str) -> None:
    # a / 2 - 2 = -2, -1.5, -1, -0.5, 498, -502
    [result] = stablehlo.run_samples(requantize, [[np.array([0, 1, 2, 3, 1000, -1000], np.int32)]])[0]
    assert result.tolist() == [-2, -2, -1, 0, 127, -128]


def test_per_axis_convolution_for_several_samples(convolution: Program, convolved: list[object]) -> None:
    results = stablehlo.run_samples(convolution.text, convolution.samples)
    assert [result.tolist() for [result] in results] == convolved


def test_an_aborting_program_does_not_take_the_others_along(convolution: Program, convolved: list[object]) -> None:
    bad = Program(WIDENED_WINDOW, [[np.zeros((1, 4, 4, 1), np.int8)]])
    before, aborted, after = stablehlo.run_many([convolution, bad, convolution])
    assert isinstance(aborted, EngineError)
    assert str(aborted).startswith("stablehlo engine died: SIGABRT; LLVM ERROR: Expected same type")
    for answer in (before, after):
        assert not isinstance(answer, EngineError)
        assert [result.tolist() for [result] in answer] == convolved


@pytest.mark.parametrize(
    ("element", "array"),
    [
        ("i1", np.array([True, False])),
        ("ui8", np.array([0, 255], np.uint8)),
        ("ui16", np.array([0, 65535], np.uint16)),
        ("i4", np.array([-8, 7], ml_dtypes.int4)),
        ("!quant.uniform<ui4:f32, 0.5>", np.array([0, 15], ml_dtypes.uint4)),
        ("i2", np.array([-2, 1], ml_dtypes.int2)),
        ("bf16", np.array([1.5, -3.0], ml_dtypes.bfloat16)),
        ("f8E4M3FN", np.array([0.5, 448.0], ml_dtypes.float8_e4m3fn)),
        ("f64", np.array([1e300, -0.1])),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_element_type_goes_in_and_comes_out(element: str, array: Array) -> None:
    [result] = stablehlo.run_samples(IDENTITY.format(element), [[array]])[0]
    assert result.dtype == array.dtype
    assert result.tolist() == array.tolist()


def test_four_bit_values_may_come_in_bytes_when_in_range() -> None:
    text = IDENTITY.format("i4")
    assert stablehlo.run_samples(text, [[np.array([-8, 7], np.int8)]])[0][0].tolist() == [-8, 7]
    with pytest.raises(EngineError, match="argument 0 has values outside i4"):
        stablehlo.run_samples(text, [[np.array([-9, 7], np.int8)]])


@pytest.mark.parametrize(
    ("text", "inputs", "message"),
    [
        (IDENTITY.format("i8"), [np.zeros(2, np.uint8)], r"argument 0 is uint8\[2\], @main takes tensor<2xi8>"),
        (IDENTITY.format("i8"), [np.zeros(3, np.int8)], r"argument 0 is int8\[3\], @main takes tensor<2xi8>"),
        (IDENTITY.format("i8"), [], "0 arguments given, @main takes 1"),
        ("func.func @f() { return }", [], "the module has no function @main"),
        (
            "func.func @main(%a: tensor<?xi8>) { return }",
            [np.zeros(1)],
            r"parameter 0 has type tensor<\?xi8>",
        ),
    ],
)
def test_wrong_arguments_are_refused(text: str, inputs: list[Array], message: str) -> None:
    with pytest.raises(EngineError, match=message):
        stablehlo.run_samples(text, [inputs])


def test_verify_returns_the_pretty_text_and_keeps_locations() -> None:
    text = 'module { func.func @main(%a: tensor<2xi8>) -> tensor<2xi8> { %0 = "stablehlo.add"(%a, %a) '
    text += ': (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8> loc("conv1")\n return %0 : tensor<2xi8> } }'
    pretty = stablehlo.verify(text)
    assert "%0 = stablehlo.add %arg0, %arg0 : tensor<2xi8>\n" in pretty
    assert "conv1" not in pretty
    assert 'loc("conv1")' in stablehlo.verify(text, locations=True)
    assert '"stablehlo.add"(%arg0, %arg0)' in stablehlo.verify(text, generic=True)


def test_verify_many_has_each_module_its_own_verdict() -> None:
    bad = "func.func @main(%a: tensor<f32>) -> tensor<3xf32> {\n %0 = stablehlo.add %a, %a : "
    bad += "(tensor<f32>, tensor<f32>) -> tensor<3xf32>\n return %0 : tensor<3xf32> }"
    unknown, wrong, fine = stablehlo.verify_many(["junk", bad, "module {}"])
    assert str(unknown) == "stablehlo engine: line 1:1: custom op 'junk' is unknown (tried 'builtin.junk' as well)"
    assert str(wrong).startswith("stablehlo engine: line 2:7: 'stablehlo.add' op requires the same shape for all")
    assert "see current operation" not in str(wrong)
    assert fine == "module {\n}\n"


def test_rewrite_runs_a_pass(quantized_add: str) -> None:
    passes = "builtin.module(func.func(stablehlo-legalize-quantized-op-to-qdq))"
    [text] = stablehlo.rewrite_many([quantized_add], passes)
    assert isinstance(text, str)
    assert text.count("uniform_dequantize") == 2
    [unknown] = stablehlo.rewrite_many([quantized_add], "builtin.module(no-such-pass)")
    assert "no-such-pass" in str(unknown)


def test_scales_along_any_axis_and_reversed_integers_run() -> None:
    """StableHLO's own passes broadcast scales along the last axis only, and have no quantized reverse."""
    kind, one = "!quant.uniform<i8:f32:1, {0.25:1, 0.5:2, 1.0:3}>", "!quant.uniform<i8:f32, 0.1:3>"
    text = f"""
func.func @main(%a: tensor<2x3x4x{kind}>, %b: tensor<2x4x{one}>)
    -> (tensor<2x3x4xf32>, tensor<2x3x4x{kind}>, tensor<2x4x{one}>) {{
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x3x4x{kind}>) -> tensor<2x3x4xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2x3x4xf32>) -> tensor<2x3x4x{kind}>
  %2 = stablehlo.reverse %b, dims = [1] : tensor<2x4x{one}>
  return %0, %1, %2 : tensor<2x3x4xf32>, tensor<2x3x4x{kind}>, tensor<2x4x{one}>
}}"""
    a = np.arange(-60, 60, 5, dtype=np.int8).reshape(2, 3, 4)
    b = np.array([[-128, 0, 127, 3], [1, 2, 3, 4]], np.int8)
    real, again, reversed_b = stablehlo.run_samples(text, [[a, b]])[0]
    scale, zero_point = (np.array(v).reshape(1, 3, 1) for v in ([0.25, 0.5, 1.0], [1, 2, 3]))
    np.testing.assert_array_equal(real, (a - zero_point) * scale)
    np.testing.assert_array_equal(again, a)
    np.testing.assert_array_equal(reversed_b, b[:, ::-1])
