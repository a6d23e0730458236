"""What stands behind a contraction, asked once: bias with its scale, finer sums, requantization, clamp."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert import Format, convert, load
from qconvert.dialects import stablehlo
from qconvert.interpreter.program import evaluate
from qconvert.rewriting import Tail, tail_of
from qconvert.support.errors import ConversionError

IMAGE, KERNEL, SUMS, FINER = (
    f"!quant.uniform<{kind}>" for kind in ("i8:f32, 0.5:3", "i8:f32, 0.25", "i32:f32, 0.125", "i32:f32, 0.0078125")
)
OUT = "!quant.uniform<i8:f32, 40.0>"
PRODUCT = (
    f"%s = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x4x{IMAGE}>, tensor<4x2x{KERNEL}>)"
)
SAMPLE = np.array([[-128, 100, -90, 127]], np.int8)


def program(*lines: str, result: str = f"tensor<1x2x{OUT}>") -> str:
    """Return a product of %x by constant weights, with %y behind its sums %s."""
    return "\n  ".join(
        (
            f"func.func @main(%x: tensor<1x4x{IMAGE}>) -> {result} {{",
            f"%w = stablehlo.constant() <{{value = dense<127> : tensor<4x2xi8>}}> : () -> tensor<4x2x{KERNEL}>",
            f"{PRODUCT} -> tensor<1x2x{SUMS}>",
            *lines,
            f"return %y : {result}\n}}",
        )
    )


def constant(element: str, values: str = "[[3000, -4000]]") -> str:
    return f"%c = stablehlo.constant() <{{value = dense<{values}> : tensor<1x2xi32>}}> : () -> tensor<1x2x{element}>"


def added(element: str, sums: str = SUMS, source: str = "%s", result: str | None = None) -> str:
    types = f"(tensor<1x2x{sums}>, tensor<1x2x{element}>) -> tensor<1x2x{result or sums}>"
    return f'%a = "stablehlo.add"({source}, %c) : {types}'


def quantized(source: str, sums: str = SUMS, name: str = "%y") -> str:
    return f"{name} = stablehlo.uniform_quantize {source} : (tensor<1x2x{sums}>) -> tensor<1x2x{OUT}>"


def tail(text: str, axis: int | None = 1) -> Tail:
    (op,) = (op for op in load(text.encode()).module.walk() if isinstance(op, stablehlo.DotGeneralOp))
    return tail_of(op.result, axis)


def test_bias_and_requantization() -> None:
    found = tail(program(constant(SUMS), added(SUMS), quantized("%a")))
    assert found.bias is not None
    assert found.bias.tolist() == [3000, -4000]
    assert (found.finer, found.clamp) == (None, None)
    assert found.requantize is not None
    assert [len(list(value.uses)) for value in found.values] == [1, 1, 1]
    assert found.requantized is found.requantize.result


def test_a_bias_at_a_finer_scale_is_at_that_scale() -> None:
    finer = f"%f = stablehlo.uniform_quantize %s : (tensor<1x2x{SUMS}>) -> tensor<1x2x{FINER}>"
    found = tail(program(finer, constant(FINER), added(FINER, FINER, "%f"), quantized("%a", FINER)))
    assert found.finer is not None
    assert found.bias is not None
    assert found.bias.tolist() == [3000, -4000]
    assert len(found.values) == 4


def test_a_clamp() -> None:
    bound = "dense<{}> : tensor<i8>"
    low, high = (
        f"%{name} = stablehlo.constant() <{{value = {bound.format(value)}}}> : () -> tensor<{OUT}>"
        for name, value in (("l", 0), ("h", 6))
    )
    types = f"(tensor<{OUT}>, tensor<1x2x{OUT}>, tensor<{OUT}>) -> tensor<1x2x{OUT}>"
    found = tail(program(low, high, quantized("%s", name="%q"), f"%y = stablehlo.clamp %l, %q, %h : {types}"))
    assert found.clamp is not None
    assert found.bias is None
    assert found.clamp.operand is found.requantized


@pytest.mark.parametrize(
    "lines",
    [
        (constant(SUMS, "[[3000, -4000]]"), added(SUMS), quantized("%a", name="%q"), "%y = stablehlo.add %q, %r"),
        (
            f"%c = stablehlo.uniform_quantize %s : (tensor<1x2x{SUMS}>) -> tensor<1x2x{SUMS}>",
            added(SUMS),
            quantized("%a"),
        ),
    ],
    ids=["used twice", "computed"],
)
def test_no_bias(lines: tuple[str, ...]) -> None:
    if lines[-1].endswith("%r"):
        lines = (quantized("%s", name="%r"), *lines[:-1], f"{lines[-1]} : tensor<1x2x{OUT}>")
    found = tail(program(*lines))
    assert found.bias is None
    assert found.biased is found.sums


def test_an_operator_without_outputs_of_its_own_takes_no_bias() -> None:
    assert tail(program(constant(SUMS), added(SUMS), quantized("%a")), None).bias is None


@pytest.mark.parametrize(
    ("element", "values", "bias"),
    [
        ("!quant.uniform<i32:f32, 0.5>", "[[3000, -4000]]", [12000, -16000]),
        ("!quant.uniform<i32:f32, 0.125:7>", "[[3000, -4000]]", [2993, -4007]),
        ("!quant.uniform<i32:f32, 0.125000625>", "[[1000000, -4000]]", [1000005, -4000]),
        ("!quant.uniform<i32:f32, 0.12500006>", "[[1000000, -4000]]", [1000000, -4000]),
        ("!quant.uniform<i32:f32:1, {0.5,0.25}>", "[[3000, -4000]]", [12000, -8000]),
        ("!quant.uniform<i32:f32, 0.0625>", "[[3001, -4000]]", None),
        ("!quant.uniform<i32:f32, 0.5>", "[[2000000000, 0]]", None),
    ],
)
def test_a_bias_has_its_own_scale(element: str, values: str, bias: list[int] | None) -> None:
    """Its integers are brought to the scale of the sums: not at a tie, which depends on the sum, nor beyond 32 bits."""
    text = program(constant(element, values), added(element), quantized("%a"))
    found = tail(text).bias
    assert (None if found is None else found.tolist()) == bias
    model = load(text.encode())
    if bias is None:
        for target in (Format.TOSA, Format.TFLITE):
            with pytest.raises(ConversionError):
                convert(model, target)
    else:
        (expected,), (result,) = (evaluate(m, [SAMPLE]) for m in (model.module, convert(model, Format.TOSA).module))
        np.testing.assert_array_equal(result, expected)
        again = load(convert(model, Format.TFLITE).content or b"").module
        np.testing.assert_array_equal(evaluate(again, [SAMPLE])[0], expected)
