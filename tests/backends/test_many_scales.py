"""Activations with scales along a dimension or for blocks: written where a format has them, else refused by node."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert import Format, convert, load
from qconvert.backends.base import Profile
from qconvert.backends.tosa import TosaOptions
from qconvert.engines import litert
from qconvert.interpreter import evaluate
from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Known, Quantization, Quantized, one_op, random

ALONG = "!quant.uniform<i8:f32:1, {0.1:1, 0.2:-3, 0.3, 0.05:7}>"
BLOCKS = "!quant.uniform<i8:f32:{0:2, 1:2}, {{0.1:1, 0.2:-3}, {0.3, 0.4}}>"
SCALES = Quantization([0.1, 0.2, 0.3, 0.05, 0.02, 0.01], [2, 1, -7, -3, 1, -9], axis=3)


def between(element: str, *lines: str) -> bytes:
    """Return a program that quantizes floats, computes and dequantizes."""
    kind, floats = f"tensor<4x4x{element}>", "tensor<4x4xf32>"
    steps = [
        f"%q = stablehlo.uniform_quantize %x : ({floats}) -> {kind}",
        *lines,
        f"%y = stablehlo.uniform_dequantize %{'r' if lines else 'q'} : ({kind}) -> {floats}",
    ]
    return "\n  ".join([f"func.func @main(%x: {floats}) -> {floats} {{", *steps, f"return %y : {floats}\n}}"]).encode()


def linear(op: str) -> bytes:
    """Return a QuantizeLinear of floats or a DequantizeLinear of integers in blocks, at an edge of the model."""
    x = random(8, 2, dtype=np.int8 if op == "DequantizeLinear" else np.float32)
    scales = Known(np.linspace(0.01, 0.1, 8, dtype=np.float32).reshape(4, 2))
    return one_op(op, [x, scales, Known(np.zeros((4, 2), np.int8))], axis=0, block_size=2).model


def relu(result: Quantization | None) -> bytes:
    """Return a Relu of integers with a scale for each column."""
    return one_op("Relu", [Quantized(random(1, 2, 5, 6, dtype=np.int8), SCALES)], result=result).model


BLOCKED = {
    "quantize": linear("QuantizeLinear"),
    "dequantize": linear("DequantizeLinear"),
    "two dimensions": between(BLOCKS),
    "negative along two dimensions": between(BLOCKS, f"%r = stablehlo.negate %q : tensor<4x4x{BLOCKS}>"),
}
OF_INTEGERS = {
    **BLOCKED,
    "maximum along one dimension": between(ALONG, f"%r = stablehlo.maximum %q, %q : tensor<4x4x{ALONG}>"),
    "Relu to one scale": relu(Quantization(0.08, -100)),
    "Relu to the same scales": relu(SCALES),
}
ACCEPTED = {
    "quantize": between(ALONG),
    "maximum": between(ALONG, f"%r = stablehlo.maximum %q, %q : tensor<4x4x{ALONG}>"),
    "negate": between(ALONG, f"%r = stablehlo.negate %q : tensor<4x4x{ALONG}>"),
}


@pytest.mark.parametrize("name", BLOCKED)
def test_blocks_of_activations_are_refused_in_tflite(name: str) -> None:
    """As scales along a dimension, which the file would hold, they are other numbers."""
    with pytest.raises(ConversionError, match=r"(node '|<bytes>:\d).* (in|for) blocks") as error:
        convert(load(BLOCKED[name]), Format.TFLITE)
    assert len(str(error.value)) <= 300


@pytest.mark.parametrize("name", OF_INTEGERS)
def test_the_integers_of_tosa_refuse_many_scales_by_node(name: str) -> None:
    with pytest.raises(ConversionError, match=r"node '|<bytes>:\d") as error:
        convert(load(OF_INTEGERS[name]), Format.TOSA, TosaOptions(profile=Profile.INT))
    assert len(str(error.value)) <= 300


@pytest.mark.parametrize(
    ("element", "reason"),
    [
        (ALONG, r"has one scale in TOSA, found .*i8:f32:1, \{0.1.*\. Dequantize the operand"),
        ("!quant.uniform<i32:f32, 0.1>", "has 8 or 16 bits in TOSA, found .*i32.*. Quantize to 8 or 16 bits"),
        ("i8", "of plain integers TOSA has abs and negate of i32, found negate of i8. Convert the operand to i32"),
    ],
)
def test_a_function_of_integers_is_refused_in_tosa_for_what_it_lacks(element: str, reason: str) -> None:
    kind = f"tensor<4x4x{element}>"
    text = f"func.func @main(%x: {kind}) -> {kind} {{\n %y = stablehlo.negate %x : {kind}\n return %y : {kind}\n}}"
    with pytest.raises(ConversionError, match=reason):
        convert(load(text.encode()), Format.TOSA)


@pytest.mark.litert
@pytest.mark.parametrize("name", ACCEPTED)
def test_scales_along_a_dimension_are_those_of_tflite(name: str) -> None:
    model, x = load(ACCEPTED[name]), random(4, 4) * np.float32(4)
    content = convert(model, Format.TFLITE).content
    assert content is not None
    [expected] = evaluate(model.module.clone(), [x])
    for resolver in litert.Resolver:
        [found] = litert.run(content, {model.input_names[0]: x}, resolver=resolver).values()
        np.testing.assert_allclose(found, expected, rtol=1e-6)
