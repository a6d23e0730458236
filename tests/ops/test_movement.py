"""Movement operators against onnxruntime: on floats, on plain integers, and quantized tensors that stay quantized."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper, load_from_string, numpy_helper
from xdsl.dialects.func import FuncOp

from qconvert.dialects import stablehlo
from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import (
    Case,
    Known,
    Quantization,
    Quantized,
    assert_equal,
    imported,
    one_op,
    ours,
    random,
)

UINT8 = Quantization(0.05, 131, np.uint8)
INT8 = Quantization(0.1, -7, np.int8)
LAST = np.iinfo(np.int64).max


def ints(*values: int) -> Known:
    return Known(np.asarray(values, np.int64))


def quantized_then(op_type: str, *more: Any, shape: tuple[int, ...], opset: int = 21, **attributes: Any) -> Case:
    """QuantizeLinear, the operator directly on its integers, DequantizeLinear."""
    case = one_op(op_type, [random(*shape, dtype=np.uint8), *more], opset=opset, **attributes)
    model = load_from_string(case.model)
    for name, array in (("s", np.float32(0.05)), ("z", np.uint8(131))):
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
    model.graph.node[0].input[0] = "q"
    model.graph.node.insert(0, helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]))
    model.graph.node.append(helper.make_node("DequantizeLinear", ["y0", "s", "z"], ["y"]))
    model.graph.input[0].CopyFrom(helper.make_tensor_value_info("x", 1, shape))
    model.graph.output[0].CopyFrom(helper.make_empty_tensor_value_info("y"))
    feeds = {"x": random(*shape), **{k: v for k, v in case.feeds.items() if k != "x0"}}
    return Case(model.SerializeToString(), feeds)


def ops_of(case: Case) -> list[str]:
    (function,) = (op for op in imported(case).ops if isinstance(op, FuncOp))
    return [op.name.removeprefix("stablehlo.") for op in function.body.block.ops if op.name != "stablehlo.constant"]


DTYPES = (np.float32, np.uint8, np.int8, np.int32, np.int64, np.bool_)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("perm", [(0, 2, 1), (2, 0, 1), None])
@pytest.mark.parametrize("opset", [7, 13, 21, 25])
def test_transpose(dtype: Any, perm: tuple[int, ...] | None, opset: int) -> None:
    attributes = {} if perm is None else {"perm": perm}
    assert_equal(one_op("Transpose", [random(2, 3, 4, dtype=dtype)], opset=opset, **attributes))


def test_a_wrong_permutation_is_refused() -> None:
    with pytest.raises(ConversionError, match="not a permutation of the 2 dimensions"):
        imported(one_op("Transpose", [random(2, 3)], perm=[0, 0]))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concat(axis: int) -> None:
    parts = [random(2, 3, 4, seed=i, dtype=np.int8) for i in range(3)]
    assert_equal(one_op("Concat", parts, axis=axis))


def test_concat_of_uneven_parts_and_a_constant() -> None:
    assert_equal(one_op("Concat", [random(2, 3), Known(random(2, 1, seed=1)), random(2, 5, seed=2)], axis=1, opset=7))


def test_concat_of_quantized_tensors_with_other_parameters_joins_their_integers() -> None:
    quantized = [Quantized(random(2, 3, dtype=np.uint8), UINT8), Quantized(random(2, 3, dtype=np.uint8), UINT8)]
    assert_equal(one_op("Concat", quantized, axis=0, result=Quantization(0.02, 3, np.uint8)))


@pytest.mark.parametrize(
    ("opset", "inputs", "outputs", "attributes"),
    [
        (7, [], 3, {"axis": 1}),
        (7, [], 2, {"axis": 1, "split": [2, 4]}),
        (11, [], 2, {"axis": -1, "split": [1, 3]}),
        (13, [ints(1, 2, 3)], 3, {"axis": 1}),
        (13, [], 2, {}),
        (18, [], 4, {"axis": 1, "num_outputs": 4}),
        (18, [], 3, {"axis": 1, "num_outputs": 3}),
        (25, [ints(4, 2)], 2, {"axis": 1}),
    ],
)
def test_split(opset: int, inputs: list[Any], outputs: int, attributes: dict[str, Any]) -> None:
    data = random(2, 6, 4, dtype=np.int8 if opset >= 13 else np.float32)
    if "num_outputs" in attributes:
        data = random(2, 7, 4)
    assert_equal(one_op("Split", [data, *inputs], outputs=outputs, opset=opset, **attributes))


def test_split_sizes_must_fit() -> None:
    with pytest.raises(ConversionError, match=r"parts of \[1, 2\] for 2 outputs and a dimension of 4"):
        imported(one_op("Split", [random(4), ints(1, 2)], outputs=2))
    with pytest.raises(ConversionError, match="5 elements do not split into 2 equal parts"):
        imported(one_op("Split", [random(5)], outputs=2, opset=13))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("starts", "ends", "axes", "steps"),
    [
        ([1], [3], [0], [1]),
        ([0, 1], [LAST, -1], [0, 2], [1, 2]),
        ([-1, 10], [-LAST, -10], [1, 0], [-1, -2]),
        ([-3], [LAST], [-1], [2]),
        ([4], [1], [2], [-2]),
        ([-1], [0], [2], [-(2**63)]),
        ([3], [3], [0], [1]),
        ([LAST], [-LAST], [2], [-3]),
        ([1, 0, 2], [3, 9, 5], None, None),
    ],
)
def test_slice(dtype: Any, starts: list[int], ends: list[int], axes: Any, steps: Any) -> None:
    more = [ints(*values) if values else None for values in (axes, steps)]
    assert_equal(one_op("Slice", [random(4, 3, 6, dtype=dtype), ints(*starts), ints(*ends), *more], opset=13))


@pytest.mark.parametrize("axes", [None, [0, 2]])
def test_slice_by_attributes(axes: list[int] | None) -> None:
    named = {} if axes is None else {"axes": axes}
    assert_equal(one_op("Slice", [random(4, 3, 6)], opset=9, starts=[1, -5], ends=[LAST, 3], **named))


def test_a_step_of_zero_is_refused() -> None:
    with pytest.raises(ConversionError, match="a step is 0"):
        imported(one_op("Slice", [random(4), ints(0), ints(1), ints(0), ints(0)]))


def test_bounds_known_at_run_time_only_are_refused() -> None:
    starts = np.zeros(1, np.int64)
    with pytest.raises(ConversionError, match=r"starts \(input 1, 'x1'\) is computed at run time"):
        imported(one_op("Slice", [random(4), starts, ints(2)]))


@pytest.mark.parametrize("times", [(1, 1, 1), (2, 1, 3), (1, 4, 1)])
def test_tile(times: tuple[int, ...]) -> None:
    assert_equal(one_op("Tile", [random(2, 3, 4, dtype=np.int8), ints(*times)], opset=13))


@pytest.mark.parametrize("opset", [7, 11, 13])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("indices", [0, -1, [0, 2, 1], [[1, -2], [0, -3]], [2, 1, 0], [0, 2], [0, 0, 0]])
def test_gather(opset: int, axis: int, known: bool, indices: Any) -> None:
    array = np.asarray(indices, np.int64)
    array = array % 3 if opset == 7 else array  # Negative indices came with opset 11.
    data = random(4, 3, 5, dtype=np.uint8)
    assert_equal(one_op("Gather", [data, Known(array) if known else array], opset=opset, axis=axis))


def test_gather_of_many_known_indices_is_one_gather() -> None:
    indices = np.random.default_rng(0).permutation(20)
    case = one_op("Gather", [random(20, 2), Known(indices)])
    assert_equal(case)
    assert ops_of(case) == ["gather", "func.return"]


def test_gather_with_int32_indices() -> None:
    assert_equal(one_op("Gather", [random(5, 2), np.asarray([-5, 4, 0], np.int32)]))


@pytest.mark.parametrize("op_type", ["Concat", "Split", "Gather", "GatherElements", "ArgMax"])
def test_scalars_have_no_axes(op_type: str) -> None:
    indices = [ints(0)] if op_type.startswith("Gather") else []
    with pytest.raises(ConversionError, match="axis 0 of a scalar"):
        imported(one_op(op_type, [np.float32(1), *indices], axis=0))


def test_scalars_are_not_sliced() -> None:
    with pytest.raises(ConversionError, match=r"axes \[0\] of a scalar"):
        imported(one_op("Slice", [np.float32(1), ints(0), ints(1)]))


def test_indices_are_integers() -> None:
    with pytest.raises(ConversionError, match="indices of type f32"):
        imported(one_op("Gather", [random(3), random(2)]))


def test_gather_outside_is_refused() -> None:
    with pytest.raises(ConversionError, match="index 4 is outside a dimension of size 4"):
        imported(one_op("Gather", [random(4), ints(4)]))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_elements(axis: int) -> None:
    indices = np.random.default_rng(1).integers(-3, 3, (3, 3, 3))
    assert_equal(one_op("GatherElements", [random(3, 4, 5) if axis == 0 else random(4, 3, 3), indices], axis=axis))


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
@pytest.mark.parametrize("opset", [11, 13])
def test_depth_to_space(mode: str, opset: int) -> None:
    assert_equal(one_op("DepthToSpace", [random(2, 12, 2, 3)], opset=opset, blocksize=2, mode=mode))


def test_depth_to_space_of_old_opsets() -> None:
    assert_equal(one_op("DepthToSpace", [random(2, 18, 2, 3)], opset=7, blocksize=3))


@pytest.mark.parametrize("opset", [7, 13])
def test_space_to_depth(opset: int) -> None:
    assert_equal(one_op("SpaceToDepth", [random(2, 3, 4, 6)], opset=opset, blocksize=2))


@pytest.mark.parametrize(
    ("op_type", "more", "attributes"),
    [
        ("Transpose", [], {"perm": [0, 2, 3, 1]}),
        ("Slice", [ints(1, -1), ints(4, -9), ints(1, 3), ints(2, -1)], {}),
        ("Gather", [ints(1, 3, 0)], {"axis": 1}),
        ("Gather", [ints(2, 3, 1, 0, 3, 3, 1)], {"axis": 1}),
        ("Tile", [ints(1, 2, 1, 1)], {}),
        ("Expand", [ints(3, 4, 4, 4)], {}),
        ("Reshape", [ints(0, -1)], {}),
        ("Flatten", [], {"axis": 2}),
        ("DepthToSpace", [], {"blocksize": 2, "mode": "CRD"}),
        ("SpaceToDepth", [], {"blocksize": 2}),
        ("Pad", [ints(0, 0, 1, 1, 0, 0, -1, 2), Known(np.uint8(131))], {}),
        ("Pad", [ints(0, 0, 1, 2, 0, 0, 3, 2)], {"mode": "reflect"}),
        ("Identity", [], {}),
    ],
)
def test_quantized_tensors_stay_quantized(op_type: str, more: list[Any], attributes: dict[str, Any]) -> None:
    case = quantized_then(op_type, *more, shape=(1, 4, 4, 4), **attributes)
    assert_equal(case)
    assert stablehlo.BitcastConvertOp.name.removeprefix("stablehlo.") not in ops_of(case)


def test_weights_with_a_scale_for_each_row_move_with_their_axis() -> None:
    rows = Quantization([0.1, 0.2, 0.4], [0, 0, 0], np.int8, axis=0)
    assert_equal(one_op("Transpose", [Quantized(random(3, 4, dtype=np.int8), rows, known=True)], result=INT8))


def test_constants_move_during_conversion() -> None:
    case = one_op("Transpose", [Known(random(2, 3))])
    assert ours(case)[0].shape == (3, 2)
    assert ops_of(case) == ["func.return"]
