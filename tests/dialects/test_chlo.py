"""The chlo dialect: its text as jaxlib reads it, and what its ops compute against jaxlib's own legalization."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert import ConversionError, Format, convert, load, run
from qconvert.dialects.chlo import CHLO
from qconvert.engines import stablehlo
from qconvert.engines.base import EngineName
from qconvert.frontends.mlir import load_text, sections
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.ir import module_text
from tests.support.commands import qconvert

Array = NDArray[Any]
TEXTS = sections((Path(__file__).parent / "chlo.mlir").read_text())
DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    0.5,
    -0.5,
    3.0,
    -3.0,
    25.0,
    -25.5,
    80.0,
    math.inf,
    -math.inf,
    math.nan,
    1e-30,
]


def function(op: str, types: list[str], result: str, suffix: str = "") -> str:
    arguments = ", ".join(f"%a{i}: {type}" for i, type in enumerate(types))
    names = ", ".join(f"%a{i}" for i in range(len(types)))
    signature = f"({', '.join(types)})" if "broadcast" in op else ", ".join(types)
    return (
        f"func.func @main({arguments}) -> {result} {{\n"
        f"  %0 = chlo.{op} {names}{suffix} : {signature} -> {result}\n  return %0 : {result}\n}}"
    )


def unary(op: str, element: str, count: int, result: str = "") -> str:
    return function(op, [f"tensor<{count}x{element}>"], f"tensor<{count}x{result or element}>")


def ours(text: str, *arrays: Array) -> Array:
    return run(load(text.encode()), {f"arg{i}": array for i, array in enumerate(arrays)})["result0"]


def theirs(text: str, *arrays: Array) -> Array:
    return stablehlo.run_samples(text, [arrays])[0][0]


@pytest.mark.parametrize("text", TEXTS, ids=["functions", "broadcasts", "groups"])
def test_reads_what_it_prints(text: str) -> None:
    printed = module_text(load_text(text, "chlo.mlir"))
    assert module_text(parse_module(printed)) == printed


def test_every_op_is_in_the_texts() -> None:
    used = {type(op) for text in TEXTS for op in parse_module(text).walk()}
    assert {op.name for op in set(CHLO.operations) - used} == set()


@pytest.mark.stablehlo
@pytest.mark.parametrize("text", TEXTS, ids=["functions", "broadcasts", "groups"])
def test_jaxlib_prints_the_same_module(text: str) -> None:
    printed = module_text(parse_module(text), locations=False)
    assert module_text(parse_module(stablehlo.verify(printed)), locations=False) == printed


DOMAINS: dict[str, tuple[float, float]] = {
    "acos": (-1, 1),
    "acosh": (1, 1e5),
    "asin": (-1, 1),
    "asinh": (-1e5, 1e5),
    "atan": (-50, 50),
    "atanh": (-1, 1),
    "bessel_i1e": (-60, 60),
    "cosh": (-88, 88),
    "digamma": (-9, 70),
    "erf": (-5, 5),
    "erf_inv": (-1, 1),
    "erfc": (-5, 9),
    "lgamma": (-9, 70),
    "sinh": (-88, 88),
    "square": (-9, 9),
    "tan": (-1.5, 1.5),
}
"""Intervals of arguments; jaxlib's own results overflow or lose digits outside some of them."""


def arguments(op: str, dtype: Any) -> Array:
    """Numbers all over an interval, and numbers of all sizes in it; the same for each test."""
    low, high = DOMAINS[op]
    rng = np.random.default_rng(11)
    spread = rng.uniform(low, high, 400)
    small = rng.uniform(-1, 1, 400) * 10.0 ** rng.uniform(-6, 0, 400)
    limit = float(ml_dtypes.finfo(dtype).max)
    found = np.concatenate([spread, small]).clip(-limit, limit).astype(dtype)
    wide = found.astype(np.float64)
    return found[(wide >= low) & (wide <= high)]


