"""Errors for .tflite files with operators that are not supported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qconvert import Format
from qconvert.api import convert, load, unsupported
from qconvert.interpreter import evaluate
from qconvert.support.errors import ConversionError
from tests.support.tflite_cases import Case, Tensor, constant, one_op

MESSAGE = r"node 'out0' \(NON_MAX_SUPPRESSION_V4\): this operator is not supported\. qconvert inspect MODEL --target"


@pytest.fixture
def unknown(tmp_path: Path) -> Path:
    path = tmp_path / "unknown.tflite"
    path.write_bytes(one_op("NON_MAX_SUPPRESSION_V4", [Tensor((4, 4), 0.5)], [Tensor((4, 4), 0.5)]))
    return path


def test_an_operator_that_is_not_read_is_named(unknown: Path) -> None:
    with pytest.raises(ConversionError, match=MESSAGE):
        load(unknown)


def test_operators_that_are_not_read_are_listed_without_converting(unknown: Path, tmp_path: Path) -> None:
    [error] = unsupported(unknown)
    assert (error.node, error.op) == ("out0", "NON_MAX_SUPPRESSION_V4")
    known = tmp_path / "known.tflite"
    known.write_bytes(one_op("ADD", [Tensor((4, 4), 0.5)] * 2, [Tensor((4, 4), 0.5)], "AddOptions"))
    assert unsupported(known) == []


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.tflite"
    path.write_bytes(b"\0\0\0\0TFL3")
    with pytest.raises(ConversionError, match=r"broken\.tflite: "):
        unsupported(path)


def test_an_input_of_another_rank_is_named() -> None:
    """Hostile files have them; a defect of an importer would otherwise look like a damaged file."""
    pool = one_op("AVERAGE_POOL_2D", [Tensor((4, 4), 0.5)], [Tensor((4, 4), 0.5)], "Pool2DOptions")
    with pytest.raises(
        ConversionError, match=r"node 'out0' \(AVERAGE_POOL_2D\): input 0 has the shape \[4, 4\], 4 dim"
    ):
        load(pool)


def test_an_operator_with_other_outputs_is_named() -> None:
    tensor = Tensor((4, 2), 0.5)
    with pytest.raises(ConversionError, match=r"node 'out0' \(ADD\): it has the outputs \[2, 3\], 1 are made"):
        load(one_op("ADD", [tensor] * 2, [tensor] * 2, "AddOptions"))


def test_a_transposed_convolution_into_a_matrix_is_refused() -> None:
    weights = constant(np.ones((2, 1, 1, 3)), "INT8", 0.1)
    inputs = [constant([1, 4]), weights, Tensor((1, 2, 2, 3), 0.1)]
    with pytest.raises(ConversionError, match=r"its output has the shape \[1, 4\], 4 dimensions are needed"):
        load(one_op("TRANSPOSE_CONV", inputs, [Tensor((1, 4), 0.1)], "TransposeConvOptions"))


def test_scales_along_a_dimension_are_for_weights() -> None:
    """A quantized value that is computed has one scale; LiteRT's kernels look at no other."""
    for tensors in ([Tensor((4, 2), (0.5, 0.25), dimension=1), Tensor((4, 2), 0.5)], [Tensor((4, 2), 0.5)] * 2):
        outputs = [Tensor((4, 2), (0.5, 0.25) if tensors[0].scales == [0.5] else 0.5, dimension=1)]
        with pytest.raises(ConversionError, match=r"node 'out0' \(ADD\): (input 0|output 0), .*, has 2 scales, one is"):
            load(one_op("ADD", tensors, outputs, "AddOptions"))


