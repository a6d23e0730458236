"""Quantized tensors that move and stay quantized, and refusals; the rest are rows of ``tests/cases/movement.py``."""

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
    assert_equal,
    imported,
    one_op,
    ours,
    random,
)


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


def test_a_wrong_permutation_is_refused() -> None:
    with pytest.raises(ConversionError, match="not a permutation of the 2 dimensions"):
        imported(one_op("Transpose", [random(2, 3)], perm=[0, 0]))


def test_split_sizes_must_fit() -> None:
    with pytest.raises(ConversionError, match=r"parts of \[1, 2\] for 2 outputs and a dimension of 4"):
        imported(one_op("Split", [random(4), ints(1, 2)], outputs=2))
    with pytest.raises(ConversionError, match="5 elements do not split into 2 equal parts"):
        imported(one_op("Split", [random(5)], outputs=2, opset=13))


def test_a_step_of_zero_is_refused() -> None:
    with pytest.raises(ConversionError, match="a step is 0"):
        imported(one_op("Slice", [random(4), ints(0), ints(1), ints(0), ints(0)]))


def test_bounds_known_at_run_time_only_are_refused() -> None:
    starts = np.zeros(1, np.int64)
    with pytest.raises(ConversionError, match=r"starts \(input 1, 'x1'\) is computed at run time"):
        imported(one_op("Slice", [random(4), starts, ints(2)]))


def test_gather_of_many_known_indices_is_one_gather() -> None:
    indices = np.random.default_rng(0).permutation(20)
    case = one_op("Gather", [random(20, 2), Known(indices)])
    assert_equal(case)
    assert ops_of(case) == ["gather", "func.return"]


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


def test_constants_move_during_conversion() -> None:
    case = one_op("Transpose", [Known(random(2, 3))])
    assert ours(case)[0].shape == (3, 2)
    assert ops_of(case) == ["func.return"]
