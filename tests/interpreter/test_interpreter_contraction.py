"""Convolutions and matrix products: integers exactly, floats near onnxruntime, quantized through the accumulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper
from xdsl.dialects.builtin import DenseArrayBase, Float16Type
from xdsl.ir import SSAValue

from qconvert.dialects.stablehlo import (
    ConvDimensionNumbers,
    ConvolutionOp,
    ConvolutionWindow,
    DotDimensionNumbers,
    DotGeneralOp,
)
from qconvert.ir.arithmetic import ARITHMETIC, ONNX_ARITHMETIC
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage, UniformParameters
from qconvert.ir.types import f32, i1, i8, i32, i64, integer_type
from qconvert.support.errors import ConversionError

Array = npt.NDArray[Any]
Values = Callable[..., Sequence[SSAValue]]
Run = Callable[..., Any]

I8, U8, I16, I32 = (
    Storage.full(width, signed=signed) for width, signed in ((8, True), (8, False), (16, True), (32, True))
)
MATMUL = DotDimensionNumbers(lhs_contracting_dimensions=(1,), rhs_contracting_dimensions=(0,))
ONNX_LAYOUT = {
    1: ConvDimensionNumbers.from_letters(["b", "f", "0"], ["o", "i", "0"], ["b", "f", "0"]),
    2: ConvDimensionNumbers.from_letters(["b", "f", "0", "1"], ["o", "i", "0", "1"], ["b", "f", "0", "1"]),
    3: ConvDimensionNumbers.from_letters(
        ["b", "f", "0", "1", "2"], ["o", "i", "0", "1", "2"], ["b", "f", "0", "1", "2"]
    ),
}
MIXED_LAYOUT = ConvDimensionNumbers.from_letters(["b", "f", "0", "1"], ["o", "0", "i", "1"], ["f", "1", "b", "0"])


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


def per_tensor(storage: Storage, scale: float, zero_point: int = 0) -> UniformQuantizedType:
    return UniformQuantizedType.per_tensor(storage, scale, zero_point)


def per_axis(storage: Storage, scales: Any, axis: int, zero_points: Any = None) -> UniformQuantizedType:
    zeros = np.zeros(len(scales), np.int64) if zero_points is None else zero_points
    return UniformQuantizedType.per_axis(storage, np.asarray(scales), zeros, axis)


# Reference: the sum of the definition, one output element at a time.


@dataclass(frozen=True)
class Case:
    image: tuple[int, ...]
    kernel: tuple[int, ...]
    window: ConvolutionWindow
    groups: int


def extents(dimensions: st.SearchStrategy[int]) -> st.SearchStrategy[tuple[Any, Any]]:
    return st.tuples(*[dimensions, dimensions])


@st.composite
def cases(draw: st.DrawFn) -> Case:
    small = st.integers(1, 3)
    groups, inputs, multiplier = draw(small), draw(small), draw(st.integers(1, 2))
    edge = st.tuples(st.integers(-1, 2), st.integers(-1, 2))
    window = ConvolutionWindow.of(
        2,
        strides=draw(extents(small)),
        padding=draw(extents(edge)),
        lhs_dilation=draw(extents(small)),
        rhs_dilation=draw(extents(small)),
    )
    image = (draw(st.integers(1, 2)), *draw(extents(st.integers(2, 6))), groups * inputs)
    return Case(image, (*draw(extents(small)), inputs, groups * multiplier), window, groups)


def reference(x: Array, w: Array, window: Any, groups: int) -> Array:
    """Reads every element where it would lie in the dilated, padded image; outside of it is 0."""
    sizes, inputs, outputs = w.shape[:-2], w.shape[-2], w.shape[-1]
    spatial = [window.output_size(i, x.shape[1 + i], size) for i, size in enumerate(sizes)]
    result = np.zeros((x.shape[0], *spatial, outputs), np.int64)
    for at in product(*map(range, spatial)):
        for tap in product(*map(range, sizes)):
            place = [
                divmod(a * s + t * d - low, step)
                for a, s, t, d, (low, _), step in zip(
                    at, window.strides, tap, window.rhs_dilation, window.padding, window.lhs_dilation, strict=True
                )
            ]
            if any(rest or not 0 <= i < size for (i, rest), size in zip(place, x.shape[1:-1], strict=True)):
                continue
            pixel = x[(slice(None), *(i for i, _ in place))].astype(np.int64)
            for o in range(outputs):
                first = o // (outputs // groups) * inputs
                result[(slice(None), *at, o)] += pixel[:, first : first + inputs] @ w[(*tap, slice(None), o)]
    return result


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(case=cases(), seed=st.integers(0, 2**16))
def test_convolution_is_the_sum_of_its_definition(values: Values, run: Run, case: Case, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(-128, 128, case.image).astype(np.int8)
    w = rng.integers(-128, 128, case.kernel).astype(np.int8)
    lhs, rhs = x.transpose(0, 3, 1, 2), w.transpose(3, 0, 2, 1)
    op = ConvolutionOp(
        *values((i8, lhs.shape), (i8, rhs.shape)),
        MIXED_LAYOUT,
        case.window,
        feature_group_count=case.groups,
        element=i32,
    )
    expected = reference(x, w, case.window, case.groups).transpose(3, 2, 0, 1)
    np.testing.assert_array_equal(run(op, lhs, rhs), expected)


@pytest.mark.parametrize(
    ("spatial", "kernel", "groups"),
    [((9,), (3,), 1), ((9, 8), (3, 2), 1), ((9, 8), (3, 3), 4), ((5, 6, 4), (2, 3, 1), 2)],
)
def test_float_convolution_is_onnxruntimes(
    values: Values, run: Run, ort: Run, rng: np.random.Generator, spatial: tuple[int, ...], kernel: Any, groups: int
) -> None:
    x = rng.standard_normal((2, 4, *spatial), np.float32)
    w = rng.standard_normal((8, 4 // groups, *kernel), np.float32)
    rank = len(spatial)
    window = ConvolutionWindow.of(rank, strides=[2] * rank, padding=[(1, 0)] * rank, rhs_dilation=[1] * rank)
    op = ConvolutionOp(*values((f32, x.shape), (f32, w.shape)), ONNX_LAYOUT[rank], window, feature_group_count=groups)
    node = helper.make_node("Conv", ["x", "w"], ["y"], strides=[2] * rank, pads=[1] * rank + [0] * rank, group=groups)
    np.testing.assert_allclose(run(op, x, w), ort(node, x, w), rtol=1e-5, atol=1e-5)


def test_convolution_without_spatial_dimensions_is_a_matrix_product(
    values: Values, run: Run, rng: np.random.Generator
) -> None:
    numbers = ConvDimensionNumbers.from_letters(["b", "f"], ["i", "o"], ["b", "f"])
    x, w = (rng.integers(-9, 9, shape).astype(np.int8) for shape in ((2, 3), (3, 4)))
    op = ConvolutionOp(*values((i8, x.shape), (i8, w.shape)), numbers, ConvolutionWindow.of(0), element=i32)
    np.testing.assert_array_equal(run(op, x, w), x.astype(int) @ w)


def test_convolution_larger_than_a_slab_is_onnxruntimes_conv_integer(
    values: Values, run: Run, ort: Run, rng: np.random.Generator
) -> None:
    x = rng.integers(0, 256, (2, 16, 120, 110)).astype(np.uint8)
    w = rng.integers(-128, 128, (8, 16, 3, 3)).astype(np.int8)
    window = ConvolutionWindow.of(2, padding=[(1, 1), (1, 1)])
    lhs, rhs = per_tensor(U8, 0.5, 131), per_tensor(I8, 0.25)
    op = ConvolutionOp(*values((lhs, x.shape), (rhs, w.shape)), ONNX_LAYOUT[2], window, element=per_tensor(I32, 0.125))
    node = helper.make_node("ConvInteger", ["x", "w", "zero"], ["y"], pads=[1, 1, 1, 1])
    np.testing.assert_array_equal(run(op, x, w), ort(node, x, w, np.uint8(131)))


@pytest.mark.slow
def test_depthwise_convolution_larger_than_a_slab_is_exact(values: Values, run: Run, rng: np.random.Generator) -> None:
    x = rng.integers(-128, 128, (3, 64, 60, 32)).astype(np.int8)
    w = rng.integers(-128, 128, (3, 3, 1, 32)).astype(np.int8)
    numbers = ConvDimensionNumbers.from_letters(["b", "0", "1", "f"], ["0", "1", "i", "o"], ["b", "0", "1", "f"])
    window = ConvolutionWindow.of(2, strides=(2, 1), padding=[(1, 1), (0, 2)])
    op = ConvolutionOp(*values((i8, x.shape), (i8, w.shape)), numbers, window, feature_group_count=32, element=i32)
    np.testing.assert_array_equal(run(op, x, w), reference(x, w, window, 32))


def test_a_reversed_window_flips_the_kernel(values: Values, run: Run, rng: np.random.Generator) -> None:
    x, w = rng.integers(-9, 9, (1, 1, 6)).astype(np.int8), rng.integers(-9, 9, (1, 1, 3)).astype(np.int8)
    op = ConvolutionOp(*values((i8, x.shape), (i8, w.shape)), ONNX_LAYOUT[1], ConvolutionWindow.of(1), element=i32)
    op.properties["window_reversal"] = DenseArrayBase.from_list(i1, [True])
    np.testing.assert_array_equal(run(op, x, w)[0, 0], np.convolve(x[0, 0], w[0, 0], "valid"))


def test_an_image_smaller_than_the_kernel_gives_an_empty_result(values: Values, run: Run) -> None:
    x, w = np.ones((1, 1, 2), np.float32), np.ones((1, 1, 3), np.float32)
    op = ConvolutionOp(*values((f32, x.shape), (f32, w.shape)), ONNX_LAYOUT[1], ConvolutionWindow.of(1))
    assert run(op, x, w).shape == (1, 1, 0)


def test_half_precision_accumulates_in_float32(values: Values, run: Run) -> None:
    x, w = np.ones((1, 4096), np.float16), np.ones((4096, 1), np.float16)
    op = DotGeneralOp(*values((Float16Type(), x.shape), (Float16Type(), w.shape)), MATMUL)
    assert run(op, x, w) == 4096  # in float16 the sum of ones stays at 2048


# Quantized


def test_the_accumulator_keeps_integers_with_zero_points_per_axis(
    values: Values, run: Run, rng: np.random.Generator
) -> None:
    x = rng.integers(-128, 128, (5, 7)).astype(np.int8)
    w = rng.integers(0, 256, (7, 3)).astype(np.uint8)
    zero_points = np.array([0, 128, 255])
    lhs, rhs = per_tensor(I8, 0.5, -3), per_axis(U8, [0.1, 0.2, 0.4], 1, zero_points)
    result = per_axis(I32, [0.05, 0.1, 0.2], 1)
    op = DotGeneralOp(*values((lhs, x.shape), (rhs, w.shape)), MATMUL, element=result)
    np.testing.assert_array_equal(run(op, x, w), (x.astype(int) + 3) @ (w.astype(int) - zero_points))


@pytest.mark.parametrize(("onnx", "expected"), [(True, 3), (False, 2)])
def test_a_tie_is_rounded_in_the_order_of_the_arithmetic(values: Values, run: Run, onnx: bool, expected: Any) -> None:
    # 3 * 1 * 0.5 = 1.5, zero point 1: ONNX rounds 1.5 to 2 and adds 1; StableHLO rounds 2.5 to 2.
    op = DotGeneralOp(
        *values((per_tensor(I8, 0.5), (1, 1)), (per_tensor(I8, 1.0), (1, 1))), MATMUL, element=per_tensor(I8, 1.0, 1)
    )
    if onnx:
        op.attributes[ARITHMETIC] = ONNX_ARITHMETIC
    assert run(op, np.array([[3]], np.int8), np.array([[1]], np.int8)) == expected


def test_a_narrow_result_is_requantized_in_float64(values: Values, run: Run, rng: np.random.Generator) -> None:
    x, w = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((40, 300), (300, 20)))
    scales = rng.uniform(0.001, 0.01, 20)
    lhs, rhs, result = per_tensor(I8, 0.02, 5), per_axis(I8, scales, 1), per_tensor(U8, 0.3, 100)
    op = DotGeneralOp(*values((lhs, x.shape), (rhs, w.shape)), MATMUL, element=result)
    real = ((x.astype(np.int64) - 5) @ w.astype(np.int64)) * (0.02 * scales) / 0.3
    np.testing.assert_array_equal(run(op, x, w), np.clip(np.rint(real + 100), 0, 255))


def test_an_accumulator_beyond_32_bits_is_refused(values: Values, run: Run) -> None:
    x, w = np.full((1, 4), 32767, np.int16), np.full((4, 1), 32767, np.int16)
    op = DotGeneralOp(
        *values((per_tensor(I16, 1.0), x.shape), (per_tensor(I16, 1.0), w.shape)), MATMUL, element=per_tensor(I32, 1.0)
    )
    with pytest.raises(ConversionError, match=r"the accumulator reaches 4294705156, outside its 32 bits\. Give the op"):
        run(op, x, w)


def test_wide_products_with_a_narrow_result_are_exact(values: Values, run: Run) -> None:
    x, w = np.full((1, 1024), 32767, np.int16), np.full((1024, 1), 32767, np.int16)
    result = per_tensor(I16, 2.0**26)
    op = DotGeneralOp(*values((per_tensor(I16, 1.0), x.shape), (per_tensor(I16, 1.0), w.shape)), MATMUL, element=result)
    assert run(op, x, w) == round(1024 * 32767**2 / 2**26)


def test_a_convolution_beyond_float64_is_exact(values: Values, run: Run) -> None:
    x, w = np.full((1, 1, 3), 2**31 - 1, np.int32), np.full((1, 1, 2), 2**31 - 1, np.int32)
    x[0, 0, 1] = 1
    op = ConvolutionOp(*values((i32, x.shape), (i32, w.shape)), ONNX_LAYOUT[1], ConvolutionWindow.of(1), element=i64)
    exact = (2**31 - 1) ** 2 + 2**31 - 1
    assert run(op, x, w).tolist() == [[[exact, exact]]]


def test_a_convolution_beyond_64_bits_is_refused(values: Values, run: Run) -> None:
    x, w = np.full((1, 1, 8), -(2**31), np.int32), np.full((1, 1, 8), -(2**31), np.int32)
    op = ConvolutionOp(*values((i32, x.shape), (i32, w.shape)), ONNX_LAYOUT[1], ConvolutionWindow.of(1), element=i64)
    with pytest.raises(ConversionError, match=f"an integer convolution may reach {2**65}, outside int64"):
        run(op, x, w)


def test_integer_matrix_products_wrap_as_their_type_does(values: Values, run: Run) -> None:
    x, w = np.full((1, 2), 127, np.int8), np.full((2, 1), 127, np.int8)
    op = DotGeneralOp(*values((i8, x.shape), (i8, w.shape)), MATMUL)
    assert run(op, x, w) == np.int64(2 * 127 * 127).astype(np.int8)


def test_unsigned_matrix_product_is_onnxruntimes_matmul_integer(
    values: Values, run: Run, ort: Run, rng: np.random.Generator
) -> None:
    x, w = rng.integers(0, 256, (4, 9)).astype(np.uint8), rng.integers(0, 256, (9, 5)).astype(np.uint8)
    u8 = integer_type(8, signed=False)
    op = DotGeneralOp(*values((u8, x.shape), (u8, w.shape)), MATMUL, element=i32)
    np.testing.assert_array_equal(run(op, x, w), ort(helper.make_node("MatMulInteger", ["x", "w"], ["y"]), x, w))


# Hybrid and what has no integer form


def test_a_hybrid_convolution_dequantizes_its_kernel(values: Values, run: Run, rng: np.random.Generator) -> None:
    x = rng.standard_normal((1, 2, 6, 6), np.float32)
    w = rng.integers(-128, 128, (4, 2, 3, 3)).astype(np.int8)
    scales = np.array([0.5, 0.25, 0.125, 1.0])
    op = ConvolutionOp(
        *values((f32, x.shape), (per_axis(I8, scales, 0), w.shape)),
        ONNX_LAYOUT[2],
        ConvolutionWindow.of(2),
        element=f32,
    )
    plain = ConvolutionOp(*values((f32, x.shape), (f32, w.shape)), ONNX_LAYOUT[2], ConvolutionWindow.of(2))
    real = (w * scales.reshape(-1, 1, 1, 1)).astype(np.float32)
    np.testing.assert_array_equal(run(op, x, w), run(plain, x, real))


def test_a_hybrid_product_with_a_quantized_result_rounds_once(values: Values, run: Run) -> None:
    x, w = np.array([[0.5, 1.5]], np.float32), np.array([[2], [3]], np.int8)
    op = DotGeneralOp(
        *values((f32, x.shape), (per_tensor(I8, 0.5, 1), w.shape)), MATMUL, element=per_tensor(I8, 0.25, -2)
    )
    assert run(op, x, w) == (0.5 * 0.5 + 1.5 * 1.0) / 0.25 - 2


def test_blocks_along_the_contraction_go_through_float(values: Values, run: Run, rng: np.random.Generator) -> None:
    x = rng.integers(-128, 128, (2, 4)).astype(np.int8)
    w = rng.integers(-8, 8, (4, 3)).astype(np.int8)
    scales = np.array([0.5, 0.25, 1.0, 2.0, 0.125, 4.0])
    blocks = UniformQuantizedType(
        UniformParameters(Storage.full(4, signed=True), f32, tuple(scales), (0,) * 6, None, ((0, 2), (1, 1)), (2, 3))
    )
    op = DotGeneralOp(*values((per_tensor(I8, 1.0), x.shape), (blocks, w.shape)), MATMUL, element=per_tensor(I8, 16.0))
    real = x @ (w * np.repeat(scales.reshape(2, 3), 2, axis=0))
    np.testing.assert_array_equal(run(op, x, w), np.clip(np.rint(real / 16), -128, 127))


def test_scales_along_the_contraction_go_through_float(values: Values, run: Run) -> None:
    x, w = np.array([[1, 2]], np.int8), np.array([[3], [4]], np.int8)
    op = DotGeneralOp(
        *values((per_tensor(I8, 1.0), x.shape), (per_axis(I8, [0.5, 2.0], 0), w.shape)),
        MATMUL,
        element=per_tensor(I8, 0.5),
    )
    assert run(op, x, w) == (1 * 1.5 + 2 * 8) / 0.5


# Any dimension numbers


def test_dot_general_over_scattered_dimensions_is_einsum(values: Values, run: Run, rng: np.random.Generator) -> None:
    x = rng.integers(-99, 99, (3, 2, 5, 4)).astype(np.int8)
    w = rng.integers(-99, 99, (4, 6, 3, 2)).astype(np.int8)
    numbers = DotDimensionNumbers((1,), (3,), (3, 0), (0, 2))
    op = DotGeneralOp(*values((i8, x.shape), (i8, w.shape)), numbers, element=i32)
    np.testing.assert_array_equal(run(op, x, w), np.einsum("abcd,deab->bce", x.astype(int), w.astype(int)))


def test_scales_follow_batch_dimensions(values: Values, run: Run, rng: np.random.Generator) -> None:
    x, w = (rng.integers(-99, 99, (2, 3, 3)).astype(np.int8) for _ in range(2))
    numbers = DotDimensionNumbers((0,), (0,), (2,), (1,))
    rhs, result = per_axis(I8, [0.5, 2.0], 0), per_axis(I32, [0.25, 1.0], 0)
    op = DotGeneralOp(*values((per_tensor(I8, 0.5), x.shape), (rhs, w.shape)), numbers, element=result)
    np.testing.assert_array_equal(run(op, x, w), x.astype(int) @ w.astype(int))


def test_a_product_without_contraction_is_an_outer_product(values: Values, run: Run) -> None:
    x, w = np.array([1, -2], np.float32), np.array([3, 4, 5], np.float32)
    op = DotGeneralOp(*values((f32, x.shape), (f32, w.shape)), DotDimensionNumbers())
    np.testing.assert_array_equal(run(op, x, w), np.outer(x, w))


def test_an_empty_contraction_is_zero(values: Values, run: Run) -> None:
    x, w = np.zeros((2, 0), np.int8), np.zeros((0, 3), np.int8)
    op = DotGeneralOp(*values((i8, x.shape), (i8, w.shape)), MATMUL, element=i32)
    np.testing.assert_array_equal(run(op, x, w), np.zeros((2, 3)))


@pytest.mark.stablehlo
def test_batch_groups_give_outputs_of_their_own() -> None:
    from qconvert.engines import stablehlo
    from qconvert.frontends.mlir.parsing import parse_module
    from qconvert.interpreter import evaluate

    text = """
func.func @main(%x: tensor<4x5x5x3xf32>, %w: tensor<2x2x3x6xf32>) -> tensor<2x4x4x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 2 : i64, feature_group_count = 1 : i64}
    : (tensor<4x5x5x3xf32>, tensor<2x2x3x6xf32>) -> tensor<2x4x4x6xf32>
  return %0 : tensor<2x4x4x6xf32>
}"""
    draw = np.random.default_rng(0)
    inputs = [draw.integers(-9, 9, shape).astype(np.float32) for shape in ((4, 5, 5, 3), (2, 2, 3, 6))]
    [ours], [theirs] = evaluate(parse_module(text), inputs), stablehlo.run_samples(text, [inputs])[0]
    np.testing.assert_array_equal(ours, theirs)
