"""Plain integers of 8 and 16 bits in TOSA, which computes in 32 bits and knows no unsigned integers."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.backends.tosa import TosaOptions
from qconvert.backends.tosa.emit import emit
from qconvert.engines import tosa
from qconvert.engines.modules import Program
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.ir import module_text
from qconvert.support.errors import ConversionError, EngineError

ELEMENTS = {"i8": np.int8, "ui8": np.uint8, "i16": np.int16, "ui16": np.uint16}
ARITHMETIC = ("add", "subtract", "multiply", "maximum", "minimum")


def function(element: str, body: str, result: str, operands: str) -> str:
    arguments = ", ".join(f"%{name}: tensor<4x16x{element}>" for name in operands)
    return f"func.func @main({arguments}) -> {result} {{\n{body}  return %r : {result}\n}}"


def arithmetic(element: str, op: str) -> str:
    full = f"tensor<4x16x{element}>"
    return function(element, f"  %r = stablehlo.{op} %a, %b : {full}\n", full, "ab")


def comparison(element: str, direction: str) -> str:
    full, kind = f"tensor<4x16x{element}>", "UNSIGNED" if element.startswith("u") else "SIGNED"
    body = f"  %r = stablehlo.compare {direction}, %a, %b, {kind} : ({full}, {full}) -> tensor<4x16xi1>\n"
    return function(element, body, "tensor<4x16xi1>", "ab")


def clamp(element: str) -> str:
    full, scalar = f"tensor<4x16x{element}>", f"tensor<{element}>"
    body = (
        f"  %low = stablehlo.constant dense<3> : {scalar}\n  %high = stablehlo.constant dense<100> : {scalar}\n"
        f"  %r = stablehlo.clamp %low, %a, %high : ({scalar}, {full}, {scalar}) -> {full}\n"
    )
    return function(element, body, full, "a")


def reduction(element: str, op: str, initial: int) -> str:
    body = (
        f"  %c = stablehlo.constant dense<{initial}> : tensor<{element}>\n"
        f"  %r = stablehlo.reduce(%a init: %c) applies stablehlo.{op} across dimensions = [1] : "
        f"(tensor<4x16x{element}>, tensor<{element}>) -> tensor<4x{element}>\n"
    )
    return function(element, body, f"tensor<4x{element}>", "a")


def texts(element: str) -> list[str]:
    return [
        *(arithmetic(element, op) for op in ARITHMETIC),
        *(comparison(element, direction) for direction in ("GT", "GE", "LT", "LE", "EQ", "NE")),
        clamp(element),
        *(reduction(element, op, initial) for op, initial in [("add", 0), ("add", 7), ("maximum", 5), ("minimum", 90)]),
    ]


@pytest.mark.tosa
@pytest.mark.parametrize("element", ELEMENTS)
def test_the_reference_model_computes_the_interpreters_integers(element: str) -> None:
    dtype = ELEMENTS[element]
    limits, random = np.iinfo(dtype), np.random.default_rng(0)
    inputs = [random.integers(limits.min, limits.max, (4, 16), dtype, endpoint=True) for _ in "ab"]
    modules = {text: parse_module(text) for text in texts(element)}
    given = {text: inputs[: text.count(": tensor<4x16", 0, text.index("->"))] for text in modules}
    programs = [
        Program(
            module_text(emit(module, TosaOptions()).module),
            [[array.view(f"i{array.itemsize}") for array in given[text]]],
        )
        for text, module in modules.items()
    ]
    for (text, module), found in zip(modules.items(), tosa.run_many(programs), strict=True):
        assert not isinstance(found, EngineError), str(found)
        [expected] = evaluate(module, given[text])
        np.testing.assert_array_equal(found[0][0].view(expected.dtype), expected, err_msg=text)


def test_an_index_of_the_largest_unsigned_integer_is_refused() -> None:
    text = """func.func @main(%a: tensor<8xui8>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<ui8>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %v, %r = stablehlo.reduce(%a init: %zero), (%i init: %first) across dimensions = [0] :
      (tensor<8xui8>, tensor<8xi32>, tensor<ui8>, tensor<i32>) -> (tensor<ui8>, tensor<i32>)
    reducer(%x: tensor<ui8>, %y: tensor<ui8>) (%j: tensor<i32>, %k: tensor<i32>) {
      %g = stablehlo.compare GE, %x, %y, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %w = stablehlo.select %g, %x, %y : tensor<i1>, tensor<ui8>
      %s = stablehlo.select %g, %j, %k : tensor<i1>, tensor<i32>
      stablehlo.return %w, %s : tensor<ui8>, tensor<i32>
    }
  return %r : tensor<i32>
}"""
    with pytest.raises(ConversionError, match=r"TOSA does not order ui8\. Convert it to i32 before"):
        emit(parse_module(text), TosaOptions())