REFERENCES: dict[str, tuple[Callable[[float], float], float]] = {
    "acos": (math.acos, 4.0),
    "acosh": (math.acosh, 2.0),
    "asin": (math.asin, 4.0),
    "asinh": (math.asinh, 2.25),
    "atan": (math.atan, 3.0),
    "atanh": (math.atanh, 2.0),
    "cosh": (math.cosh, 4.5),
    "erf": (math.erf, 2.0),
    "erfc": (math.erfc, 6.0),
    "sinh": (math.sinh, 4.5),
    "tan": (math.tan, 2.0),
}
"""The C library's functions, and the largest errors in float32 in units of the last place, over 144,000 arguments each.

They hold for numpy's functions of AVX-512, too: its ``arctan2`` is up to 3.3 units off, elsewhere 1.5.
"""


@pytest.mark.parametrize("op", REFERENCES)
def test_float32_is_within_units_of_the_last_place(op: str) -> None:
    reference, largest = REFERENCES[op]
    x = arguments(op, np.float32)
    with np.errstate(all="ignore"):
        expected = np.array([math.inf if abs(v) == 1 and op == "atanh" else reference(v) for v in x.tolist()])
    found = ours(unary(op, "f32", len(x)), x).astype(np.float64)
    finite = np.isfinite(expected)
    unit = np.spacing(np.abs(expected).astype(np.float32)).astype(np.float64)
    assert np.isfinite(found[finite]).all()
    assert (np.abs(found - expected)[finite] / unit[finite]).max() <= largest


def test_log_gamma_is_that_of_the_c_library() -> None:
    x = arguments("lgamma", np.float64)
    x = x[(x > 0) | (x != np.floor(x))]
    expected = np.array([math.lgamma(v) for v in x.tolist()])
    np.testing.assert_allclose(ours(unary("lgamma", "f64", len(x)), x), expected, rtol=3e-14, atol=3e-14)


@pytest.mark.slow
def test_the_inverse_of_the_error_function_inverts() -> None:
    x = arguments("erf_inv", np.float64)
    found = ours(unary("erf_inv", "f64", len(x)), x)
    np.testing.assert_allclose([math.erf(v) for v in found.tolist()], x, rtol=1e-15)


CLOSE = {"f32": (3e-5, 4e-5), "f64": (3e-14, 1e-13), "f16": (2e-3, 1e-7), "bf16": (8e-3, 1e-30)}
"""Relative and absolute differences from jaxlib, whose own error is the larger one; one unit for narrow types."""


@pytest.mark.stablehlo
@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("op", DOMAINS)
@pytest.mark.row("D22")
def test_functions_are_those_of_jaxlib(op: str, element: str) -> None:
    x = arguments(op, DTYPES[element])
    text, (relative, absolute) = unary(op, element, len(x)), CLOSE[element]
    found, expected = (result.astype(np.float64) for result in (ours(text, x), theirs(text, x)))
    assert (np.isfinite(found) == np.isfinite(expected)).all()
    np.testing.assert_allclose(found, expected, rtol=relative, atol=absolute)


@pytest.mark.stablehlo
@pytest.mark.parametrize("op", DOMAINS)
def test_special_values_are_those_of_jaxlib(op: str) -> None:
    x = np.array(SPECIAL, np.float32)
    text = unary(op, "f32", len(x))
    np.testing.assert_allclose(ours(text, x), theirs(text, x), rtol=3e-5, atol=4e-5)


PAIRS = {
    "zeta": [(s, q) for s in (0.5, 1.0, 1.5, 2.0, 3.0, 7.5, 30.0) for q in (-2.0, -1.5, 0.0, 0.25, 1.0, 7.0, 300.0)],
    "polygamma": [(n, x) for n in (-1.0, 0.0, 0.5, 1.0, 2.0, 5.0) for x in (0.25, 1.0, 2.5, 40.0)],
}


@pytest.mark.stablehlo
@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("op", PAIRS)
def test_functions_of_two_numbers(op: str, element: str) -> None:
    lhs, rhs = (np.array(side, DTYPES[element]) for side in zip(*PAIRS[op], strict=True))
    text = function(op, [f"tensor<{len(lhs)}x{element}>"] * 2, f"tensor<{len(lhs)}x{element}>")
    relative = 3e-5 if element == "f32" else 1e-12
    np.testing.assert_allclose(ours(text, lhs, rhs), theirs(text, lhs, rhs), rtol=relative)


