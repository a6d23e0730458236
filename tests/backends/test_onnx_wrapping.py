"""Operations on integers of every width, written as ONNX: onnxruntime returns what jaxlib does, overflow included."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from qconvert import Format, convert, load
from qconvert.interpreter import evaluate
from tests.support.onnx_cases import Case, theirs

TYPES: dict[str, type[np.integer[Any]]] = {
    f"{'u' * unsigned}i{bits}": np.dtype(f"{'u' * unsigned}int{bits}").type
    for bits in (8, 16, 32, 64)
    for unsigned in (False, True)
}
BINARY = ("add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or", "xor")
SHIFTS = ("shift_left", "shift_right_logical", "shift_right_arithmetic")
SIGNED = ("abs", "negate", "sign")
REDUCED = {"add": "0", "multiply": "1", "maximum": "LOW", "minimum": "HIGH"}
SHAPE = (6, 11)
WHOLE = "x".join(map(str, SHAPE))


def program(name: str) -> str:
    """Return a function whose results are all operations of a type."""
    ends = np.iinfo(TYPES[name])
    full = f"tensor<{WHOLE}x{name}>"
    lines, results = [], []

    def result(text: str, type_: str) -> None:
        lines.append(f"%r{len(results)} = {text}")
        results.append(type_)

    for kind in (*BINARY, *SHIFTS):
        result(f"stablehlo.{kind} %a, %b : {full}", full)
    for kind in ("not", *(SIGNED if ends.min else ())):
        result(f"stablehlo.{kind} %a : {full}", full)
    for direction in ("EQ", "NE", "LT", "LE", "GT", "GE"):
        made = f"tensor<{WHOLE}xi1>"
        result(f"stablehlo.compare {direction}, %a, %b : ({full}, {full}) -> {made}", made)
    less = len(results) - 4
    result(f"stablehlo.select %r{less}, %a, %b : tensor<{WHOLE}xi1>, {full}", full)
    for number, value in enumerate((ends.min // 3, ends.max - 1, 5)):
        lines.append(f"%c{number} = stablehlo.constant dense<{value}> : {full}")
    result(f"stablehlo.clamp %c0, %a, %c1 : {full}", full)
    result(f"stablehlo.clamp %b, %a, %c1 : {full}", full)
    result(f"stablehlo.power %a, %c2 : {full}", full)
    result(f"stablehlo.divide %a, %c2 : {full}", full)
    lines.append(f"%low = stablehlo.constant dense<7> : {full}")
    lines.append(f"%small = stablehlo.remainder %b, %low : {full}")
    result(f"stablehlo.power %a, %small : {full}", full)
    for kind, start in REDUCED.items():
        value = start.replace("LOW", str(ends.min)).replace("HIGH", str(ends.max))
        lines.append(f"%{kind} = stablehlo.constant dense<{value}> : tensor<{name}>")
        for axes, left in (([0], f"{SHAPE[1]}x"), ([1], f"{SHAPE[0]}x"), ([0, 1], "")):
            made = f"tensor<{left}{name}>"
            reduction = f"stablehlo.reduce(%a init: %{kind}) applies stablehlo.{kind} across dimensions = {axes}"
            result(f"{reduction} : ({full}, tensor<{name}>) -> {made}", made)
    made = f"tensor<{SHAPE[1]}x{name}>"
    total = "stablehlo.reduce(%a init: %add) applies stablehlo.add across dimensions = [0]"
    lines.append(f"%total = {total} : ({full}, tensor<{name}>) -> {made}")
    lines.append(f"%count = stablehlo.constant dense<4> : {made}")
    result(f"stablehlo.divide %total, %count : {made}", made)
    made = f"tensor<{SHAPE[0]}x{SHAPE[0]}x{name}>"
    if ends.bits < 32:  # the interpreter refuses sums that may leave 64 bits
        result(f"stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : ({full}, {full}) -> {made}", made)
    for other in TYPES:
        made = f"tensor<{WHOLE}x{other}>"
        result(f"stablehlo.convert %a : ({full}) -> {made}", made)
    names, types = ", ".join(f"%r{i}" for i in range(len(results))), ", ".join(results)
    body = "\n  ".join([*lines, f"return {names} : {types}"])
    return f"func.func @main(%a: {full}, %b: {full}) -> ({types}) {{\n  {body}\n}}"


def numbers(name: str, seed: int) -> NDArray[Any]:
    """Return numbers of the whole range, its ends, numbers with one high half, and small ones."""
    dtype, chosen = TYPES[name], np.random.default_rng(seed)
    ends = np.iinfo(dtype)
    special = [ends.min, ends.min + 1, ends.max, ends.max - 1, 0, 1, 2, 5]
    special += [-1, -2] if ends.min else [3, 4]
    near = [1 << 31, (1 << 31) - 1, (1 << 32) - 5, 1 << 32, (1 << 53) + 1] if ends.bits == 64 else []
    values = chosen.integers(ends.min, ends.max, SHAPE, dtype, endpoint=True)
    half = chosen.integers(0, min(1 << 33, int(ends.max)), SHAPE, dtype)
    values = np.where(chosen.random(SHAPE) < 0.5, values, half).astype(dtype)
    values[0, 0], values[:, 1] = ends.min, chosen.choice(np.array([*special, *near], dtype), SHAPE[0])
    values[2:4] = chosen.choice(np.array([*special, *near], dtype), (2, SHAPE[1]))
    return values


def operands(name: str) -> list[NDArray[Any]]:
    first, second = numbers(name, 1), numbers(name, 2)
    second[0, :2] = (-1 if np.iinfo(TYPES[name]).min else 1), 0
    return [first, second]


@lru_cache
def written(name: str) -> bytes:
    content = convert(load(program(name).encode()), Format.ONNX).content
    assert content is not None
    return content


def of_onnxruntime(name: str, given: list[NDArray[Any]]) -> list[NDArray[Any]]:
    inputs = [each.name for each in onnx.load_from_string(written(name)).graph.input]
    return list(theirs(Case(written(name), dict(zip(inputs, given, strict=True)))))


def differing(name: str, ours: list[NDArray[Any]], others: list[NDArray[Any]]) -> list[str]:
    lines = [line.strip() for line in program(name).splitlines() if line.strip().startswith("%r")]
    rows = zip(lines, ours, others, strict=True)
    return [line for line, one, other in rows if not np.array_equal(one, np.reshape(other, np.shape(one)))]


@pytest.mark.parametrize("name", TYPES)
def test_onnxruntime_wraps_around(name: str) -> None:
    expected = [np.asarray(each) for each in evaluate(load(program(name).encode()).module, operands(name))]
    assert differing(name, of_onnxruntime(name, operands(name)), expected) == []


@pytest.mark.stablehlo
@pytest.mark.parametrize("name", TYPES)
def test_as_jaxlib_does(name: str) -> None:
    """Divisors are not 0 or -1, by which StableHLO's interpreter ends the process."""
    from qconvert.engines import stablehlo

    first, second = operands(name)
    given = [first, np.where((second == 0) | (second + 1 == 0), 3, second).astype(second.dtype)]
    (expected,) = stablehlo.run_samples(program(name), [given])
    assert differing(name, of_onnxruntime(name, given), list(expected)) == []
