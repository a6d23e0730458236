"""Softmax and normalizations against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qconvert.dialects import stablehlo
from qconvert.interpreter import evaluate
from qconvert.passes.composites.decompose_composites import DecomposeComposites
from qconvert.passes.fusion.legalize_qdq_to_quantized_op import LegalizeQdqToQuantizedOp
from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import (
    Array,
    Case,
    Known,
    Quantization,
    Quantized,
    assert_equal,
    differing_share,
    imported,
    one_op,
    ours,
    random,
    theirs,
)

DTYPES = [np.int8, np.uint8]


def assert_near(case: Case) -> None:
    for found, expected in zip(ours(case), theirs(case), strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)


def _positive(*sizes: int) -> Array:
    return np.abs(random(*sizes, seed=5)) + np.float32(0.1)


@pytest.mark.parametrize("op_type", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize("opset", [11, 13, 21])
@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1])
def test_softmax(op_type: str, opset: int, axis: int | None) -> None:
    attributes = {} if axis is None else {"axis": axis}
    assert_near(one_op(op_type, [random(3, 4, 5)], opset=opset, **attributes))


@pytest.mark.parametrize("sizes", [(2, 6, 1, 1), (2, 1, 6, 1), (3, 1, 1), (1, 5)])
def test_flattening_softmax_needs_no_reshape_along_one_dimension(sizes: tuple[int, ...]) -> None:
    case = one_op("Softmax", [random(*sizes)], opset=11)
    assert "stablehlo.reshape" not in {op.name for op in imported(case).walk()}
    assert_near(case)


def test_softmax_of_large_values() -> None:
    assert_near(one_op("Softmax", [np.float32([[1000, 999, -1000], [-1000, -1001, -np.inf], [88, 89, 90]])]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("classes", [3, 10, 100])
@pytest.mark.parametrize("axis", [1, 2])
def test_quantized_softmax(dtype: type[np.generic], classes: int, axis: int) -> None:
    lowest = int(np.iinfo(np.dtype(dtype).name).min)
    sizes = (64, classes, 9) if axis == 1 else (64, 9, classes)
    for scale, zero_point in ((0.05, lowest + 131), (0.21, lowest)):
        source = Quantized(random(*sizes, dtype=dtype), Quantization(scale, zero_point, dtype))
        assert_equal(one_op("Softmax", [source], result=Quantization(1 / 256, lowest, dtype), axis=axis))
        assert_equal(one_op("LogSoftmax", [source], result=Quantization(0.073, lowest + 255, dtype), axis=axis))


@pytest.mark.parametrize("dtype", DTYPES)
def test_softmax_of_every_8_bit_input(dtype: type[np.generic]) -> None:
    """All pairs of values, so that every difference occurs."""
    limits = np.iinfo(np.dtype(dtype).name)
    every = np.arange(limits.min, limits.max + 1).astype(dtype)
    pairs = np.stack(np.meshgrid(every, every), axis=-1).reshape(-1, 2)
    source = Quantized(pairs, Quantization(0.0371, 7, dtype))
    assert_equal(one_op("Softmax", [source], result=Quantization(1 / 256, limits.min, dtype)))


@pytest.mark.parametrize(
    ("axis", "sizes"), [(None, (5,)), (-1, (5,)), (2, (5,)), (1, (4, 5)), (0, (3, 4, 5)), (1, (1, 5))]
)
@pytest.mark.parametrize("biased", [False, True])
def test_layer_normalization(axis: int | None, sizes: tuple[int, ...], biased: bool) -> None:
    parameters = [random(*sizes, seed=1), *([random(*sizes, seed=2)] if biased else [])]
    attributes = {} if axis is None else {"axis": axis}
    assert_near(one_op("LayerNormalization", [random(3, 4, 5), *parameters], **attributes))


def test_layer_normalization_of_half_floats() -> None:
    data = [random(*sizes, seed=i).astype(np.float16) for i, sizes in enumerate([(6, 32), (32,), (32,)])]
    assert_equal(one_op("LayerNormalization", data, epsilon=1e-3))


@pytest.mark.parametrize(("axis", "sizes"), [(-1, (5,)), (1, (4, 5)), (2, (5,))])
def test_rms_normalization(axis: int, sizes: tuple[int, ...]) -> None:
    assert_near(one_op("RMSNormalization", [random(3, 4, 5), random(*sizes, seed=1)], opset=23, axis=axis))


@pytest.mark.parametrize("sizes", [(2, 6, 7), (2, 6, 4, 5), (2, 6, 2, 3, 4)])
def test_instance_and_group_normalization(sizes: tuple[int, ...]) -> None:
    data = [random(*sizes), random(6, seed=1), random(6, seed=2)]
    assert_near(one_op("InstanceNormalization", data, epsilon=1e-3))
    for groups in (1, 2, 6):
        assert_near(one_op("GroupNormalization", data, num_groups=groups))


@pytest.mark.parametrize("opset", [7, 9, 14, 15, 21])
@pytest.mark.parametrize("sizes", [(2, 6), (2, 6, 5), (2, 6, 4, 5)])
def test_batch_normalization(opset: int, sizes: tuple[int, ...]) -> None:
    parameters = [random(6, seed=1), random(6, seed=2), random(6, seed=3), _positive(6)]
    assert_equal(one_op("BatchNormalization", [random(*sizes), *parameters], opset=opset, epsilon=1e-3))


def test_batch_normalization_by_constants_is_a_product_and_a_sum() -> None:
    parameters = [Known(random(6, seed=1)), Known(random(6, seed=2)), Known(random(6, seed=3)), Known(_positive(6))]
    case = one_op("BatchNormalization", [random(2, 6, 5), *parameters])
    computing = [op.name for op in imported(case).walk() if op.name.startswith("stablehlo.") and op.operands]
    assert computing == ["stablehlo.multiply", "stablehlo.add"]
    assert_equal(case)


@pytest.mark.parametrize("dtype", DTYPES)
def test_quantized_normalizations(dtype: type[np.generic]) -> None:
    """Sums in another order than onnxruntime's can turn a value next to a tie; about one in a million does."""
    source = Quantized(random(16, 32, 8, 8, dtype=dtype), Quantization(0.05, 3, dtype))
    per_feature = [random(32, seed=1), random(32, seed=2)]
    result = Quantization(0.0317, 7, dtype)
    cases: list[Case] = [
        one_op("InstanceNormalization", [source, *per_feature], result=result),
        one_op("GroupNormalization", [source, *per_feature], result=result, num_groups=8),
        one_op("LayerNormalization", [source, random(8, seed=1), random(8, seed=2)], result=result),
        one_op("RMSNormalization", [source, random(8, seed=1)], result=result, opset=23),
    ]
    for case in cases:
        assert differing_share(case) <= 1 / 32768
    assert_equal(one_op("BatchNormalization", [source, *per_feature, random(32), _positive(32)], result=result))


