"""Plain integers as ONNX: ConvInteger of widened bytes, sums of them under a window, products in 32 bits."""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx
import pytest

from qconvert import Format, convert, load
from qconvert.interpreter import evaluate
from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Case, random, theirs
from tests.support.paths import FIXTURES

IMAGES = np.load(FIXTURES / "digits_test.npz")["image"]


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["digits_cnn_int8", "digits_cnn_pow2", "digits_cnn_uint8", "digits_mlp_int8"])
@pytest.mark.slow
def test_a_network_in_plain_integers(name: str) -> None:
    """Every element is the interpreter's: sums in integers are exact."""
    text = convert(load(FIXTURES / f"{name}.onnx"), Format.STABLEHLO_INT).text
    model = load(text.encode())
    content = convert(model, Format.ONNX).content
    assert content is not None
    graph = onnx.load_from_string(content).graph
    kinds = Counter(node.op_type for node in graph.node)
    assert not {"Conv", "QuantizeLinear", "DequantizeLinear"} & kinds.keys()
    assert ("ConvInteger" in kinds) == ("cnn" in name)
    for image in IMAGES[:8]:
        (found,) = theirs(Case(content, {graph.input[0].name: image[None]}))
        np.testing.assert_array_equal(found, evaluate(model.module, [image[None]])[0])


def convolution(lhs: str, rhs: str) -> bytes:
    """Of bytes ``%x`` and ``%w``: the lines that make ``%a`` and ``%b`` of them are given."""
    made = "tensor<1x6x5x3xi32>"
    return f"""func.func @main(%x: tensor<1x5x5x2xi8>, %w: tensor<2x2x2x3xui8>, %z: tensor<i8>) -> {made} {{
{lhs}
{rhs}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {{pad = [[1, 1], [1, 0]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
    : (tensor<1x5x5x2xi32>, tensor<2x2x2x3xi32>) -> {made}
  func.return %r : {made}
}}""".encode()


WIDE = "  %a = stablehlo.convert %x : (tensor<1x5x5x2xi8>) -> tensor<1x5x5x2xi32>"
LESS_NUMBER = """  %l = stablehlo.convert %x : (tensor<1x5x5x2xi8>) -> tensor<1x5x5x2xi32>
  %c = stablehlo.constant dense<-7> : tensor<1x5x5x2xi32>
  %a = stablehlo.subtract %l, %c : tensor<1x5x5x2xi32>"""
LESS_SCALAR = """  %l = stablehlo.convert %x : (tensor<1x5x5x2xi8>) -> tensor<1x5x5x2xi32>
  %s = stablehlo.convert %z : (tensor<i8>) -> tensor<i32>
  %c = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<i32>) -> tensor<1x5x5x2xi32>
  %a = stablehlo.subtract %l, %c : tensor<1x5x5x2xi32>"""
BEYOND = LESS_NUMBER.replace("-7", "-300")
WEIGHT = "  %b = stablehlo.convert %w : (tensor<2x2x2x3xui8>) -> tensor<2x2x2x3xi32>"
NEAR = random(2, 2, 2, 3, dtype=np.int8).astype(int) // 2
CONSTANT, FAR = (
    f"  %b = stablehlo.constant dense<{weights.tolist()}> : tensor<2x2x2x3xi32>" for weights in (NEAR, NEAR * 9)
)


@pytest.mark.parametrize("rhs", [WEIGHT, CONSTANT], ids=["computed", "constant"])
@pytest.mark.parametrize("lhs", [WIDE, LESS_NUMBER, LESS_SCALAR], ids=["widened", "number", "scalar"])
def test_a_convolution_of_bytes(lhs: str, rhs: str) -> None:
    model = load(convolution(lhs, rhs))
    content = convert(model, Format.ONNX).content
    assert content is not None
    graph = onnx.load_from_string(content).graph
    assert [node.op_type for node in graph.node if "Conv" in node.op_type] == ["ConvInteger"]
    changes = Counter(node.op_type for node in graph.node if node.op_type in ("Cast", "Sub"))
    assert changes == ({"Cast": 4, "Sub": 2} if rhs is WEIGHT else {})  # weights without a sign, and their zero point
    arrays = [random(1, 5, 5, 2, dtype=np.int8), random(2, 2, 2, 3, dtype=np.uint8), np.asarray(-3, np.int8)]
    feeds = dict(zip([port.name for port in graph.input], arrays, strict=True))
    np.testing.assert_array_equal(theirs(Case(content, feeds))[0], evaluate(model.module, arrays)[0])


@pytest.mark.parametrize(("lhs", "rhs"), [(BEYOND, WEIGHT), (WIDE, FAR)], ids=["zero point", "weights"])
def test_what_is_no_byte(lhs: str, rhs: str) -> None:
    with pytest.raises(ConversionError, match="ConvInteger supports only 8-bit operands and a 32-bit result"):
        convert(load(convolution(lhs, rhs)), Format.ONNX)


def test_a_pool_of_integers() -> None:
    text = b"""func.func @main(%0: tensor<1x4x4x1xi32>) -> tensor<1x2x2x1xi32> {
  %1 = stablehlo.constant dense<0> : tensor<i32>
  %2 = "stablehlo.reduce_window"(%0, %1)
    <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%3: tensor<i32>, %4: tensor<i32>):
    %5 = stablehlo.add %3, %4 : tensor<i32>
    stablehlo.return %5 : tensor<i32>
  }) : (tensor<1x4x4x1xi32>, tensor<i32>) -> tensor<1x2x2x1xi32>
  func.return %2 : tensor<1x2x2x1xi32>
}"""
    with pytest.raises(ConversionError, match="ONNX's pools do not support i32"):
        convert(load(text), Format.ONNX)


SHIFTS = ("shift_left", "shift_right_logical", "shift_right_arithmetic")


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint16, np.uint64], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("kind", SHIFTS)
def test_shifts_of_every_width(kind: str, dtype: type[np.integer]) -> None:
    """Integers at the ends of their types, by 0 to more places than they have."""
    limits = np.iinfo(dtype)
    element = f"{'u' if limits.min == 0 else ''}i{limits.bits}"
    values = np.array([limits.min, limits.min + 1, 0, 1, 5, limits.max - 1, limits.max], dtype)
    places = np.array([0, 1, limits.bits - 1, limits.bits, limits.bits + 3], dtype)
    given = [np.repeat(values, places.size), np.tile(places, values.size)]
    type_ = f"tensor<{given[0].size}x{element}>"
    text = f"""func.func @main(%x: {type_}, %n: {type_}) -> {type_} {{
  %0 = stablehlo.{kind} %x, %n : {type_}
  return %0 : {type_}
}}"""
    model = load(text.encode())
    content = convert(model, Format.ONNX).content
    assert content is not None
    (found,) = theirs(Case(content, dict(zip(("arg0", "arg1"), given, strict=True))))
    kept, exact = np.minimum(given[1].astype(object), limits.bits), given[0].astype(object)
    if kind == "shift_right_logical":
        exact = exact % (1 << limits.bits)
    if kind == "shift_right_arithmetic" and limits.min == 0:  # the highest bit is the sign
        exact = given[0].view(f"i{limits.bits // 8}").astype(object)
    shifted = exact << kept if kind == "shift_left" else exact >> kept
    bits = np.array([int(number) % (1 << limits.bits) for number in shifted], np.uint64)
    np.testing.assert_array_equal(found, bits.astype(f"u{limits.bits // 8}").view(dtype))
