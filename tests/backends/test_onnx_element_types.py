"""Integers that ONNX's operators or onnxruntime's kernels lack are computed in wider ones, or refused by node.

Source: onnx.defs; onnxruntime's CPU kernels take fewer types than the schemas.
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from qconvert import Format, convert, load
from qconvert.api import Model
from tests.support.onnx_cases import Case, imported, one_op, theirs

NARROW = {"i8": np.int8, "ui8": np.uint8, "i16": np.int16, "ui16": np.uint16}
WIDE = {"i32": np.int32, "ui32": np.uint32, "i64": np.int64, "ui64": np.uint64}
ALL = {**NARROW, **WIDE}
FUNCTION = """func.func @main(%a: tensor<2x6xTYPE>, %b: tensor<2x6xTYPE>) -> tensor<RESULT> {
  BODY
  return %r : tensor<RESULT>
}"""
REDUCE = """%i = stablehlo.constant dense<INITIAL> : tensor<TYPE>
  %r = stablehlo.reduce(%a init: %i) applies stablehlo.OP across dimensions = [1]
    : (tensor<2x6xTYPE>, tensor<TYPE>) -> tensor<2xTYPE>"""
SELECT = """%p = stablehlo.compare LT, %a, %b : (tensor<2x6xTYPE>, tensor<2x6xTYPE>) -> tensor<2x6xi1>
  %r = stablehlo.select %p, %a, %b : tensor<2x6xi1>, tensor<2x6xTYPE>"""
PAD = """%i = stablehlo.constant dense<3> : tensor<TYPE>
  %r = stablehlo.pad %a, %i, low = [0, 1], high = [0, 1], interior = [0, 0]
    : (tensor<2x6xTYPE>, tensor<TYPE>) -> tensor<2x8xTYPE>"""
DOT = """func.func @main(%a: tensor<2x96xTYPE>, %b: tensor<96x4xTYPE>) -> tensor<2x4xSUM> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<2x96xTYPE>, tensor<96x4xTYPE>) -> tensor<2x4xSUM>
  return %0 : tensor<2x4xSUM>
}"""


def run(text: str, *arrays: NDArray[np.generic]) -> NDArray[np.generic]:
    content = convert(load(text.encode()), Format.ONNX).content
    assert content is not None
    names = [each.name for each in onnx.load_from_string(content).graph.input]
    (output,) = theirs(Case(content, dict(zip(names, arrays, strict=True))))
    return np.asarray(output)


def numbers(dtype: type[np.integer], shape: tuple[int, ...]) -> NDArray[np.integer]:
    """Return random numbers of the whole range, with both ends."""
    ends = np.iinfo(dtype)
    values = np.random.default_rng(7).integers(ends.min, ends.max, shape, dtype, endpoint=True)
    values.flat[:2] = ends.min, ends.max
    return values


@pytest.mark.parametrize("type", ALL)
@pytest.mark.parametrize("op", ["maximum", "minimum", "select", "pad", "remainder"])
def test_elementwise(op: str, type: str) -> None:
    if op in ("maximum", "minimum", "remainder"):
        body = f"%r = stablehlo.{op} %a, %b : tensor<2x6xTYPE>"
    else:
        body = SELECT if op == "select" else PAD
    text = FUNCTION.replace("BODY", body).replace("RESULT", "2x8xTYPE" if op == "pad" else "2x6xTYPE")
    a = numbers(ALL[type], (2, 6))
    b = np.maximum(a[:, ::-1], 5)
    wanted = {
        "maximum": lambda: np.maximum(a, b),
        "minimum": lambda: np.minimum(a, b),
        "select": lambda: np.where(a < b, a, b),
        "pad": lambda: np.pad(a, ((0, 0), (1, 1)), constant_values=3),
        "remainder": lambda: np.fmod(a, b),
    }[op]()
    np.testing.assert_array_equal(run(text.replace("TYPE", type), a, b), wanted)


@pytest.mark.parametrize("type", ALL)
@pytest.mark.parametrize("op", ["add", "maximum", "minimum"])
def test_reductions(op: str, type: str) -> None:
    ends = np.iinfo(ALL[type])
    initial = {"add": 0, "maximum": ends.min, "minimum": ends.max}[op]
    text = FUNCTION.replace("BODY", REDUCE).replace("RESULT", "2xTYPE").replace("OP", op)
    text, a = text.replace("INITIAL", str(initial)).replace("TYPE", type), numbers(ALL[type], (2, 6))
    function = {"add": np.add, "maximum": np.maximum, "minimum": np.minimum}[op]
    np.testing.assert_array_equal(run(text, a, a), function.reduce(a, axis=1, dtype=a.dtype))


@pytest.mark.parametrize(
    ("type", "sums"),
    [("i8", "i32"), ("ui8", "i32"), ("i8", "i8"), ("i8", "i16"), ("i16", "i32"), ("i16", "i64"), ("i32", "i32")],
)
def test_products(type: str, sums: str) -> None:
    a, b = numbers(ALL[type], (2, 96)), numbers(ALL[type], (96, 4))
    a[0], b[:, 0] = np.iinfo(ALL[type]).min, np.iinfo(ALL[type]).min
    output = run(DOT.replace("TYPE", type).replace("SUM", sums), a, b)
    np.testing.assert_array_equal(output, np.matmul(a.astype(ALL[sums]), b.astype(ALL[sums])))


def test_signed_bytes_are_multiplied_as_bytes() -> None:
    content = convert(load(DOT.replace("TYPE", "i8").replace("SUM", "i32").encode()), Format.ONNX).content
    assert content is not None
    assert [node.op_type for node in onnx.load_from_string(content).graph.node] == ["MatMulInteger"]


@pytest.mark.parametrize("type", [np.int16, np.uint16, np.uint32])
@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
def test_the_place_of_an_extreme(op: str, type: type[np.integer]) -> None:
    case = one_op(op, [numbers(type, (3, 7))], axis=1, keepdims=0)
    content = convert(Model(imported(case), Format.ONNX, op), Format.ONNX).content
    assert content is not None
    np.testing.assert_array_equal(
        theirs(Case(content, case.feeds))[0], getattr(np, op.lower())(*case.feeds.values(), 1)
    )