VECTOR = Tensor((4,), 0.1, 3)
WHOLE, TRUTH, FLOATS = Tensor((4,), 1.0, 3), Tensor((4,), kind="BOOL"), Tensor((4,), kind="FLOAT32")
WIDE, WIDER = Tensor((8, 17), 0.001, 0, "INT16"), Tensor((8, 17), 2.0**-14, 0, "INT16")
INTEGERS = Tensor((1, 2, 2, 1), kind="INT32")
POOL = {"FilterHeight": 1, "FilterWidth": 1, "StrideH": 1, "StrideW": 1}
SMALL, LARGE = Tensor((4,), 2.0**-12, 0, "INT16"), Tensor((4,), 2.0**-11, 0, "INT16")
UNREAD = [
    (Case("SOFTMAX", [WIDE], [WIDER], "SoftmaxOptions", {"Beta": 1.0}), "a softmax of .* is not supported"),
    (Case("HARD_SWISH", [WIDE], [WIDE]), ".* is not supported. LiteRT has kernels for floats and 8 bits"),
    (Case("ELU", [WIDE], [WIDE]), ".* is not supported. LiteRT has kernels for floats and 8 bits"),
    (Case("HARD_SWISH", [Tensor((4,), 2.0)], [Tensor((4,), 0.001)]), "LiteRT has no hard_swish from .* to "),
    (Case("NEG", [VECTOR], [VECTOR]), ".* is negated to"),
    (Case("ADD", [LARGE, LARGE], [SMALL], "AddOptions"), "the scales .* are the powers of two"),
    (
        Case("GATHER", [Tensor((3,), 0.1), constant([3])], [Tensor((1,), 0.1)], "GatherOptions", {"Axis": 0}),
        "index 3 is outside a dimension of size 3",
    ),
    (
        Case(
            "BATCH_MATMUL",
            [Tensor((2, 3, 4, 4), kind="FLOAT32"), constant(np.ones((4, 4)), "INT8", 0.1)],
            [Tensor((2, 3, 4, 4), kind="FLOAT32")],
            "BatchMatMulOptions",
        ),
        r"LiteRT multiplies floats of batches \[2, 3\] by integers wrongly",
    ),
    (
        Case(
            "BATCH_MATMUL",
            [Tensor((4, 4), 0.1, 3, "UINT8")] * 2,
            [Tensor((4, 4), 0.1, 0, "INT16")],
            "BatchMatMulOptions",
        ),
        "a product of .* is not supported",
    ),
    (
        Case(
            "RESIZE_NEAREST_NEIGHBOR",
            [Tensor((1, 1, 1, 1), 0.1), constant([1 << 23, 1])],
            [Tensor((1, 1 << 23, 1, 1), 0.1)],
            "ResizeNearestNeighborOptions",
        ),
        "a result of 8388608 x 1 pixels, the limit is 4,194,304",
    ),
    (Case("MAX_POOL_2D", [INTEGERS], [INTEGERS], "Pool2DOptions", POOL), "a pool of i32 is not supported"),
    (Case("AVERAGE_POOL_2D", [INTEGERS], [INTEGERS], "Pool2DOptions", POOL), "a pool of i32 is not supported"),
    (
        Case("ARG_MAX", [VECTOR, constant([0, 0])], [Tensor((), kind="INT64")], "ArgMaxOptions", {"OutputType": 4}),
        r"the axis is given as \[0, 0\], one is needed",
    ),
    (
        Case(
            "FULLY_CONNECTED",
            [Tensor((2, 4), 0.1, 0, "INT16"), constant(np.ones((3, 4)), "INT8", 0.1), constant([1] * 4, "INT64", 0.01)],
            [Tensor((2, 3), 0.1, 0, "INT16")],
            "FullyConnectedOptions",
        ),
        "a bias of 4 numbers for 3 outputs",
    ),
    (
        Case("PADV2", [VECTOR, constant([[1, 0]]), constant([1, 2], "INT8", 0.1)], [Tensor((5,), 0.1, 3)]),
        "the padding value has 2 elements, one is needed",
    ),
    (
        Case("PADV2", [FLOATS, constant([[1, 0]]), constant([1.0], "FLOAT16")], [Tensor((5,), kind="FLOAT32")]),
        "f32 is padded by f16. LiteRT needs one type",
    ),
    (Case("TANH", [Tensor((4,), 0.1, 0, "UINT64")], [VECTOR]), ".*found ui64"),
    (Case("PRELU", [SMALL, SMALL], [SMALL]), "LiteRT reads slopes of 16 bits as 8 bits"),
    (
        Case("LESS", [WHOLE, WHOLE], [TRUTH], "LessOptions"),
        "a value with a scale of 1 or more is compared, found .*. LiteRT compares .* below 1 only",
    ),
    (
        Case("LESS", [VECTOR, TRUTH], [TRUTH], "LessOptions"),
        ".* and i1 are compared to i1. LiteRT compares two tensors of",
    ),
    (Case("LESS", [TRUTH, TRUTH], [TRUTH], "LessOptions"), "booleans are compared by order"),
    (Case("SELECT_V2", [TRUTH, VECTOR, WHOLE], [VECTOR]), "condition, values and result have the types i1, "),
    (
        Case("SELECT", [Tensor((2,), kind="BOOL"), VECTOR, VECTOR], [VECTOR]),
        r"condition and values have the shapes \[\[2\],",
    ),
    (Case("LOGICAL_NOT", [VECTOR], [VECTOR]), "truth values are needed, found !quant"),
    (Case("ROUND", [VECTOR], [VECTOR]), "ROUND of .* to .* is not supported. LiteRT computes it in floats"),
    (Case("POW", [FLOATS, FLOATS], [VECTOR]), "POW of f32 to .* is not supported"),
    (
        Case("ATAN2", [FLOATS, Tensor((1,), kind="FLOAT32")], [FLOATS]),
        r"its operands have the shapes \(4,\) and \(1,\)",
    ),
    (
        Case("BROADCAST_TO", [VECTOR, constant([2, 3])], [Tensor((2, 3), 0.1, 3)]),
        r"\[4\] does not broadcast to \[2, 3\]",
    ),
    (Case("REVERSE_V2", [VECTOR, constant([0])], [FLOATS]), ".* is moved to f32. LiteRT needs one type for both"),
    (
        Case("QUANTIZE", [VECTOR], [Tensor((4,), (1.0, 2.0, 3.0, 4.0))]),
        ".* cannot be quantized to .* LiteRT needs floats",
    ),
    (
        Case("LOG_SOFTMAX", [VECTOR], [VECTOR]),
        "a logarithm of .* as .* is not supported. LiteRT has a kernel for 8 bits of scale 1/16",
    ),
]