FUSED: list[tuple[str, list[Array], int]] = [
    ("Softmax", [], 21),
    ("LogSoftmax", [], 21),
    ("LayerNormalization", [random(7), random(7, seed=1)], 21),
    ("RMSNormalization", [random(7)], 23),
    ("InstanceNormalization", [random(9), random(9, seed=1)], 21),
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
@pytest.mark.parametrize("op_type", ["Softmax", "LogSoftmax", "LayerNormalization", "RMSNormalization"])
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


BATCH = [random(6), random(6), random(6), _positive(6)]


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes", "message"),
    [
        ("BatchNormalization", [random(2, 6), *BATCH], {"training_mode": 1}, "BatchNormalization in training mode"),
        ("BatchNormalization", [random(2, 5), *BATCH], {}, r"input 1 has shape \[6\], one number for each"),
        ("InstanceNormalization", [random(2, 6), *BATCH[:2]], {}, "InstanceNormalization of an input of rank 2"),
        ("GroupNormalization", [random(2, 6, 3), *BATCH[:2]], {"num_groups": 4}, "6 features in 4 groups"),
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
    with pytest.raises(ConversionError, match="'y1', an output of LayerNormalization beyond those supported, is used"):
        imported(one_op("LayerNormalization", [random(2, 5), random(5)], outputs=2))
