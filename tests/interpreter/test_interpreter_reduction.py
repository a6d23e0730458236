"""Reductions: one-op bodies, conversions around 32-bit sums, and general bodies over several operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from onnx import helper
from xdsl.dialects.builtin import BFloat16Type, Float16Type, TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue

from qconvert.dialects.stablehlo import (
    AddOp,
    AndOp,
    BitcastConvertOp,
    CompareOp,
    ComparisonDirection,
    ConstantOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    OrOp,
    ReduceOp,
    ReturnOp,
    SelectOp,
    SubtractOp,
    UniformQuantizeOp,
    XorOp,
    binary_body,
    conversion,
)
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import f32, i1, i8, i32, i64
from qconvert.support.errors import ConversionError

Array = npt.NDArray[Any]
Values = Callable[..., Sequence[SSAValue]]
Run = Callable[..., Any]

I8, I32 = Storage.full(8, signed=True), Storage.full(32, signed=True)
Q8 = UniformQuantizedType.per_tensor(I8, 0.5, 3)
Q32 = UniformQuantizedType.per_tensor(I32, 0.5)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def region(build: Callable[..., Any], *elements: Attribute) -> Region:
    """A region whose ops ``build`` makes from its arguments; the last tuple of values is returned."""
    block = Block(arg_types=[TensorType(element, ()) for element in elements])
    ops, results = build(*block.args)
    block.add_ops([*ops, ReturnOp(*results)])
    return Region(block)


@pytest.mark.parametrize(
    ("kind", "function", "element", "initial"),
    [
        (AddOp, np.add, i32, 5),
        (MaximumOp, np.maximum, i32, -99),
        (MinimumOp, np.minimum, i32, 99),
        (MultiplyOp, np.multiply, i64, 2),
        (AndOp, np.bitwise_and, i32, -1),
        (OrOp, np.bitwise_or, i32, 0),
        (XorOp, np.bitwise_xor, i32, 9),
        (AndOp, np.logical_and, i1, True),
        (OrOp, np.logical_or, i1, False),
        (MaximumOp, np.maximum, f32, -np.inf),
        (AddOp, np.add, f32, 1.5),
    ],
)
@pytest.mark.parametrize("dimensions", [(), (1,), (2, 0), (0, 1, 2)])
def test_one_op_bodies_are_numpys_reductions(
    values: Values,
    run: Run,
    rng: np.random.Generator,
    kind: Any,
    function: Any,
    element: Attribute,
    initial: Any,
    dimensions: tuple[int, ...],
) -> None:
    types = {i32: np.int32, i64: np.int64, i1: np.bool_, f32: np.float32}
    x = rng.integers(-9, 9, (3, 4, 5)).astype(types[element])
    op = ReduceOp(*values((element, x.shape), (element, ())), dimensions, [binary_body(kind, element)])
    expected = function.reduce(x, axis=dimensions, initial=types[element](initial), dtype=types[element])
    np.testing.assert_array_equal(run(op, x, types[element](initial)), expected)


def test_integer_sums_wrap_as_their_type_does(values: Values, run: Run) -> None:
    x = np.full((1, 4), 100, np.int8)
    op = ReduceOp(*values((i8, x.shape), (i8, ())), [1], [binary_body(AddOp, i8)])
    assert run(op, x, np.int8(0)) == np.int64(400).astype(np.int8)


@pytest.mark.parametrize("element", [Float16Type(), BFloat16Type()])
def test_narrow_floats_are_summed_in_float32(values: Values, run: Run, element: Attribute) -> None:
    import ml_dtypes

    dtype = np.float16 if isinstance(element, Float16Type) else ml_dtypes.bfloat16
    x = np.ones((4096, 2), dtype)
    op = ReduceOp(*values((element, x.shape), (element, ())), [0], [binary_body(AddOp, element)])
    np.testing.assert_array_equal(run(op, x, np.zeros((), dtype)).astype(np.float32), [4096, 4096])


@pytest.mark.parametrize("kind", [AddOp, SubtractOp])
def test_a_reduction_over_nothing_is_the_initial_value(values: Values, run: Run, kind: Any) -> None:
    x = np.zeros((2, 0), np.float32)
    op = ReduceOp(*values((f32, x.shape), (f32, ())), [1], [binary_body(kind, f32)])
    np.testing.assert_array_equal(run(op, x, np.float32(3)), [3, 3])


def test_float_sums_are_near_onnxruntimes(values: Values, run: Run, ort: Run, rng: np.random.Generator) -> None:
    x = rng.standard_normal((8, 300, 11), np.float32)
    op = ReduceOp(*values((f32, x.shape), (f32, ())), [1], [binary_body(AddOp, f32)])
    node = helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)
    np.testing.assert_allclose(run(op, x, np.float32(0)), ort(node, x, np.array([1])), rtol=1e-5, atol=1e-4)


# Conversions


def mean_parts(count: int, result: Attribute) -> list[Region]:
    """Widen to a 32-bit sum, read it at a scale N times smaller, round once."""
    mean = UniformQuantizedType.per_tensor(I32, 0.5 / count)

    def last(value: SSAValue) -> Any:
        read = BitcastConvertOp(value, mean)
        return [read, UniformQuantizeOp(read.result, result)]

    widen = conversion(Q8, lambda value: [UniformQuantizeOp(value, Q32)])
    return [widen, binary_body(AddOp, Q32), conversion(Q32, last)]


def test_a_mean_sums_in_32_bits_and_rounds_once(values: Values, run: Run, rng: np.random.Generator) -> None:
    x = rng.integers(-128, 128, (4, 3, 7, 9)).astype(np.int8)
    result = UniformQuantizedType.per_tensor(I8, 0.05, -10)
    op = ReduceOp(*values((Q8, x.shape), (Q8, ())), [2, 3], mean_parts(63, result))
    real = (x.astype(np.int64) - 3).sum((2, 3)) * 0.5 / 63
    np.testing.assert_array_equal(run(op, x, np.int8(3)), np.clip(np.rint(real / 0.05 - 10), -128, 127))


def test_a_body_in_a_wider_type_promotes_its_operands(values: Values, run: Run) -> None:
    x = np.full((1, 300), 127, np.int8)
    op = ReduceOp(*values((Q8, x.shape), (Q8, ())), [1], [binary_body(AddOp, Q32)])
    assert run(op, x, np.int8(3)) == 300 * 124


def test_a_32_bit_sum_that_overflows_is_refused(values: Values, run: Run) -> None:
    x = np.full((3,), 2**30, np.int32)
    op = ReduceOp(*values((Q32, x.shape), (Q32, ())), [0], [binary_body(AddOp, Q32)])
    with pytest.raises(ConversionError, match=f"the accumulator reaches {3 * 2**30}, outside its 32 bits"):
        run(op, x, np.int32(0))


def test_a_32_bit_sum_inside_a_longer_body_is_refused_too(values: Values, run: Run) -> None:
    def build(total: SSAValue, value: SSAValue) -> Any:
        added = AddOp(total, value)
        same = MaximumOp(added.result, added.result)
        return [added, same], (same.result,)

    op = ReduceOp(*values((Q32, (2,)), (Q32, ())), [0], [region(build, Q32, Q32)])
    np.testing.assert_array_equal(run(op, np.array([2**30, -5], np.int32), np.int32(0)), 2**30 - 5)
    with pytest.raises(ConversionError, match=f"the accumulator reaches {2**31}, outside its 32 bits"):
        run(op, np.full((2,), 2**30, np.int32), np.int32(0))


def test_quantized_extremes_compare_storage(values: Values, run: Run, rng: np.random.Generator) -> None:
    x = rng.integers(-128, 128, (5, 6)).astype(np.int8)
    op = ReduceOp(*values((Q8, x.shape), (Q8, ())), [0], [binary_body(MaximumOp, Q8)])
    np.testing.assert_array_equal(run(op, x, np.int8(-128)), x.max(0))


def test_a_narrow_quantized_sum_saturates_at_each_step(values: Values, run: Run) -> None:
    x = np.array([[103, 103, 3], [5, 3, -7]], np.int8)
    op = ReduceOp(*values((Q8, x.shape), (Q8, ())), [1], [binary_body(AddOp, Q8)])
    np.testing.assert_array_equal(run(op, x, np.int8(3)), [127, -5])


# General bodies


def argmax_body() -> Region:
    """Keeps the larger value and its index; of equal values the first."""

    def build(best: SSAValue, best_at: SSAValue, value: SSAValue, at: SSAValue) -> Any:
        larger = CompareOp(best, value, ComparisonDirection.GE)
        kept = SelectOp(larger.result, best, value)
        kept_at = SelectOp(larger.result, best_at, at)
        return [larger, kept, kept_at], (kept.result, kept_at.result)

    return region(build, f32, i32, f32, i32)


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1000])
def test_arg_max_is_onnxruntimes(values: Values, run_all: Run, ort: Run, rng: np.random.Generator, size: int) -> None:
    x = rng.integers(0, 50, (3, size, 4)).astype(np.float32)
    at = np.broadcast_to(np.arange(size, dtype=np.int32).reshape(-1, 1), x.shape)
    inputs = values((f32, x.shape), (i32, x.shape), (f32, ()), (i32, ()))
    op = ReduceOp.create(
        operands=inputs,
        properties=ReduceOp(inputs[0], inputs[2], [1], [binary_body(AddOp, f32)]).properties,
        result_types=[TensorType(f32, (3, 4)), TensorType(i32, (3, 4))],
        regions=[argmax_body()],
    )
    largest, index = run_all(op, x, at, np.float32(-np.inf), np.int32(-1))
    np.testing.assert_array_equal(largest, x.max(1))
    node = helper.make_node("ArgMax", ["x"], ["y"], axis=1, keepdims=0)
    np.testing.assert_array_equal(index, ort(node, x))


def test_constants_of_a_body_apply_to_every_element(values: Values, run: Run) -> None:
    def build(total: SSAValue, value: SSAValue) -> Any:
        limit = ConstantOp.of(np.array(10, np.int32), i32)
        added = AddOp(total, value)
        capped = MinimumOp(added.result, limit.output)
        return [limit, added, capped], (capped.result,)

    x = np.array([[1, 2, 3], [5, 5, 5]], np.int32)
    op = ReduceOp(*values((i32, x.shape), (i32, ())), [1], [region(build, i32, i32)])
    np.testing.assert_array_equal(run(op, x, np.int32(0)), [6, 10])


def test_a_body_that_ignores_its_arguments_fills_the_result(values: Values, run: Run) -> None:
    def build(total: SSAValue, value: SSAValue) -> Any:
        constant = ConstantOp.of(np.array(4, np.int32), i32)
        return [constant], (constant.output,)

    op = ReduceOp(*values((i32, (2, 3)), (i32, ())), [1], [region(build, i32, i32)])
    np.testing.assert_array_equal(run(op, np.zeros((2, 3), np.int32), np.int32(0)), [4, 4])
