"""Storage of any width from 1 to 32 bits: text, the interpreter, and every format, in wider storage of its range."""

from __future__ import annotations

import re

import numpy as np
import pytest

from qconvert import ConversionError, EngineError, convert, load, run, verify
from qconvert.api.models import Model
from qconvert.dialects.verify import verify_module
from qconvert.engines.base import EngineName
from qconvert.formats import Format
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter.core import main_function
from qconvert.ir.printing import module_text
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import numpy_dtype
from tests.support.parameters import few

WIDTHS = ["i1", "u1", "i3", "u3", "i5", "u7", "i9", "u12", "i15", "i17", "u17", "i24", "u24"]
"""Widths whose integers f32 can hold."""


def storage(name: str) -> Storage:
    return Storage.full(int(name[1:]), signed=name[0] == "i")


def text(name: str) -> str:
    """Quantize, add, bound by a constant and dequantize values between -2 and 2."""
    held = storage(name)
    scale = float(np.float32(4 / (held.maximum - held.minimum)))
    zero_point = (held.minimum + held.maximum + 1) // 2
    element = f"!quant.uniform<{name}:f32, {scale:.12g}:{zero_point}>"
    integer = name if name[0] == "i" else f"ui{name[1:]}"
    constant = zero_point if name[1:] != "1" else str(bool(zero_point)).lower()
    one = f"(tensor<3x4x{element}>, tensor<3x4x{element}>) -> tensor<3x4x{element}>"
    return f"""
func.func @main(%x: tensor<3x4xf32>, %y: tensor<3x4x{element}>) -> (tensor<3x4x{element}>, tensor<3x4xf32>) {{
  %0 = stablehlo.uniform_quantize %x : (tensor<3x4xf32>) -> tensor<3x4x{element}>
  %c = "stablehlo.constant"() {{value = dense<{constant}> : tensor<3x4x{integer}>}} : () -> tensor<3x4x{element}>
  %1 = stablehlo.add %0, %y : {one}
  %2 = stablehlo.maximum %1, %c : {one}
  %3 = stablehlo.uniform_dequantize %2 : (tensor<3x4x{element}>) -> tensor<3x4xf32>
  func.return %0, %3 : tensor<3x4x{element}>, tensor<3x4xf32>
}}"""


def computed(model: Model, x: np.ndarray, y: np.ndarray, engine: EngineName = EngineName.REFERENCE) -> list[np.ndarray]:
    """The results for the same integers, in the dtype that the model takes them in."""
    taken = numpy_dtype(main_function(model.module).function_type.inputs.data[1].element_type)  # type: ignore[attr-defined]
    found = run(model, dict(zip(model.input_names, [x, y.astype(taken)], strict=True)), engine=engine)
    return [np.asarray(array) for array in found.values()]


def inputs(name: str) -> tuple[np.ndarray, np.ndarray]:
    held = storage(name)
    x = np.random.default_rng(0).uniform(-2.3, 2.3, (3, 4)).astype(np.float32)
    return x, np.random.default_rng(1).integers(held.minimum, held.maximum, (3, 4), endpoint=True)


@pytest.mark.quick(16)
@pytest.mark.parametrize("name", [f"{sign}{width}" for sign in "iu" for width in range(1, 33)])
@pytest.mark.row("D21")
def test_text(name: str) -> None:
    module = parse_module(text(name))
    verify_module(module)
    printed = module_text(module)
    assert f"!quant.uniform<{'u' * (name[0] == 'u')}i{name[1:]}:f32" in printed
    assert module_text(parse_module(printed)) == printed


@pytest.mark.parametrize("name", WIDTHS)
def test_the_interpreter_rounds_and_saturates(name: str) -> None:
    held, (x, y) = storage(name), inputs(name)
    found = computed(load(text(name).encode()), x, y)
    scale = np.float32(4 / (held.maximum - held.minimum))
    zero_point = (held.minimum + held.maximum + 1) // 2
    apart = found[0] - np.clip(np.rint(x / scale + zero_point), held.minimum, held.maximum)
    assert np.abs(apart).max() <= (held.width >= 24)
    total = np.clip(found[0].astype(np.int64) + y - zero_point, zero_point, held.maximum)
    np.testing.assert_allclose(found[1], (total - zero_point) * scale, rtol=1e-6)


