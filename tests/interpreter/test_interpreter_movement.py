"""Ops that move elements, against the definitions in StableHLO's specification and onnxruntime's Gather family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects.stablehlo import (
    BroadcastInDimOp,
    ConcatenateOp,
    GatherDimensionNumbers,
    GatherOp,
    IotaOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    TransposeOp,
)
from qconvert.ir.arithmetic import ARITHMETIC, ONNX_ARITHMETIC
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import f32, i8, i32, i64

Array = npt.NDArray[Any]
Values = Callable[..., Sequence[SSAValue]]
Run = Callable[..., Any]

I8 = Storage.full(8, signed=True)
Q = UniformQuantizedType.per_tensor(I8, 0.5, 3)


@pytest.fixture
def x() -> Array:
    return np.arange(24, dtype=np.int8).reshape(2, 3, 4)


def test_reshape_transpose_reverse_and_slice_are_numpys(values: Values, run: Run, x: Array) -> None:
    (value,) = values((Q, x.shape))
    np.testing.assert_array_equal(run(ReshapeOp(value, (4, 6)), x), x.reshape(4, 6))
    np.testing.assert_array_equal(run(TransposeOp(value, (2, 0, 1)), x), x.transpose(2, 0, 1))
    np.testing.assert_array_equal(run(ReverseOp(value, (0, 2)), x), x[::-1, :, ::-1])
    np.testing.assert_array_equal(run(SliceOp(value, (0, 1, 0), (2, 3, 4), (1, 1, 3)), x), x[:, 1:3, ::3])


def test_broadcast_places_dimensions_in_any_order(values: Values, run: Run) -> None:
    x = np.arange(3, dtype=np.int8).reshape(1, 3)
    (value,) = values((Q, x.shape))
    expected = np.broadcast_to(x.T[:, np.newaxis, :], (3, 2, 4))
    np.testing.assert_array_equal(run(BroadcastInDimOp(value, (3, 2, 4), (2, 0)), x), expected)


def test_a_scalar_broadcasts(values: Values, run: Run) -> None:
    (value,) = values((f32, ()))
    np.testing.assert_array_equal(run(BroadcastInDimOp(value, (2, 2), ()), np.float32(7)), np.full((2, 2), 7))


def test_concatenate_keeps_the_integers_of_one_type(values: Values, run: Run, x: Array) -> None:
    op = ConcatenateOp(values((Q, x.shape), (Q, x.shape)), 1)
    np.testing.assert_array_equal(run(op, x, -x), np.concatenate([x, -x], 1))


@pytest.mark.parametrize(("onnx", "expected"), [(True, [9, 5, 5]), (False, [9, 4, 6])])
def test_concatenate_requantizes_other_parameters(values: Values, run: Run, onnx: bool, expected: Any) -> None:
    coarse = UniformQuantizedType.per_tensor(I8, 1.0, 3)
    op = ConcatenateOp(values((coarse, (1,)), (Q, (2,))), 0)
    if onnx:
        op.attributes[ARITHMETIC] = ONNX_ARITHMETIC
    # 1.5 and 2.5 are ties at zero point 3: rounded to even before or after it is added.
    np.testing.assert_array_equal(run(op, np.array([9], np.int8), np.array([6, 8], np.int8)), expected)


@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(
    size=st.integers(0, 5),
    low=st.integers(-4, 4),
    high=st.integers(-4, 4),
    gap=st.integers(0, 3),
)
def test_pad_puts_elements_where_the_specification_says(
    values: Values, run: Run, size: int, low: int, high: int, gap: int
) -> None:
    extent = size + max(0, size - 1) * gap + low + high
    if extent < 0:
        return
    x = np.arange(1, size + 1, dtype=np.int8)
    expected = np.full(extent, -7, np.int8)
    for i in range(size):
        at = low + i * (gap + 1)
        if 0 <= at < extent:
            expected[at] = x[i]
    op = PadOp(*values((i8, (size,)), (i8, ())), [low], [high], [gap])
    np.testing.assert_array_equal(run(op, x, np.int8(-7)), expected)


@pytest.mark.parametrize("element", [i32, i64, f32, UniformQuantizedType.per_tensor(I8, 0.5, -1)])
def test_iota_counts_real_values(run: Run, element: Attribute) -> None:
    steps = np.array([0, 1, 2]) if element in (i32, i64, f32) else np.array([-1, 1, 3])
    np.testing.assert_array_equal(run(IotaOp(TensorType(element, (2, 3)), 1)), np.broadcast_to(steps, (2, 3)))


# Gather


def reference_gather(operand: Any, indices: Any, n: GatherDimensionNumbers, sizes: Any) -> Array:
    """The specification's definition, one result element at a time."""
    batch_dims = [i for i in range(len(n.result_shape(indices.shape, sizes))) if i not in n.offset_dims]
    result = np.zeros(n.result_shape(indices.shape, sizes), operand.dtype)
    dropped = n.collapsed_slice_dims + n.operand_batching_dims
    for at in np.ndindex(*result.shape):
        batch = [at[i] for i in batch_dims]
        place = list(batch)
        place.insert(n.index_vector_dim, slice(None))
        vector = indices[tuple(place)] if n.index_vector_dim < indices.ndim else [indices[tuple(batch)]]
        source = [0] * operand.ndim
        for i, dimension in enumerate(n.start_index_map):
            source[dimension] = min(max(int(vector[i]), 0), operand.shape[dimension] - sizes[dimension])
        for dimension, axis in zip(n.operand_batching_dims, n.start_indices_batching_dims, strict=True):
            source[dimension] += batch[axis - (axis > n.index_vector_dim)]
        kept = [i for i in range(operand.ndim) if i not in dropped]
        for dimension, place_in_result in zip(kept, n.offset_dims, strict=True):
            source[dimension] += at[place_in_result]
        result[at] = operand[tuple(source)]
    return result


