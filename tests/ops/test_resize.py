"""Resize and Upsample against onnxruntime: nearest as movement, linear as a composite and its decomposition."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from qconvert.interpreter import evaluate
from qconvert.passes.composites.decompose_composites import DecomposeComposites
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
    theirs,
)

COORDINATES = [
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_half_pixel_for_nn",
]
SCALES = [(1, 1, 2, 2), (1, 1, 2.3, 0.7), (1, 1, 0.5, 3), (1, 1, 0.33, 0.2), (1, 1, 1.1, 1.05)]
UINT8 = Quantization(0.05, 131, np.uint8)
ops = functools.partial(one_op, "Resize")


def by_scales(data: Any, scales: Any, *, opset: int = 19, **attributes: Any) -> Case:
    given = Known(np.asarray(scales, np.float32))
    inputs = [data, given] if opset == 10 else [data, None if opset >= 13 else Known(np.zeros(0, np.float32)), given]
    return ops(inputs, opset=opset, **attributes)


def by_sizes(data: Any, sizes: Any, **attributes: Any) -> Case:
    return ops([data, None, None, Known(np.asarray(sizes, np.int64))], opset=19, **attributes)


def refused(match: str, case: Case) -> None:
    with pytest.raises(ConversionError, match=match):
        imported(case)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("nearest", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
@pytest.mark.parametrize("scales", SCALES)
def test_nearest_by_scales(coordinates: str, nearest: str, scales: Any) -> None:
    attributes = {"coordinate_transformation_mode": coordinates, "nearest_mode": nearest}
    assert_equal(by_scales(random(1, 2, 5, 7), scales, **attributes))


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("sizes", [(1, 2, 10, 14), (1, 2, 3, 15), (1, 2, 1, 1), (2, 3, 5, 9), (1, 2, 5, 7)])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_by_sizes(coordinates: str, sizes: Any, mode: str) -> None:
    if mode == "linear":
        sizes = (1, 2, *sizes[2:])
    assert_equal(by_sizes(random(1, 2, 5, 7), sizes, mode=mode, coordinate_transformation_mode=coordinates))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32])
def test_nearest_of_integers(dtype: Any) -> None:
    assert_equal(by_scales(random(1, 2, 5, 7, dtype=dtype), (1, 1, 2, 1.7)))


@pytest.mark.parametrize("rank", [1, 2, 3, 5])
def test_nearest_in_other_ranks(rank: int) -> None:
    assert_equal(by_scales(random(*range(2, 2 + rank)), [1.5] * rank))


@pytest.mark.parametrize("scales", [(1, 1, 2, 2), (1, 1, 1.5, 0.6)])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_older_forms(scales: Any, mode: str) -> None:
    data, given = random(1, 2, 5, 7), Known(np.asarray(scales, np.float32))
    assert_equal(by_scales(data, scales, opset=10, mode=mode))
    assert_equal(by_scales(data, scales, opset=11, mode=mode))
    if min(scales) >= 1:
        assert_equal(one_op("Upsample", [data], opset=7, mode=mode, scales=[float(scale) for scale in scales]))
        assert_equal(one_op("Upsample", [data, given], opset=9, mode=mode))


@pytest.mark.parametrize("policy", ["stretch", "not_larger", "not_smaller"])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_sizes_of_some_axes_by_policy(policy: str, mode: str) -> None:
    assert_equal(by_sizes(random(1, 2, 5, 7), [8, 9], axes=[2, 3], keep_aspect_ratio_policy=policy, mode=mode))


def test_scales_of_some_axes() -> None:
    assert_equal(by_scales(random(1, 2, 5, 7), [1.5, 0.5], axes=[3, 2]))


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("scales", SCALES)
def test_linear_by_scales(coordinates: str, scales: Any) -> None:
    case = by_scales(random(2, 3, 6, 9), scales, mode="linear", coordinate_transformation_mode=coordinates)
    assert_equal(case)
    module = imported(case)
    DecomposeComposites().apply(module)
    module.verify()
    np.testing.assert_array_equal(evaluate(module, list(case.feeds.values()))[0], theirs(case)[0])


@pytest.mark.parametrize(
    ("shape", "scales"),
    [
        ((5, 7), (1.7, 2)),
        ((4, 5, 7), (2, 1.7, 0.6)),
        ((2, 4, 7), (1, 1, 2)),
        ((1, 2, 4, 5, 6), (1, 1, 1.5, 2, 0.7)),
        ((1, 5, 7, 3), (1, 2, 1.5, 1)),
    ],
)
def test_linear_in_other_ranks(shape: Any, scales: Any) -> None:
    assert_equal(by_scales(random(*shape), scales, mode="linear"))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32])
def test_linear_of_integers(dtype: Any) -> None:
    assert_equal(by_scales(random(1, 2, 5, 7, dtype=dtype), (1, 1, 2, 1.7), mode="linear"))


def test_linear_of_half_precision() -> None:
    data = random(1, 2, 5, 7, dtype=np.float16)
    case = by_scales(data, (1, 1, 2, 1.7), mode="linear")
    wide = by_scales(data.astype(np.float32), (1, 1, 2, 1.7), mode="linear")
    np.testing.assert_array_equal(ours(case)[0], ours(wide)[0].astype(np.float16))


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_between_quantized_tensors(mode: str) -> None:
    data = Quantized(random(1, 3, 8, 8, dtype=np.uint8), UINT8)
    assert_equal(
        ops([data, None, Known(np.asarray([1, 1, 2, 2], np.float32))], opset=19, mode=mode, result=UINT8),
    )


def test_whole_factors_become_broadcasts() -> None:
    attributes = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    module = imported(by_scales(random(1, 2, 5, 7), (1, 1, 2, 3), **attributes))
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    names = {op.name for op in function.body.block.ops}
    assert names == {"stablehlo.constant", "stablehlo.broadcast_in_dim", "stablehlo.reshape", "func.return"}


def test_what_is_not_supported_is_refused() -> None:
    data = random(1, 2, 5, 7)
    refused("the mode 'cubic' is not supported. Use nearest", by_scales(data, (1, 1, 2, 2), mode="cubic"))
    refused("antialias and exclude_outside", by_scales(data, (1, 1, 2, 2), mode="linear", antialias=1))
    refused(
        "coordinate_transformation_mode 'tf_crop_and_resize' is not supported. Crop the input with Slice",
        by_scales(data, (1, 1, 2, 2), coordinate_transformation_mode="tf_crop_and_resize"),
    )
    refused("nearest_mode is 'far'", by_scales(data, (1, 1, 2, 2), nearest_mode="far"))
    refused("keep_aspect_ratio_policy is 'shrink'", by_sizes(data, (1, 2, 9, 9), keep_aspect_ratio_policy="shrink"))


def test_wrong_sizes_and_scales_are_refused() -> None:
    data = random(1, 2, 5, 7)
    refused("2 scales or sizes for axes", by_scales(data, (2, 2)))
    refused(r"scales \[1.0, 1.0, 0.0, 2.0\] are not all positive", by_scales(data, (1, 1, 0, 2)))
    refused("would be listed at conversion", by_scales(data, (1, 1, 3e38, 2)))
    refused("exactly one of scales and sizes must be given", ops([data, None, None, None]))
    refused(r"\[1, 2, 5, 7\] cannot be resized to \[1, 2, -1, 7\]", by_sizes(data, (1, 2, -1, 7)))
    integers = random(1, 5, 7, 2, dtype=np.uint8)
    refused("8-bit integers with channels last", by_scales(integers, (1, 2, 2, 1), mode="linear"))