@pytest.mark.quick(7)
@pytest.mark.parametrize("name", few(WIDTHS, 5))
@pytest.mark.parametrize("to", [Format.STABLEHLO, Format.STABLEHLO_QDQ, Format.STABLEHLO_INT, Format.TOSA])
@pytest.mark.row("D21")
def test_every_format_gives_the_same(name: str, to: Format) -> None:
    model, (x, y) = load(text(name).encode()), inputs(name)
    made = load(convert(model, to).text.encode())
    for found, expected in zip(computed(made, x, y), computed(model, x, y), strict=True):
        np.testing.assert_array_equal(found.astype(expected.dtype), expected)


@pytest.mark.parametrize("name", ["i3", "u3", "i5", "u7", "i9", "u12", "i15"])
def test_onnx_gives_the_same(name: str) -> None:
    model, (x, y) = load(text(name).encode()), inputs(name)
    content = convert(model, Format.ONNX).content
    assert content is not None
    made = load(content)
    found = list(
        run(made, dict(zip(made.input_names, [x, y.astype(computed(model, x, y)[0].dtype)], strict=True))).values()
    )
    for one, expected in zip(found, computed(model, x, y), strict=True):
        np.testing.assert_array_equal(one, expected)


@pytest.mark.stablehlo
def test_verify_refuses_the_widths_that_jaxlib_refuses() -> None:
    from qconvert.engines import stablehlo

    names = [f"{sign}{width}" for sign in "iu" for width in range(1, 33)]
    texts = [
        f"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n"
        f"  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<{name}:f32, 0.3>>\n"
        f"  %1 = stablehlo.uniform_dequantize %0 : (tensor<4x!quant.uniform<{name}:f32, 0.3>>) -> tensor<4xf32>\n"
        "  return %1 : tensor<4xf32>\n}"
        for name in names
    ]
    for name, text, answer in zip(names, texts, stablehlo.verify_many(texts), strict=True):
        violations = verify(text.encode()).violations
        assert bool(violations) == isinstance(answer, EngineError), name
        assert all("StableHLO's storage has 2, 4, 8, 16 or 32 bits" in violation.found for violation in violations)


@pytest.mark.stablehlo
@pytest.mark.parametrize("name", few(WIDTHS, 4))
def test_jaxlib_accepts_the_wider_storage(name: str) -> None:
    from qconvert.engines import stablehlo

    made = convert(load(text(name).encode())).text
    [answer] = stablehlo.verify_many([made])
    assert isinstance(answer, str), answer
    held = storage(name)
    assert held.width in (2, 4, 8, 16, 32) or f"<{held.minimum}:{held.maximum}>" in made


@pytest.mark.tosa
@pytest.mark.parametrize("name", ["i3", "u12", "i24"])
def test_the_reference_model_of_tosa(name: str) -> None:
    made, (x, y) = load(convert(load(text(name).encode()), Format.TOSA).text.encode()), inputs(name)
    for found, expected in zip(computed(made, x, y, EngineName.TOSA), computed(made, x, y), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("name", "to", "message"),
    [
        ("i17", Format.ONNX, "values of i17 do not fit the format's integers: signed ones of at most 16 bits"),
        ("u32", Format.STABLEHLO, "values of ui32 do not fit the format's integers: signed ones of at most 32 bits"),
        ("i31", Format.TOSA, "f32 cannot hold the integers of i32<-1073741824:1073741823>"),
        ("u1", Format.ONNX, "storage ui2<0:1> is not in opset 21"),
    ],
)
def test_refusals(name: str, to: Format, message: str) -> None:
    with pytest.raises(ConversionError, match=re.escape(message)):
        convert(load(text(name).encode()), to)


def test_plain_integers_have_the_usual_widths() -> None:
    for body in ("%0 = stablehlo.constant dense<1> : tensor<2xi3>", "%0 = stablehlo.iota dim = 0 : tensor<2xi3>"):
        with pytest.raises(ConversionError, match="elements of type i3 are not supported here"):
            load(f"func.func @main() {{\n  {body}\n  return\n}}".encode())