@pytest.mark.parametrize(
    ("operand", "indices", "numbers", "sizes"),
    [
        # An embedding: whole rows.
        ((9, 4), (2, 3), GatherDimensionNumbers((2,), (0,), (), (), (0,), 2), (1, 4)),
        # A window that has to be clamped, the index vector first, offsets before and after the batch.
        ((5, 6, 3), (2, 4), GatherDimensionNumbers((0, 2), (2,), (), (), (2, 0), 0), (2, 6, 1)),
        # Batching dimensions behind the index vector.
        ((3, 5, 4), (1, 2, 3), GatherDimensionNumbers((1,), (1,), (0,), (2,), (1,), 0), (1, 1, 4)),
        # Partial windows in two dimensions, offsets swapped around the batch.
        ((6, 7), (3, 2), GatherDimensionNumbers((0, 2), (), (), (), (1, 0), 1), (2, 3)),
        # Nothing is indexed: a broadcast.
        ((2, 3), (4, 0), GatherDimensionNumbers((0, 1), (), (), (), (), 1), (2, 3)),
        # A single element from a scalar index.
        ((5,), (), GatherDimensionNumbers((), (0,), (), (), (0,), 0), (1,)),
        # A partial window in a dimension without an index starts at 0.
        ((4, 5), (3, 1), GatherDimensionNumbers((1,), (0,), (), (), (0,), 1), (1, 2)),
    ],
)
def test_gather_is_the_specifications(
    values: Values, run: Run, operand: Any, indices: Any, numbers: Any, sizes: Any
) -> None:
    rng = np.random.default_rng(3)
    x, at = rng.integers(-99, 99, operand).astype(np.int8), rng.integers(-3, 9, indices)
    op = GatherOp(*values((Q, operand), (i64, indices)), numbers, sizes)
    np.testing.assert_array_equal(run(op, x, at), reference_gather(x, at, numbers, sizes))


def test_gather_along_an_axis_is_onnxruntimes(values: Values, run: Run, ort: Run, x: Array) -> None:
    at = np.array([[1, 0], [2, 1]])
    numbers = GatherDimensionNumbers((0, 3), (1,), (), (), (1,), 2)
    op = GatherOp(*values((i8, x.shape), (i64, at.shape)), numbers, (2, 1, 4))
    np.testing.assert_array_equal(run(op, x, at), ort(helper.make_node("Gather", ["x", "i"], ["y"], axis=1), x, at))


def test_gather_with_batching_is_onnxruntimes_gather_nd(values: Values, run: Run, ort: Run, x: Array) -> None:
    at = np.array([[[2, 0], [1, 3]], [[0, 1], [2, 2]]])
    numbers = GatherDimensionNumbers((), (1, 2), (0,), (0,), (1, 2), 2)
    op = GatherOp(*values((i8, x.shape), (i64, at.shape)), numbers, (1, 1, 1))
    expected = ort(helper.make_node("GatherND", ["x", "i"], ["y"], batch_dims=1), x, at)
    np.testing.assert_array_equal(run(op, x, at), expected)
