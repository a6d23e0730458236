"""Conv, ConvTranspose, Gemm and MatMul against onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Case, Known, Quantization, Quantized, imported, one_op, ours, random, theirs

INT8 = Quantization(0.05, 3, np.int8)
UINT8 = Quantization(0.05, 131, np.uint8)


def assert_near(case: Case) -> None:
    """Products are added up in another order than onnxruntime's."""
    for found, expected in zip(ours(case), theirs(case), strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max(initial=1.0))


def assert_within_ties(case: Case) -> None:
    """Quantized results differ on exact ties at most, which fall either way, and by one step."""
    for found, expected in zip(ours(case), theirs(case), strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        steps = np.abs(found.astype(int) - expected)
        assert steps.max() <= 1
        assert (steps > 0).mean() < 0.002


WINDOWS: list[Mapping[str, Any]] = [
    {},
    {"strides": [2, 3]},
    {"pads": [1, 0, 2, 1]},
    {"dilations": [2, 3], "pads": [1, 1, 1, 1]},
    {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
    {"auto_pad": "SAME_LOWER", "strides": [2, 3]},
    {"auto_pad": "VALID", "strides": [2, 2]},
    {"kernel_shape": [3, 2]},
]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("biased", [False, True])
def test_conv(window: Mapping[str, Any], biased: bool) -> None:
    parameters = [random(6, 4, 3, 2, seed=1), *([random(6, seed=2)] if biased else [])]
    assert_near(one_op("Conv", [random(2, 4, 9, 8), *parameters], **window))


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_conv_of_all_ranks_with_groups(rank: int, groups: int) -> None:
    data, weight = random(2, 4, *[7] * rank), random(8, 4 // groups, *[3] * rank, seed=1)
    attributes: dict[str, Any] = {"group": groups, "strides": [2] * rank, "pads": [1] * 2 * rank}
    assert_near(one_op("Conv", [data, weight, random(8, seed=2)], **attributes))


@pytest.mark.parametrize("quantization", [INT8, UINT8])
@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("per_axis", [False, True])
def test_quantized_conv(quantization: Quantization, groups: int, per_axis: bool) -> None:
    scales = [0.01 * (i + 1) for i in range(8)]
    weights = Quantization(scales, [0] * 8, np.int8, 0) if per_axis else Quantization(0.013, 0, np.int8)
    inputs = [
        Quantized(random(2, 4, 9, 9, dtype=quantization.dtype), quantization),
        Quantized(random(8, 4 // groups, 3, 3, seed=1, dtype=np.int8), weights, known=True),
    ]
    result = Quantization(0.7391, 11, quantization.dtype)
    assert_within_ties(one_op("Conv", inputs, result=result, group=groups, pads=[1, 1, 1, 1]))


TRANSPOSED: list[Mapping[str, Any]] = [
    {},
    {"strides": [2, 3]},
    {"strides": [4, 4]},
    {"strides": [2, 3], "pads": [1, 0, 1, 1]},
    {"strides": [2, 3], "output_padding": [1, 2]},
    {"dilations": [2, 3]},
    {"dilations": [2, 3], "strides": [2, 1], "pads": [2, 1, 0, 1]},
    {"pads": [3, 3, 3, 2]},
    {"auto_pad": "VALID", "strides": [2, 2]},
    *({"auto_pad": mode, "strides": strides} for mode in ("SAME_UPPER", "SAME_LOWER") for strides in ([2, 2], [3, 2])),
    {"auto_pad": "SAME_UPPER", "strides": [4, 3]},
    *({"auto_pad": mode, "strides": [2, 2], "output_shape": [8, 9]} for mode in ("NOTSET", "SAME_UPPER", "SAME_LOWER")),
    {"strides": [2, 2], "output_padding": [1, 1], "output_shape": [10, 11]},
]


@pytest.mark.parametrize("window", TRANSPOSED)
def test_conv_transpose(window: Mapping[str, Any]) -> None:
    inputs = [random(2, 4, 5, 6), random(4, 3, 3, 2, seed=1), random(3, seed=2)]
    assert_near(one_op("ConvTranspose", inputs, **window))
    assert_near(one_op("ConvTranspose", inputs[:2], opset=11, **window))


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_conv_transpose_of_all_ranks_with_groups(rank: int, groups: int) -> None:
    inputs = [random(2, 4, *[5] * rank), random(4, 3, *[3] * rank, seed=1), random(3 * groups, seed=2)]
    attributes: dict[str, Any] = {"group": groups, "strides": [2] * rank, "pads": [1] * 2 * rank}
    assert_near(one_op("ConvTranspose", inputs, **attributes))


@pytest.mark.parametrize("groups", [1, 2])
def test_quantized_conv_transpose(groups: int) -> None:
    weights = Quantization([0.01, 0.02, 0.03], [0] * 3, np.int8, 1)
    inputs = [
        Quantized(random(2, 4, 5, 6, dtype=np.int8), INT8),
        Quantized(random(4, 3, 3, 2, seed=1, dtype=np.int8), weights, known=True),
    ]
    assert_within_ties(
        one_op("ConvTranspose", inputs, result=Quantization(0.391, 11, np.int8), group=groups, strides=[2, 2])
    )


@pytest.mark.parametrize("transposed_lhs", [0, 1])
@pytest.mark.parametrize("transposed_rhs", [0, 1])
@pytest.mark.parametrize("bias", [None, (), (1,), (6,), (1, 6), (5, 1), (5, 6)])
def test_gemm(transposed_lhs: int, transposed_rhs: int, bias: tuple[int, ...] | None) -> None:
    lhs, rhs = random(4, 5) if transposed_lhs else random(5, 4), random(6, 4) if transposed_rhs else random(4, 6)
    inputs = [lhs, rhs, *([] if bias is None else [random(*bias, seed=2)])]
    assert_near(one_op("Gemm", inputs, transA=transposed_lhs, transB=transposed_rhs))
    assert_near(one_op("Gemm", inputs, transA=transposed_lhs, transB=transposed_rhs, alpha=0.5, beta=2.0))


def test_a_bias_times_zero() -> None:
    assert_near(one_op("Gemm", [random(5, 4), random(4, 6), random(6)], beta=0.0))


@pytest.mark.parametrize("quantization", [INT8, UINT8])
def test_quantized_gemm(quantization: Quantization) -> None:
    scales = Quantization([0.01 * (i + 1) for i in range(6)], [0] * 6, np.int8, 0)
    inputs = [
        Quantized(random(50, 40, dtype=quantization.dtype), quantization),
        Quantized(random(6, 40, seed=1, dtype=np.int8), scales, known=True),
        Known(random(6, seed=2)),
    ]
    assert_within_ties(one_op("Gemm", inputs, transB=1, result=Quantization(0.6391, 11, quantization.dtype)))


SHAPES = [
    ((4, 5), (5, 6)),
    ((3, 4, 5), (5, 6)),
    ((3, 4, 5), (3, 5, 6)),
    ((2, 3, 4, 5), (5, 6)),
    ((2, 3, 4, 5), (3, 5, 6)),
    ((2, 1, 4, 5), (3, 5, 6)),
    ((4, 5), (3, 5, 6)),
    ((5,), (5,)),
    ((5,), (5, 6)),
    ((4, 5), (5,)),
    ((5,), (3, 5, 6)),
    ((3, 4, 5), (5,)),
    ((2, 3, 4, 5), (5,)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_matmul(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    assert_near(one_op("MatMul", [random(*left), random(*right, seed=1)]))


@pytest.mark.parametrize(("left", "right"), SHAPES[:5])
def test_matmul_of_quantized_activations(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    inputs = [
        Quantized(random(*left, dtype=np.uint8), UINT8),
        Quantized(random(*right, seed=1, dtype=np.int8), Quantization(0.021, -8, np.int8)),
    ]
    assert_within_ties(one_op("MatMul", inputs, result=Quantization(0.1391, 131, np.uint8)))


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes", "message"),
    [
        ("Conv", [random(1, 4, 5, 5), random(6, 4, 3)], {}, "input of rank 4 with a kernel of rank 3"),
        ("Conv", [random(1, 4, 5, 5), random(6, 3, 3, 3)], {}, "4 input features in 1 groups do not fit a kernel of 3"),
        ("Conv", [random(1, 4, 5, 5), random(6, 2, 3, 3)], {"group": 3}, "4 input features in 3 groups"),
        ("Conv", [random(1, 4, 5, 5), random(6, 4, 3, 3), random(5)], {}, r"the bias has shape \[5\], \[6\] is needed"),
        ("Conv", [random(1, 4, 5), random(6, 4, 3)], {"kernel_shape": [2]}, r"kernel_shape differs .* \[3\]"),
        ("Conv", [random(1, 4, 5), random(6, 4, 3)], {"auto_pad": "SOME"}, "auto_pad is 'SOME'"),
        (
            "Conv",
            [random(1, 4, 5), random(6, 4, 5)],
            {"auto_pad": "SAME_UPPER", "dilations": [(1 << 63) - 1]},
            r"dilations \[9223372036854775807\] need 18446744073709551614 elements of padding",
        ),
        ("Conv", [random(1, 4, 5, dtype=np.int8), random(6, 4, 3)], {}, "float inputs are supported here"),
        (
            "ConvTranspose",
            [random(1, 4, 5), random(4, 3, 3)],
            {"output_shape": [8]},
            "size 8 is more than the 7",
        ),
        ("ConvTranspose", [random(1, 4, 5), random(4, 3, 3)], {"output_shape": [8, 9]}, r"output_shape \[8, 9\] does"),
        ("ConvTranspose", [random(1, 4, 5), random(4, 3, 3)], {"group": 3}, "4 input features in 3 groups"),
        ("ConvTranspose", [random(1, 4, 5), random(4, 3, 3)], {"strides": [0]}, r"strides \[0\] does not fit 1"),
        ("ConvTranspose", [random(1, 4, 5), random(4, 3, 3)], {"pads": [1]}, r"pads \[1\] does not fit 1"),
        ("Gemm", [random(2, 3, 4), random(4, 5)], {}, r"Gemm needs matrices, found \[2, 3, 4\] and \[4, 5\]"),
        ("Gemm", [random(3, 4), random(5, 6)], {}, "4 and 5 differ"),
        ("MatMul", [random(), random(4)], {}, "MatMul needs at least one dimension on both sides"),
        ("MatMul", [random(3, 4), random(5, 6)], {}, "4 and 5 differ"),
        ("MatMul", [random(2, 3, 4), random(3, 4, 6)], {}, r"batch dimensions \[2\] and \[3\] do not broadcast"),
    ],
)
def test_refusals(op_type: str, inputs: list[Any], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        imported(one_op(op_type, inputs, **attributes))
