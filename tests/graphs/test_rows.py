"""Rows of the table that a format needs in another form, and rows that it refuses, with its words."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from qconvert import Format, convert, load
from qconvert.support.errors import ConversionError
from tests.graphs.case import Kind
from tests.graphs.checking import examine
from tests.graphs.drawing import observed
from tests.graphs.network import Drawing, Raw, Shape, Weight
from tests.graphs.onnx_cases import Graph
from tests.graphs.style import Style
from tests.graphs.table import Row, rows

pytestmark = pytest.mark.slow

WRITTEN = {
    Format.TOSA: [
        "Conv, int16 by tensor, weights int4 by axis 0",  # CONV2D of i16 takes weights of i8 alone
        "Conv depthwise, uint16 by tensor, weights uint4 by tensor",
        "Conv 1-D, int16 by tensor, weights uint4 by axis 0",
        "Gemm, int16 by tensor, weights int4 by axis 0",
        "Gemm, int8 by tensor, weights int16 by tensor",  # MATMUL of i16 takes no zero point
        "MatMul, uint8 by tensor, weights int16 by tensor",
        "MatMul batched, int8 by tensor, weights int16 by tensor",
        "ConvTranspose, uint8 by tensor, weights int8 by axis 0",  # weights that are computed
        "ConvTranspose, float32 by tensor, weights int4 by axis 1",
        "ConvTranspose groups, int8 by tensor, weights int8 by tensor",
        "ConvTranspose depthwise, int16 by tensor, weights int8 by axis 0",
    ],
    Format.STABLEHLO: [
        "Transpose, int8 by axis 1, weights int8 by tensor",  # no requantization from one axis to another
    ],
    Format.ONNX: [
        "Expand, int8 by axis 0, weights int8 by tensor",  # elements that repeat with another scale each
        "Expand, uint16 by blocks 1, weights int8 by tensor",
    ],
}
"""Rows by format that are written, and equal the source."""

REFUSED = {
    Format.TOSA: {
        "Conv, int8 by tensor, weights int16 by axis 0": "node 'conv_0' (tosa.conv2d): TOSA has no conv2d with",
        "Conv depthwise, uint8 by tensor, weights int16 by tensor": "TOSA has no depthwise_conv2d with",
        "ConvTranspose, uint16 by tensor, weights int8 by tensor": "supports no zero point of 16-bit integers",
        "Conv, int8 by blocks 1, weights int8 by tensor": "one scale for all elements is needed, found i8",
    },
}
"""Words of the refusals of rows by format."""

CASES = [(to, label, words) for to, refused in REFUSED.items() for label, words in refused.items()]


def row(label: str) -> Row:
    """Return a row by its name."""
    [found] = [each for each in rows() if each.label == label]
    return found


@pytest.mark.tosa
@pytest.mark.stablehlo
def test_rows_in_another_form_are_accepted_and_equal() -> None:
    found = {
        (to, label): outcomes[to]
        for to, labels in WRITTEN.items()
        for label, (_, outcomes) in zip(labels, examine([row(label) for label in labels], [to]), strict=True)
    }
    assert {key: outcome for key, outcome in found.items() if outcome.kind not in (Kind.EQUAL, Kind.EXPLAINED)} == {}


@pytest.mark.parametrize(("to", "label", "words"), CASES, ids=str)
def test_rows_that_a_format_lacks_are_refused_by_node(to: Format, label: str, words: str) -> None:
    with pytest.raises(ConversionError) as error:
        convert(load(row(label).case().content), to)
    assert words in str(error.value)
    assert len(str(error.value)) <= 300


def biased(shapes: tuple[Shape, ...], *, is_constant: bool, activations: type[np.generic], relu: bool) -> Graph:
    """A matrix product with a bias behind it, then perhaps Relu; the left one of two matrices is transposed."""
    rng = np.random.default_rng(3)
    net = Drawing.start(rng, *(shapes[:1] if is_constant else shapes))
    left = net.add("Transpose", ["x0"], keeps=True)[0] if len(shapes[0]) == 2 else "x0"
    right = Weight(net.normal(*shapes[1])) if is_constant else "x1"
    [multiplied] = net.add("MatMul", [left, right], quantized=False)
    [total] = net.add("Add", [multiplied, Raw(net.normal(shapes[1][-1]))], quantized=not relu)
    if relu:
        net.add("Relu", [total])
    network = net.finished()
    ranges = observed(network, rng)
    assert ranges is not None
    name = f"{shapes}, constant: {is_constant}, {activations.__name__}, Relu: {relu}"
    return Graph(name, "qdq", network, Style(activations, np.int8, per_axis=False), ranges, 5)


@pytest.mark.litert
def test_products_that_take_no_bias_are_written_to_tflite_with_one() -> None:
    batched, turned = ((2, 4, 6), (2, 6, 5)), ((6, 4), (6, 5))
    graphs = [
        biased(shapes, is_constant=is_constant, activations=activations, relu=relu)
        for shapes, is_constant in ((batched, False), (batched, True), (turned, True))
        for activations, relu in product((np.int8, np.uint8, np.int16), (False, True))
    ]
    outcomes = zip(graphs, examine(graphs, [Format.TFLITE]), strict=True)
    found = {graph.label: of[Format.TFLITE] for graph, (_, of) in outcomes}
    assert {name: each for name, each in found.items() if each.kind not in (Kind.EQUAL, Kind.EXPLAINED)} == {}
