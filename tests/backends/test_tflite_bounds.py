"""Bounds and odd widths of a quantized type's storage as TFLite: LiteRT clamps where the types do not."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert import Format, convert, load
from qconvert.engines import litert
from qconvert.interpreter.program import evaluate
from tests.backends.test_tflite_programs import program

pytestmark = pytest.mark.litert

STORAGES = ("i8<-20:9>", "ui8<100:163>", "i16<-1000:500>", "i4<-7:7>", "i6", "ui5", "i12<-300:301>", "i8<-127:127>")
ZERO_POINTS = {"ui8<100:163>": 121, "ui5": 7}
SCALES = {"i16<-1000:500>": 0.005, "i12<-300:301>": 0.01, "i8<-127:127>": 0.02}


def element(storage: str, factor: float = 1.0) -> str:
    return f"!quant.uniform<{storage}:f32, {SCALES.get(storage, 0.1) * factor}:{ZERO_POINTS.get(storage, 0)}>"


FLOATS, WIDE = "tensor<4x6xf32>", "tensor<4x6x!quant.uniform<i8:f32, 0.05>>"
BODIES: dict[str, tuple[str, ...]] = {
    "quantize": (),
    "add": ("%r = stablehlo.add %q, %q : ({T}, {T}) -> {T}",),
    "subtract": ("%n = stablehlo.abs %q : {T}", "%r = stablehlo.subtract %n, %q : ({T}, {T}) -> {T}"),
    "multiply": ("%r = stablehlo.multiply %q, %q : ({T}, {T}) -> {T}",),
    "absolute": ("%r = stablehlo.abs %q : {T}",),
    "sign": ("%r = stablehlo.sign %q : {T}",),
    "requantize": ("%r = stablehlo.uniform_quantize %q : ({T}) -> {U}",),
    "maximum": ("%r = stablehlo.maximum %q, %q : {T}",),
    "move": (
        "%t = stablehlo.transpose %q, dims = [1, 0] : ({T}) -> {V}",
        "%r = stablehlo.reshape %t : ({V}) -> {T}",
    ),
}


def source(body: str, storage: str) -> str:
    kind = f"tensor<4x6x{element(storage)}>"
    names = {"T": kind, "U": f"tensor<4x6x{element(storage, 0.6)}>", "V": f"tensor<6x4x{element(storage)}>"}
    lines = [line.format(**names) for line in BODIES[body]]
    result = names["U"] if body == "requantize" else kind
    return program(
        FLOATS,
        FLOATS,
        f"%q = stablehlo.uniform_quantize %a : ({FLOATS}) -> {kind}",
        *lines,
        f"%y = stablehlo.uniform_dequantize %{'r' if lines else 'q'} : ({result}) -> {FLOATS}",
    )


@pytest.mark.quick(10)
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("body", BODIES)
def test_results_stay_within_the_bounds_of_their_storage(body: str, storage: str) -> None:
    model = load(source(body, storage).encode())
    inputs = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32) * 4
    step = SCALES.get(storage, 0.1) * (0.6 if body == "requantize" else 1.0)
    content = convert(model, Format.TFLITE).content
    assert content is not None
    [expected] = evaluate(model.module, [inputs])
    for resolver in litert.Resolver:
        [found] = litert.run(content, dict(zip(model.input_names, [inputs], strict=True)), resolver=resolver).values()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1.01 * step)
        assert np.mean(np.abs(found - expected) < step / 2) > 0.8
        np.testing.assert_allclose((found.min(), found.max()), (expected.min(), expected.max()), rtol=1e-6)


@pytest.mark.parametrize("bounds", [(127, 127), (-128, -128), (-128, 5), (5, 127), (-128, 127), (-3, -3)])
def test_a_clamp_keeps_its_two_bounds(bounds: tuple[int, int]) -> None:
    kind = "tensor<3x5x!quant.uniform<i8:f32, 0.5>>"
    scalar = "tensor<!quant.uniform<i8:f32, 0.5>>"
    lines = [
        f"%{name} = stablehlo.constant() <{{value = dense<{bound}> : tensor<i8>}}> : () -> {scalar}"
        for name, bound in zip(("low", "high"), bounds, strict=True)
    ]
    lines.append(f"%y = stablehlo.clamp %low, %a, %high : ({scalar}, {kind}, {scalar}) -> {kind}")
    model = load(program(kind, kind, *lines).encode())
    content = convert(model, Format.TFLITE).content
    assert content is not None
    inputs = np.linspace(-128, 127, 15).round().astype(np.int8).reshape(3, 5)
    for resolver in litert.Resolver:
        [found] = litert.run(content, {model.input_names[0]: inputs}, resolver=resolver).values()
        np.testing.assert_array_equal(found, np.clip(inputs, *bounds))
