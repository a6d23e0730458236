"""Reductions under windows from any initial value, with conversions that change the scale, in TOSA and ONNX."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import bf16, f16, f32, f64

from qconvert import convert, load, run
from qconvert.api.models import Model
from qconvert.backends.stablehlo.options import ReductionForm, StableHloOptions
from qconvert.dialects import stablehlo
from qconvert.engines.base import EngineName
from qconvert.formats import Format
from qconvert.ir.quant import Storage, UniformQuantizedType
from qconvert.ir.types import i1, i8
from tests.support.paths import FIXTURES

X = np.random.default_rng(0).integers(-128, 128, (1, 4, 6, 2))
I8 = "!quant.uniform<i8:f32, 0.25:7>"
SAME, FINER = "!quant.uniform<i32:f32, 0.25>", "!quant.uniform<i32:f32, 0.0625:3>"
RESULT = "!quant.uniform<i8:f32, 1.37:20>"
WINDOWS = {
    "2x2": ((2, 2), (2, 2), (0, 0)),
    "padded": ((3, 2), (1, 2), (1, 0)),
    "overlapping": ((2, 3), (1, 2), (0, 0)),
    "global": ((4, 6), (1, 1), (0, 0)),
}


def conversion(label: str, source: str, target: str) -> str:
    return f"""{{
  ^{label}(%s: tensor<{source}>):
    %q = stablehlo.uniform_quantize %s : (tensor<{source}>) -> tensor<{target}>
    stablehlo.return %q : tensor<{target}>
  }}"""


def program(kind: str, element: str, held: str, initial: Any, window: str, accumulator: str = "") -> Model:
    """A reduction of ``X``; with an ``accumulator`` in three regions."""
    size, stride, pad = WINDOWS[window]
    rows, columns = (4 + sum(pad) - size[0]) // stride[0] + 1, (6 - size[1]) // stride[1] + 1
    summed, result = accumulator or element, RESULT if accumulator else element
    body = f"""{{
  ^body(%l: tensor<{summed}>, %r: tensor<{summed}>):
    %q = stablehlo.{kind} %l, %r : tensor<{summed}>
    stablehlo.return %q : tensor<{summed}>
  }}"""
    stages = [body]
    if accumulator:
        stages = [conversion("before", element, accumulator), body, conversion("after", accumulator, result)]
    text = f"""
