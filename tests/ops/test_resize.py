"""Decomposed and refused resizes; those that convert are rows of ``tests/cases/resize.py``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from qconvert.interpreter import evaluate
from qconvert.passes.composites.decompose_composites import DecomposeComposites
from qconvert.support.errors import ConversionError
from tests.cases.resize import COORDINATES, ONNX, SCALES, by_scales, by_sizes
from tests.support.onnx_cases import (
    imported,
    one_op,
    ours,
    random,
    theirs,
)
from tests.support.operator_rows import Row


def refused(match: str, row: Row) -> None:
    with pytest.raises(ConversionError, match=match):
        imported(row.case)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.quick(15)
def test_decomposition_of_linear(coordinates: str, scales: Any) -> None:
    case = ONNX[f"linear {coordinates} {scales}"].case
    module = imported(case)
    DecomposeComposites().apply(module)
    module.verify()
    np.testing.assert_array_equal(evaluate(module, list(case.feeds.values()))[0], theirs(case)[0])


def test_linear_of_half_precision() -> None:
    data = random(1, 2, 5, 7, dtype=np.float16)
    case = by_scales(data, (1, 1, 2, 1.7), mode="linear").case
    wide = by_scales(data.astype(np.float32), (1, 1, 2, 1.7), mode="linear").case
    np.testing.assert_array_equal(ours(case)[0], ours(wide)[0].astype(np.float16))


def test_whole_factors_become_broadcasts() -> None:
    attributes = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    module = imported(by_scales(random(1, 2, 5, 7), (1, 1, 2, 3), **attributes).case)
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
    refused("exactly one of scales and sizes must be given", Row(one_op("Resize", [data, None, None, None])))
    refused(r"\[1, 2, 5, 7\] cannot be resized to \[1, 2, -1, 7\]", by_sizes(data, (1, 2, -1, 7)))
    integers = random(1, 5, 7, 2, dtype=np.uint8)
    refused("8-bit integers with channels last", by_scales(integers, (1, 2, 2, 1), mode="linear"))
