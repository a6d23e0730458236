"""Operators on types that LiteRT has no kernel for, or whose integers wrap around in it, are refused by their node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from qconvert.api import load
from qconvert.backends.tflite.flatbuffer import model_parts
from qconvert.backends.tflite.graph import Graph
from qconvert.engines import litert
from qconvert.interpreter import evaluate
from qconvert.support.errors import ConversionError
from tests.support.litert_verdicts import Model, verdicts
from tests.support.tflite_cases import Tensor, constant, one_op
from tests.support.tflite_kernels import ACTIVATIONS, FORMS, PRODUCTS, biases, elements, feeds, weight_types

ROWS = (4, 64)
FUNCTIONS = {"ABS": "AbsOptions", "EXP": "ExpOptions", "LOG": "", "RSQRT": "", "SQRT": ""}
OTHERWISE_REFUSED = ("with zero point", "along")
"""What kernels refuse for parameters, not for integers."""


def is_read(content: bytes) -> bool:
    """Return True if a file is read; a refusal is one sentence by the node."""
    text = ""
    try:
        load(content)
    except ConversionError as error:
        text = str(error)
    assert not text or (("node '" in text or "tensor '" in text) and len(text) <= 300)
    return not text


@pytest.mark.parametrize("op", FUNCTIONS)
def test_functions_of_uint8_have_no_kernel(op: str) -> None:
    tensor = Tensor(ROWS, 0.1, 3, "UINT8")
    with pytest.raises(ConversionError, match=rf"node 'out0' \({op}\): LiteRT has no {op} of quantized ui8"):
        load(one_op(op, [tensor], [tensor], FUNCTIONS[op]))


def test_operands_of_two_types_have_no_kernel() -> None:
    pair = [Tensor(ROWS, 0.1, 3), Tensor(ROWS, 0.1, 3, "UINT8")]
    with pytest.raises(ConversionError, match=r"LiteRT's ADD takes values of one type, found quantized i8 and quan"):
        load(one_op("ADD", pair, pair[:1], "AddOptions"))


def graphs() -> Iterator[tuple[str, Graph]]:
    """Yield each operator on each type, and each contraction of activations by weights."""
    for name, form in FORMS.items():
        for kind, element in elements(form):
            if not any(words in kind for words in OTHERWISE_REFUSED):
                yield f"{name} {kind}", form.graph(element)
    for name, product in PRODUCTS.items():
        for activations in ("f32", "f16", "i8", "u8", "i16"):
            for kind, weights in weight_types(product).items():
                for bias in ("f32", "i32 that is named", "i64"):
                    held, is_named = biases(weights)[bias]
                    graph = product.graph(ACTIVATIONS[activations], weights, held, names_bias=is_named)
                    yield f"{name} {activations} by {kind}, {bias}", graph


@pytest.mark.litert
@pytest.mark.slow
def test_what_is_read_runs_in_litert() -> None:
    """By one of its sets of kernels: the reference kernels lack some operators."""
    read = {name: (graph, content) for name, graph in graphs() if is_read(content := model_parts(graph).joined())}
    assert len(read) > 500
    for resolver in ("reference", "default"):
        models = [Model(content, tuple(feeds(graph).values()), (resolver,)) for graph, content in read.values()]
        runs = dict(zip(read, verdicts(models), strict=True))
        read = {name: pair for name, pair in read.items() if not runs[name]}
    assert not set(read)


def product(op: str, weights: Tensor, kind: str = "INT8", bias: int = 0, scale: float = 1.0) -> bytes:
    """Return a contraction of 8 or 16 bits whose operands have the scales 0.1 and 0.01."""
    sizes, made, table = {
        "CONV_2D": ((1, 4, 4, 4), (1, 4, 4, 2), "Conv2DOptions"),
        "DEPTHWISE_CONV_2D": ((1, 4, 4, 2), (1, 4, 4, 2), "DepthwiseConv2DOptions"),
        "FULLY_CONNECTED": ((8, 4), (8, 2), "FullyConnectedOptions"),
        "TRANSPOSE_CONV": ((1, 4, 4, 4), (1, 4, 4, 2), "TransposeConvOptions"),
    }[op]
    fields = {} if op == "FULLY_CONNECTED" else {"StrideH": 1, "StrideW": 1}
    fields |= {"DepthMultiplier": 1} if op == "DEPTHWISE_CONV_2D" else {}
    wide = kind == "INT16"
    added = constant([bias, -bias], "INT64" if wide else "INT32", 0.1 * 0.01)
    inputs = [Tensor(sizes, 0.1, 0, kind), weights, added]
    if op == "TRANSPOSE_CONV":
        inputs = [constant(made), weights, Tensor(sizes, 0.1, 0, kind), added]
    return one_op(op, inputs, [Tensor(made, scale, 0, kind)], table, fields, version=3)


KERNELS = {
    "CONV_2D": (2, 1, 1, 4),
    "DEPTHWISE_CONV_2D": (1, 1, 1, 2),
    "FULLY_CONNECTED": (2, 4),
    "TRANSPOSE_CONV": (2, 1, 1, 4),
}


@pytest.mark.parametrize("op", KERNELS)
@pytest.mark.parametrize(
    ("kind", "bias", "scale", "found"),
    [
        ("INT8", (1 << 31) - 10000, 1.0, "sums may overflow: they reach 2.14"),
        ("INT8", 1 << 27, 1e-5, "results may overflow"),
        ("INT16", (1 << 47) - 10000, 1e6, "sums may overflow: they reach 1.407e"),
        ("INT16", 1 << 40, 1e-3, "results may overflow"),
    ],
)
def test_sums_that_wrap_around_are_refused(op: str, kind: str, bias: int, scale: float, found: str) -> None:
    weights = constant(np.full(KERNELS[op], 127), "INT8", 0.01)
    with pytest.raises(ConversionError, match=rf"node 'out0' \({op}\): its {found}"):
        load(product(op, weights, kind, bias, scale))
    assert is_read(product(op, weights, kind, 1 << 20))


@pytest.mark.parametrize(
    ("op", "inputs", "made", "table", "fields"),
    [
        ("BATCH_MATMUL", [Tensor((4, 8), 0.1, 0, "INT16")], Tensor((4, 4), 0.01, 0, "INT16"), "BatchMatMulOptions", {}),
        ("MEAN", [Tensor((1, 1 << 17), 0.1, 0, "INT16"), constant([1])], Tensor((1,), 0.1, 0, "INT16"), "Reducer", {}),
        ("SUM", [Tensor((1, 1 << 24), 0.1, 0), constant([1])], Tensor((1,), 0.1, 0), "Reducer", {}),
    ],
)
def test_other_sums_that_wrap_around_are_refused(
    op: str, inputs: list[Tensor], made: Tensor, table: str, fields: dict[str, Any]
) -> None:
    inputs = [*inputs, Tensor((8, 4), 0.1, 0, "INT16")] if op == "BATCH_MATMUL" else inputs
    table = table if table.endswith("Options") else f"{table}Options"
    with pytest.raises(ConversionError, match=rf"node 'out0' \({op}\): its (sums|results) may overflow"):
        load(one_op(op, inputs, [made], table, fields))


@pytest.mark.litert
@pytest.mark.parametrize("op", ["CONV_2D", "FULLY_CONNECTED"])
def test_weights_of_4_bits_by_16_bit_activations_have_every_integer(op: str) -> None:
    rng = np.random.default_rng(4)
    content = product(op, constant(rng.integers(-8, 8, KERNELS[op]), "INT4", 0.01), "INT16", 1000, 0.001)
    sample = rng.integers(-30000, 30000, (8, 4) if op == "FULLY_CONNECTED" else (1, 4, 4, 4)).astype(np.int16)
    [found] = evaluate(load(content).module, [sample])
    np.testing.assert_array_equal(found, litert.run(content, {"in0": sample})["out0"])


@pytest.mark.parametrize("op", ["CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"])
def test_zero_points_of_weights_that_a_kernel_ignores_are_refused(op: str) -> None:
    weights = constant(np.full(KERNELS[op], 9), "INT8", 0.01, zero_point=4)
    with pytest.raises(ConversionError, match=rf"LiteRT's {op} ignores the zero point 4 of its weights 'in1'"):
        load(product(op, weights))


def test_floats_by_weights_of_one_scale_are_refused_where_a_kernel_reads_several() -> None:
    image, made = Tensor((1, 4, 4, 2), kind="FLOAT32"), Tensor((1, 4, 4, 2), kind="FLOAT32")
    weights, bias = constant(np.ones((1, 1, 1, 2)), "INT8", 0.01), constant([0, 0], "FLOAT32")
    fields = {"StrideH": 1, "StrideW": 1, "DepthMultiplier": 1}
    with pytest.raises(ConversionError, match="reads a scale for each of 2 outputs, found 1"):
        load(one_op("DEPTHWISE_CONV_2D", [image, weights, bias], [made], "DepthwiseConv2DOptions", fields))