func.func @main(%x: tensor<1x4x6x2x{element}>) -> tensor<1x{rows}x{columns}x2x{result}> {{
  %i = "stablehlo.constant"() {{value = dense<{initial}> : tensor<{held}>}} : () -> tensor<{element}>
  %r = "stablehlo.reduce_window"(%x, %i) ({", ".join(stages)}) {{
    window_dimensions = array<i64: 1, {size[0]}, {size[1]}, 1>,
    window_strides = array<i64: 1, {stride[0]}, {stride[1]}, 1>,
    padding = dense<[[0, 0], [{pad[0]}, {pad[1]}], [0, 0], [0, 0]]> : tensor<4x2xi64>
  }} : (tensor<1x4x6x2x{element}>, tensor<{element}>) -> tensor<1x{rows}x{columns}x2x{result}>
  func.return %r : tensor<1x{rows}x{columns}x2x{result}>
}}"""
    return load(text.encode())


def computed(model: Model, to: Format, x: NDArray[Any], engine: EngineName) -> NDArray[Any]:
    converted = convert(model, to)
    made = load(converted.content if converted.content is not None else converted.text.encode())
    [found] = run(made, {"arg0": x}, engine=engine).values()
    return np.asarray(found)


def windows_of(x: NDArray[Any], window: str, fill: float) -> NDArray[Any]:
    """The elements under each window, in the last dimension; padding has the initial value."""
    size, stride, (low, high) = WINDOWS[window]
    padded = np.pad(x, ((0, 0), (low, high), (0, 0), (0, 0)), constant_values=fill)
    seen = np.lib.stride_tricks.sliding_window_view(padded, size, axis=(1, 2))[:, :: stride[0], :: stride[1]]
    return seen.reshape(*seen.shape[:-2], -1)


ENGINES = [EngineName.REFERENCE, pytest.param(EngineName.TOSA, marks=pytest.mark.tosa)]


@pytest.mark.quick(5)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("accumulator", [SAME, FINER])
@pytest.mark.parametrize("initial", [7, 9])
@pytest.mark.parametrize(
    ("to", "engine"), [(Format.ONNX, EngineName.REFERENCE), *[(Format.TOSA, e) for e in ENGINES[:1]]]
)
def test_a_sum(window: str, accumulator: str, initial: int, to: Format, engine: EngineName) -> None:
    """Zero points are 7 and 3; 0.5 is the real initial value of 9. No sum is a tie."""
    reals = windows_of(0.25 * (X - 7.0), window, 0.25 * (initial - 7)).sum(axis=-1) + 0.25 * (initial - 7)
    expected = np.clip(np.rint(reals / 1.37 + 20), -128, 127)
    model = program("add", I8, "i8", initial, window, accumulator)
    np.testing.assert_array_equal(computed(model, to, X.astype(np.int8), engine), expected)


@pytest.mark.tosa
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("accumulator", [SAME, FINER])
def test_a_sum_in_the_reference_model(window: str, accumulator: str) -> None:
    model = program("add", I8, "i8", 9, window, accumulator)
    found = computed(model, Format.TOSA, X.astype(np.int8), EngineName.TOSA)
    np.testing.assert_array_equal(found, computed(model, Format.TOSA, X.astype(np.int8), EngineName.REFERENCE))


@pytest.mark.quick(6)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("kind", ["maximum", "minimum"])
@pytest.mark.parametrize("initial", [-128, 20, 127])
@pytest.mark.parametrize("to", [Format.TOSA, Format.ONNX])
def test_an_extreme_of_integers(window: str, kind: str, initial: int, to: Format) -> None:
    extreme = np.maximum if kind == "maximum" else np.minimum
    expected = extreme(extreme.reduce(windows_of(X, window, initial), axis=-1), initial)
    model = program(kind, I8, "i8", initial, window)
    np.testing.assert_array_equal(computed(model, to, X.astype(np.int8), EngineName.REFERENCE), expected)


@pytest.mark.quick(11)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(("kind", "initial"), [("maximum", 0.5), ("minimum", 0.5), ("minimum", np.inf), ("add", 0.5)])
@pytest.mark.parametrize("to", [Format.TOSA, Format.ONNX])
def test_floats(window: str, kind: str, initial: float, to: Format) -> None:
    x = (X / 16).astype(np.float32)
    ufunc = {"maximum": np.maximum, "minimum": np.minimum, "add": np.add}[kind]
    expected = ufunc(ufunc.reduce(windows_of(x, window, initial), axis=-1), initial)
    model = program(kind, "f32", "f32", "0x7F800000" if np.isinf(initial) else initial, window)
    np.testing.assert_allclose(computed(model, to, x, EngineName.REFERENCE), expected, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["maximum", "minimum", "add"])
def test_plain_integers_in_tosa(kind: str, engine: EngineName) -> None:
    ufunc = {"maximum": np.maximum, "minimum": np.minimum, "add": np.add}[kind]
    expected = ufunc(ufunc.reduce(windows_of(X, "padded", 5), axis=-1), 5)
    model = program(kind, "i32", "i32", 5, "padded")
    np.testing.assert_array_equal(computed(model, Format.TOSA, X.astype(np.int32), engine), expected)


def test_a_32_bit_value_with_a_zero_point_is_requantized_in_tosa() -> None:
    text = f"""
