"""Recurrent layers and weights of blocks: what is refused, and their text in the real StableHLO interpreter."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from qconvert import ConversionError, Format, convert, load
from qconvert.engines import stablehlo
from qconvert.engines.modules import Program
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.support.errors import EngineError
from tests.cases import block_quantized, indexing, sequence
from tests.support.onnx_cases import Case, Known, imported, one_op, random, theirs
from tests.support.operator_rows import Row

FLOAT8 = ml_dtypes.float8_e4m3fn
ROWS: dict[str, Row] = {
    name: family.ONNX[name]
    for family, name in (
        (sequence, "GRU bidirectional "),
        (sequence, "LSTM reverse with states"),
        (sequence, "DynamicQuantizeLSTM forward "),
        (block_quantized, "MatMulNBits with a short last block"),
        (block_quantized, "GatherBlockQuantized 2 bits True"),
        (block_quantized, "DequantizeLinear of int4 blocks, any sign"),
        (indexing, "GatherND in batches asarray"),
    )
}


@pytest.mark.stablehlo
def test_real_evaluator_agrees() -> None:
    programs = [
        Program(convert(load(row.case.model), Format.STABLEHLO).text, [list(row.case.feeds.values())])
        for row in ROWS.values()
    ]
    for row, found in zip(ROWS.values(), stablehlo.run_many(programs), strict=True):
        assert not isinstance(found, EngineError), str(found)
        (row.tosa or row.read).check(found[0], theirs(row.case))


def test_no_float_weights_are_written() -> None:
    text = convert(load(block_quantized.ONNX["MatMulNBits with a bias"].case.model), Format.STABLEHLO).text
    assert "stablehlo.constant" in text
    assert "tensor<2x32x8xui4>" in text
    assert "dense" not in "".join(line for line in text.splitlines() if line.endswith("tensor<64x8xf32>"))


def block(**changed: Any) -> Case:
    """Return a product of 4-bit weights with other attributes or inputs."""
    inputs = [random(2, 32), Known(np.zeros((8, 2, 8), np.uint8)), Known(np.ones((8, 2), np.float32)), None]
    inputs = [changed.pop(f"input{i}", value) for i, value in enumerate(inputs)]
    more = changed.pop("more", [])
    sizes = {"K": 32, "N": 8, "bits": 4, "block_size": 16}
    return one_op("MatMulNBits", [*inputs, *more], domain="com.microsoft", **{**sizes, **changed})


REFUSED: list[tuple[str, Case]] = [
    ("the direction 'sideways' is not known", sequence.layer("RNN", "sideways")),
    (r"the activations \['Sine'\] are not supported", sequence.layer("RNN", activations=["Sine"])),
    ("32 zero points of uint8 where 8 rows of 1 are needed", block(input3=Known(np.zeros((8, 4), np.uint8)))),
    ("8 zero points of float32 where 8 rows of 2 are needed", block(input3=Known(np.zeros(8, np.float32)))),
    (
        r"zero points of shape \[4, 2\] for scales of shape \[4, 2\]",
        one_op(
            "GatherBlockQuantized",
            [
                Known(np.zeros((4, 16), np.uint8)),
                Known(np.array([1])),
                *(Known(np.ones((4, 2), t)) for t in ("f4", "u1")),
            ],
            domain="com.microsoft",
            bits=4,
            block_size=16,
        ),
    ),
    (
        "input 1 of shape .* is needed",
        one_op("RNN", [random(2, 1, 3), random(1, 4, 5), random(1, 4, 4)], hidden_size=4),
    ),
    ("a sequence of 5000 steps", one_op("RNN", [random(5000, 1, 1), random(1, 1, 1), random(1, 1, 1)], hidden_size=1)),
    (
        r"sequence_lens is \[1, 2\], the sequence has 2 steps",
        one_op(
            "RNN", [random(2, 2, 3), random(1, 4, 3), random(1, 4, 4), None, Known(np.int32([1, 2]))], hidden_size=4
        ),
    ),
    (r"a sequence of shape \[2, 3\]", one_op("RNN", [random(2, 3), random(1, 4, 3), random(1, 4, 4)], hidden_size=4)),
    ("g_idx, are not supported", block(more=[Known(np.zeros(32, np.int32))])),
    ("weights of uint8 with 3 bits", block(bits=3, input1=Known(np.zeros((8, 2, 6), np.uint8)))),
    ("64 bytes and 16 scales for 8 rows", block(input1=Known(np.zeros((8, 1, 8), np.uint8)))),
    ("the weights, is computed at run time", block(input1=np.zeros((8, 2, 8), np.uint8))),
    ("a zero point is no integer", block(input3=Known(np.full((8, 2), 0.5, np.float32)))),
    ("K=0, N=8 and block_size=16", block(K=0)),
    (r"indices of shape \[2, 3\] with batch_dims 0", one_op("GatherND", [random(4, 5), np.zeros((2, 3), np.int64)])),
    ("an index is outside", one_op("GatherND", [random(4, 5), Known(np.int64([[4]]))])),
    ("an index is outside", one_op("GatherND", [random(4, 5), Known(np.int64([[0, 5]]))])),  # flat, it is inside
    ("an index is outside", one_op("GatherND", [random(4, 5), Known(np.int64([[1, -6]]))])),
    ("LRN over 0 features", one_op("LRN", [random(1, 2, 3, 3)], size=0)),
    (
        "a zero point of small floats",
        one_op("DequantizeLinear", [Known(np.zeros(4, FLOAT8)), Known(np.float32(1)), Known(np.ones((), FLOAT8))]),
    ),
]


@pytest.mark.parametrize(("message", "case"), REFUSED, ids=[message for message, _ in REFUSED])
def test_refusals_say_what_was_found(message: str, case: Case) -> None:
    with pytest.raises(ConversionError, match=message):
        imported(case)


def test_tosa_text_with_an_empty_shape_is_read_again() -> None:
    row = indexing.ONNX["GatherND one Known"]
    module = parse_module(convert(load(row.case.model), Format.TOSA).text)
    np.testing.assert_array_equal(evaluate(module, list(row.case.feeds.values())), theirs(row.case))


def test_softplus_of_large_sums_is_finite() -> None:
    """The composite's formula does not overflow; onnxruntime's layer gives infinity from 89 on."""
    inputs = [
        np.full((1, 1, 1), 200, np.float32),
        Known(np.ones((1, 1, 1), np.float32)),
        Known(np.zeros((1, 1, 1), np.float32)),
    ]
    case = one_op("RNN", inputs, outputs=2, hidden_size=1, activations=["Softplus"], opset=17)
    found, _ = evaluate(imported(case), list(case.feeds.values()))
    assert found.item() == 200