@pytest.mark.parametrize("element", ["f32", "f64", "f16"])
def test_neighbours(element: str) -> None:
    dtype = DTYPES[element]
    values = np.array([0.0, -0.0, 1.0, -1.0, 0.1, -7.0, np.finfo(dtype).max, math.inf, -math.inf, math.nan], dtype)
    x, y = (grid.ravel() for grid in np.meshgrid(values, values))
    text = function("next_after", [f"tensor<{len(x)}x{element}>"] * 2, f"tensor<{len(x)}x{element}>")
    with np.errstate(all="ignore"):
        expected = np.nextafter(x, y)
    np.testing.assert_array_equal(ours(text, x, y), expected)


def test_a_quantized_value_has_no_neighbour() -> None:
    kind = "tensor<2x!quant.uniform<i8:f32, 0.5:3>>"
    with pytest.raises(ConversionError, match="the neighbour of a float is needed"):
        convert(load(function("next_after", [kind, kind], kind).encode()), Format.STABLEHLO)


def test_infinities() -> None:
    x = np.array(SPECIAL, np.float32)
    for op, expected in (("is_inf", np.isinf(x)), ("is_pos_inf", x == np.inf), ("is_neg_inf", x == -np.inf)):
        np.testing.assert_array_equal(ours(unary(op, "f32", len(x), "i1"), x), expected)


