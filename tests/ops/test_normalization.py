"""Fused, decomposed and refused normalizations; those that convert are rows of ``tests/cases/normalization.py``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qconvert.dialects import stablehlo
from qconvert.interpreter import evaluate
from qconvert.passes.composites.decompose_composites import DecomposeComposites
from qconvert.passes.fusion.legalize_qdq_to_quantized_op import LegalizeQdqToQuantizedOp
from qconvert.support.errors import ConversionError
from tests.cases.normalization import ONNX, positive
from tests.support.onnx_cases import (
    Array,
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


@pytest.mark.parametrize("sizes", [(2, 6, 1, 1), (2, 1, 6, 1), (3, 1, 1), (1, 5)])
def test_flattening_softmax_needs_no_reshape_along_one_dimension(sizes: tuple[int, ...]) -> None:
    case = ONNX[f"Softmax {sizes} of opset 11"].case
    assert "stablehlo.reshape" not in {op.name for op in imported(case).walk()}


def test_batch_normalization_by_constants_is_a_product_and_a_sum() -> None:
    parameters = [Known(random(6, seed=1)), Known(random(6, seed=2)), Known(random(6, seed=3)), Known(positive(6))]
    case = one_op("BatchNormalization", [random(2, 6, 5), *parameters])
    computing = [op.name for op in imported(case).walk() if op.name.startswith("stablehlo.") and op.operands]
    assert computing == ["stablehlo.multiply", "stablehlo.add"]
    assert_equal(case)


FUSED: list[tuple[str, list[Array], int]] = [
    ("Softmax", [], 21),
    ("LogSoftmax", [], 21),
    ("LayerNormalization", [random(7), random(7, seed=1)], 21),
    ("RMSNormalization", [random(7)], 23),
    ("InstanceNormalization", [random(9), random(9, seed=1)], 21),
    ("SimplifiedLayerNormalization", [random(7)], 21),
    ("LpNormalization", [], 21),
]


@pytest.mark.parametrize(("op_type", "parameters", "opset"), FUSED)
def test_fused(op_type: str, parameters: list[Array], opset: int) -> None:
    source = Quantized(random(8, 9, 7, dtype=np.int8), Quantization(0.05, 3, np.int8))
    case = one_op(op_type, [source, *parameters], result=Quantization(0.0217, 7, np.uint8), opset=opset)
    module = imported(case)
    assert not LegalizeQdqToQuantizedOp().apply(module).refusals
    module.verify()
    assert not any(isinstance(op, stablehlo.UniformDequantizeOp) for op in module.walk())
    np.testing.assert_array_equal(evaluate(module, list(case.feeds.values()))[0], theirs(case)[0])


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(
    "op_type", ["Softmax", "LogSoftmax", "LpNormalization", "LayerNormalization", "RMSNormalization"]
)
def test_decomposition(op_type: str, axis: int) -> None:
    parameters = {"LayerNormalization": [random(5), random(5, seed=1)], "RMSNormalization": [random(5)]}
    _assert_decomposes(one_op(op_type, [random(3, 4, 5), *parameters.get(op_type, [])], opset=23, axis=axis))


def test_decomposition_of_instance_normalization() -> None:
    _assert_decomposes(one_op("InstanceNormalization", [random(2, 3, 4, 5), random(3), random(3, seed=1)]))


def _assert_decomposes(case: Case) -> None:
    module = imported(case)
    assert DecomposeComposites().apply(module).changed
    module.verify()
    (found,) = evaluate(module, list(case.feeds.values()))
    np.testing.assert_allclose(found, ours(case)[0], rtol=2e-5, atol=2e-6)


BATCH = [random(6), random(6), random(6), positive(6)]


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes", "message"),
    [
        ("BatchNormalization", [random(2, 6), *BATCH], {"training_mode": 1}, "BatchNormalization in training mode"),
        ("BatchNormalization", [random(2, 5), *BATCH], {}, r"input 1 has shape \[6\], one number for each"),
        ("InstanceNormalization", [random(2, 6), *BATCH[:2]], {}, "InstanceNormalization of an input of rank 2"),
        ("GroupNormalization", [random(2, 6, 3), *BATCH[:2]], {"num_groups": 4}, "6 features in 4 groups"),
        ("LpNormalization", [random(2, 5)], {"p": 3}, "LpNormalization with p = 3"),
        ("LayerNormalization", [random(2, 5), random(4)], {}, "input 1 of type tensor<4xf32> for an input of type"),
        ("LayerNormalization", [random(2, 5), random(5)], {"axis": 2}, "axis 2 is outside a tensor of rank 2"),
        ("Softmax", [random(2, 5, dtype=np.int32)], {}, "float inputs are supported here"),
    ],
)
def test_refusals(op_type: str, inputs: list[Any], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        imported(one_op(op_type, inputs, **attributes))


def test_statistics_for_each_element_are_refused() -> None:
    with pytest.raises(ConversionError, match="spatial is 0"):
        imported(one_op("BatchNormalization", [random(2, 6), *BATCH], opset=7, spatial=0))


def test_used_statistics_are_refused() -> None:
    with pytest.raises(ConversionError, match="'y1' is used, an output of LayerNormalization that is not supported"):
        imported(one_op("LayerNormalization", [random(2, 5), random(5)], outputs=2))