@pytest.mark.parametrize(("case", "message"), UNREAD)
def test_what_litert_has_no_kernel_for_is_refused(case: Case, message: str) -> None:
    with pytest.raises(ConversionError, match=rf"node 'out0' \({case.op}\): {message}"):
        load(case.model())


def test_an_activation_of_the_smallest_scale_bounds_nothing() -> None:
    """6 is more steps than float32 counts."""
    value = Tensor((4,), 1.2e-38, 3)
    module = load(Case("RELU6", [value], [value], version=1).model()).module
    given = np.array([-128, 2, 4, 127], np.int8)
    np.testing.assert_array_equal(evaluate(module, [given])[0], [3, 3, 4, 127])


def test_an_activation_of_floats_of_16_bits_is_bounded_by_them() -> None:
    halves = Tensor((2,), kind="FLOAT16")
    source = load(Case("ADD", [halves, halves], [halves], "AddOptions", {"FusedActivationFunction": 1}).model())
    back = load(convert(source, Format.TFLITE).content or b"")
    given = np.array([-1.0, 60000.0], np.float16)
    with np.errstate(over="ignore"):
        for model in (source, back):
            np.testing.assert_array_equal(evaluate(model.module, [given, given])[0], np.array([0, 65504], np.float16))


@pytest.mark.parametrize("scale", [1e-39, -1.0, float("inf"), float("nan")])
def test_scales_that_are_none_are_refused(scale: float) -> None:
    with pytest.raises(ConversionError, match=r"the scale of tensor 'in0' is .*A scale must be finite and above 1e-38"):
        load(Case("ABS", [Tensor((4,), scale)], [Tensor((4,), 0.1)]).model())


def test_an_operator_of_another_type_is_named() -> None:
    """LiteRT has no kernel for integers without a scale here, and neither has the IR an op."""
    with pytest.raises(ConversionError, match=r"node 'out0' \(TANH\): tanh \(I1\): .* found i16"):
        load(one_op("TANH", [Tensor((4, 4), kind="INT16")], [Tensor((4, 4), kind="INT16")]))


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_details_of_a_quantization_are_refused(kind: int) -> None:
    """Scales of blocks, of several axes, and custom ones: the scale beside them means nothing."""
    weights = constant(np.ones((8, 16)), "INT8", 1.0, details=kind)
    content = one_op("FULLY_CONNECTED", [Tensor((4, 16), 0.1), weights, None], [Tensor((4, 8), 0.1)], version=4)
    with pytest.raises(ConversionError, match=rf"tensor 'in1' has quantization details of kind {kind}"):
        load(content)


def test_products_without_a_kernel_are_refused() -> None:
    """LiteRT prepares both, and returns garbage."""
    matrix, integers = constant(np.ones((8, 16)), "INT8", 0.1), constant(np.ones(8), "INT32", 0.01)
    result = Tensor((4, 8), 0.1, kind="INT16")
    rows = one_op("FULLY_CONNECTED", [Tensor((4, 16), 0.1), matrix, integers], [result], "FullyConnectedOptions")
    with pytest.raises(ConversionError, match=r"node 'out0' .*8-bit activations are stored in 16 bits"):
        load(rows)
    image, kernel = Tensor((1, 4, 4, 16), 0.1, kind="INT16"), constant(np.ones((8, 1, 1, 16)), "INT8", 0.1)
    strides = {"StrideH": 1, "StrideW": 1}
    made = Tensor((1, 4, 4, 8), 0.1, kind="INT16")
    convolution = one_op("CONV_2D", [image, kernel, integers], [made], "Conv2DOptions", strides)
    with pytest.raises(ConversionError, match=r"node 'out0' .* without the option quantized_bias_type"):
        load(convolution)