BROADCASTS: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "atan2": np.arctan2,
    "divide": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "multiply": np.multiply,
    "next_after": np.nextafter,
    "subtract": np.subtract,
}
SHAPES = [((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((), (2, 3)), ((4, 1, 3), (2, 1)), ((2, 3), (2, 3))]


def tensor(sizes: tuple[int, ...], element: str = "f32") -> str:
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{element}>"


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("op", BROADCASTS)
def test_broadcasts_as_numpy(
    op: str, shapes: tuple[tuple[int, ...], tuple[int, ...]], random: np.random.Generator
) -> None:
    lhs, rhs = (random.uniform(1, 2, sizes).astype(np.float32) for sizes in shapes)
    expected = BROADCASTS[op](lhs, rhs)
    text = function(f"broadcast_{op}", [tensor(sizes) for sizes in shapes], tensor(expected.shape))
    np.testing.assert_allclose(ours(text, lhs, rhs), expected, rtol=1e-6)


def test_broadcast_dimensions(random: np.random.Generator) -> None:
    x, y = random.uniform(1, 2, (2, 3)).astype(np.float32), random.uniform(1, 2, 2).astype(np.float32)
    dimensions = " {broadcast_dimensions = array<i64: 0>}"
    text = function("broadcast_add", ["tensor<2x3xf32>", "tensor<2xf32>"], "tensor<2x3xf32>", dimensions)
    np.testing.assert_array_equal(ours(text, x, y), x + y[:, None])


def test_comparison_and_selection(random: np.random.Generator) -> None:
    x, y = random.standard_normal((2, 3)).astype(np.float32), random.standard_normal(3).astype(np.float32)
    direction = " {comparison_direction = #chlo<comparison_direction LT>}"
    text = function("broadcast_compare", ["tensor<2x3xf32>", "tensor<3xf32>"], "tensor<2x3xi1>", direction)
    np.testing.assert_array_equal(ours(text, x, y), x < y)
    types = ["tensor<3xi1>", "tensor<2x3xf32>", "tensor<f32>"]
    text = function("broadcast_select", types, "tensor<2x3xf32>")
    found = ours(text, y > 0, x, np.float32(7))
    np.testing.assert_array_equal(found, np.where(y > 0, x, np.float32(7)))


@pytest.mark.stablehlo
@pytest.mark.parametrize("element", ["f32", "i32", "ui8", "f16"])
def test_the_largest_elements(element: str, random: np.random.Generator) -> None:
    dtype = {**DTYPES, "i32": np.int32, "ui8": np.uint8}[element]
    x = random.integers(0, 4, (3, 9)).astype(dtype)
    if element.startswith("f"):
        x[0, 2:5], x[2, :3] = (0.0, -0.0, math.inf), -math.inf
    type, kept, places = tensor((3, 9), element), tensor((3, 4), element), tensor((3, 4), "i32")
    text = (
        f"func.func @main(%a: {type}) -> ({kept}, {places}) {{\n"
        f"  %0, %1 = chlo.top_k(%a, k = 4) : {type} -> ({kept}, {places})\n  return %0, %1 : {kept}, {places}\n}}"
    )
    found = list(run(load(text.encode()), {"arg0": x}).values())
    for value, expected in zip(found, stablehlo.run_samples(text, [[x]])[0], strict=True):
        np.testing.assert_array_equal(value, expected)
    if element.startswith("f"):  # TOTALORDER puts NaN first; jaxlib writes it, but its interpreter compares without
        x[1, 3] = math.nan
        assert np.isnan(run(load(text.encode()), {"arg0": x})["result0"]).nonzero()[1].tolist() == [0]


def test_constants() -> None:
    text = """func.func @main(%a: tensor<2x3xi8>) -> (tensor<2x3xf32>, tensor<2xi32>) {
  %0 = "chlo.constant_like"(%a) <{value = 0.5 : f32}> : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %1 = chlo.constant dense<[1, 2]> : tensor<2xi32>
  return %0, %1 : tensor<2x3xf32>, tensor<2xi32>
}"""
    found = run(load(text.encode()), {"arg0": np.zeros((2, 3), np.int8)})
    np.testing.assert_array_equal(found["result0"], np.full((2, 3), 0.5, np.float32))
    np.testing.assert_array_equal(found["result1"], [1, 2])


def test_open_sizes_follow(random: np.random.Generator) -> None:
    text = function("broadcast_add", ["tensor<?x3xf32>", "tensor<3xf32>"], "tensor<?x3xf32>")
    model = load(text.encode(), dims={"arg0.0": 4})
    x, y = random.standard_normal((4, 3)).astype(np.float32), random.standard_normal(3).astype(np.float32)
    np.testing.assert_array_equal(run(model, {"arg0": x, "arg1": y})["result0"], x + y)


def test_the_error_function_stays_one_op() -> None:
    model = load(unary("erf", "f32", 4).encode())
    assert "tosa.erf" in convert(model, Format.TOSA).text
    content = convert(model, Format.ONNX).content
    assert content is not None
    assert b"Erf" in content


@pytest.mark.tosa
@pytest.mark.parametrize("op", sorted(DOMAINS.keys() - {"acos", "asin", "atan"}))
def test_tosa_computes_the_functions(op: str) -> None:
    x = np.array([0.25, -0.5, 0.75, 0.0] if op != "acosh" else [1.25, 2.0, 7.0, 1.0], np.float32)
    x = np.abs(x) + np.float32(0.1) if op in ("lgamma", "digamma") else x
    model = load(unary(op, "f32", 4).encode())
    found = run(model, {"arg0": x}, engine=EngineName.TOSA)["result0"]
    np.testing.assert_allclose(found, run(model, {"arg0": x})["result0"], rtol=2e-5, atol=3e-6)


@pytest.mark.row("D22")
def test_the_pass_alone(tmp_path: Path) -> None:
    (tmp_path / "m.mlir").write_text(unary("sinh", "f32", 4))
    done = qconvert("opt", tmp_path / "m.mlir", "-p", "chlo-legalize-to-stablehlo")
    assert "chlo." not in done.stdout
    assert "stablehlo.exponential_minus_one" in done.stdout


REFUSED = {
    "ragged": (TEXTS[2], r"chlo\.ragged_dot: the rows of a ragged matrix product depend on data"),
    "complex": (unary("sinh", "complex<f32>", 2), r"chlo\.sinh: the function of complex numbers is not written"),
    "shapes": (
        function("broadcast_add", ["tensor<2xf32>", "tensor<3xf32>"], "tensor<3xf32>"),
        r"shapes \(2,\), \(3,\) cannot be broadcast",
    ),
    "dimensions": (
        function(
            "broadcast_add",
            ["tensor<2x3xf32>", "tensor<2xf32>"],
            "tensor<2x3xf32>",
            " {broadcast_dimensions = array<i64: 0, 1>}",
        ),
        r"broadcast_dimensions \[0, 1\] for operands \(2, 3\) and \(2,\)",
    ),
    "too many": (
        """func.func @main(%a: tensor<2xf32>) {
  %0, %1 = chlo.top_k(%a, k = 3) : tensor<2xf32> -> (tensor<3xf32>, tensor<3xi32>)
  return
}""",
        r"the 3 largest elements along the last dimension of \(2,\)",
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        convert(load(text.encode()))