func.func @main(%x: tensor<4x{I8}>) -> tensor<4x{RESULT}> {{
  %0 = stablehlo.uniform_quantize %x : (tensor<4x{I8}>) -> tensor<4x!quant.uniform<i32:f32, 0.25:1000>>
  %1 = stablehlo.uniform_quantize %0 : (tensor<4x!quant.uniform<i32:f32, 0.25:1000>>) -> tensor<4x{RESULT}>
  return %1 : tensor<4x{RESULT}>
}}"""
    x = np.array([-128, 0, 50, 127], np.int8)
    expected = np.clip(np.rint(0.25 * (x - 7.0) / 1.37 + 20), -128, 127)
    np.testing.assert_array_equal(computed(load(text.encode()), Format.TOSA, x, EngineName.REFERENCE), expected)


@pytest.mark.parametrize(
    ("element", "dtype"), [(f16, np.float16), (bf16, ml_dtypes.bfloat16), (f32, np.float32), (f64, np.float64)]
)
def test_the_largest_number_of_the_own_type_is_neutral(element: Any, dtype: Any) -> None:
    largest = float(ml_dtypes.finfo(dtype).max)
    for limit in (largest, np.inf):
        assert stablehlo.is_neutral(stablehlo.MaximumOp, -limit, element)
        assert stablehlo.is_neutral(stablehlo.MinimumOp, limit, element)
        assert not stablehlo.is_neutral(stablehlo.MaximumOp, limit, element)
    assert not stablehlo.is_neutral(stablehlo.MaximumOp, -largest / 2, element)


def test_neutral_elements() -> None:
    quantized = UniformQuantizedType.per_tensor(Storage(8, True, -127, 127), 0.5, 3)
    kinds = (stablehlo.AddOp, stablehlo.MaximumOp, stablehlo.MinimumOp, stablehlo.MultiplyOp, stablehlo.AndOp)
    found = {element: [stablehlo.neutral_element(kind, element) for kind in kinds] for element in (quantized, i8, i1)}
    assert list(found.values()) == [[3, -127, 127, None, None], [0, -128, 127, 1, -1], [0, 0, 1, 1, 1]]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["digits_cnn_int8", "digits_cnn_uint8", "digits_cnn_pow2"])
@pytest.mark.parametrize("form", ReductionForm)
def test_a_network_with_an_average_pool_is_the_same_through_stablehlo(name: str, form: ReductionForm) -> None:
    """ONNX to StableHLO to TOSA gives what ONNX to TOSA gives, integer for integer."""
    model = load(FIXTURES / f"{name}.onnx", dims={"N": 8})
    direct = load(convert(model, Format.TOSA).text.encode())
    written = convert(model, Format.STABLEHLO, StableHloOptions(reduction_form=form)).text
    through = load(convert(load(written.encode()), Format.TOSA).text.encode())
    assert "stablehlo.reduce_window" in written
    with np.load(FIXTURES / "digits_test.npz") as images:
        batches = images["image"][:64].reshape(8, 8, 1, 8, 8)
    for batch in batches:
        [expected], [found] = (run(made, {made.input_names[0]: batch}).values() for made in (direct, through))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", ["maximum", "minimum", "add"])
@pytest.mark.parametrize("sizes", [(), (1,), (3,), (2, 3), (1, 2, 3)], ids=str)
@pytest.mark.parametrize("to", [Format.TOSA, Format.ONNX])
def test_windows_of_one_element_keep_the_rank(kind: str, sizes: tuple[int, ...], to: Format) -> None:
    initial, summed = {"maximum": -128, "minimum": 127, "add": 7}[kind], SAME if kind == "add" else I8
    type_ = f"tensor<{''.join(f'{size}x' for size in sizes)}{I8}>"
    window = f"array<i64{':' if sizes else ''} {', '.join('1' for _ in sizes)}>"
    body = f"""{{
  ^body(%l: tensor<{summed}>, %r: tensor<{summed}>):
    %q = stablehlo.{kind} %l, %r : tensor<{summed}>
    stablehlo.return %q : tensor<{summed}>
  }}"""
    stages = [conversion("before", I8, SAME), body, conversion("after", SAME, I8)] if kind == "add" else [body]
    text = f"""
func.func @main(%x: {type_}) -> {type_} {{
  %i = "stablehlo.constant"() {{value = dense<{initial}> : tensor<i8>}} : () -> tensor<{I8}>
  %r = "stablehlo.reduce_window"(%x, %i) <{{window_dimensions = {window}}}> ({", ".join(stages)})
    : ({type_}, tensor<{I8}>) -> {type_}
  func.return %r : {type_}
}}"""
    x = np.arange(-5, np.prod(sizes, dtype=int) - 5).astype(np.int8).reshape(sizes)
    np.testing.assert_array_equal(computed(load(text.encode()), to, x, EngineName.REFERENCE), x, strict=True)
