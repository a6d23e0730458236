"""Cutting an ONNX model at tensors: the parts compute what the whole does."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert import ConversionError, Model, UsageError, load, run
from qconvert.support.arrays import read_arrays
from tests.support.paths import FIXTURES

CNN = FIXTURES / "digits_cnn_int8.onnx"
IMAGE = read_arrays(FIXTURES / "digits_test.npz")["image"][:1]


def part(inputs: str = "", outputs: str = "") -> Model:
    return load(CNN, inputs=inputs.split(), outputs=outputs.split())


@pytest.mark.quick(1)
@pytest.mark.parametrize("tensor", ["relu_1_QuantizeLinear_Output", "relu_1_DequantizeLinear_Output", "flatten_1"])
def test_two_parts_make_the_whole(tensor: str) -> None:
    first, second = part(outputs=tensor), part(inputs=tensor)
    assert (first.input_names, first.output_names) == (("image",), (tensor,))
    assert (second.input_names, second.output_names) == ((tensor,), ("logits",))
    inner = run(first, {"image": IMAGE})
    np.testing.assert_array_equal(run(second, inner)["logits"], run(load(CNN), {"image": IMAGE})["logits"])


def test_a_piece_from_the_middle() -> None:
    piece = part("clip_1_DequantizeLinear_Output relu_1_DequantizeLinear_Output", "add_1_QuantizeLinear_Output")
    assert piece.input_names == (
        "clip_1_DequantizeLinear_Output",
        "relu_1_DequantizeLinear_Output",
    )  # as they are named
    before = part(outputs=" ".join(piece.input_names))
    expected = run(part(outputs="add_1_QuantizeLinear_Output"), {"image": IMAGE})
    found = run(piece, run(before, {"image": IMAGE}))
    np.testing.assert_array_equal(found["add_1_QuantizeLinear_Output"], expected["add_1_QuantizeLinear_Output"])


def test_inputs_and_outputs_may_be_the_models_own() -> None:
    assert part("image", "logits").input_names == ("image",)
    assert part(outputs="logits add_1").output_names == ("logits", "add_1")


def test_an_input_that_is_needed_beside_the_cut() -> None:
    with pytest.raises(ConversionError, match=r"the outputs need input 'image' too\. Name it in the inputs of the cut"):
        part("clip_1", "add_1")


@pytest.mark.parametrize("kind", ["input", "output"])
def test_a_tensor_that_is_none(kind: str) -> None:
    with pytest.raises(
        ConversionError, match=rf"no node computes {kind} 'nothing'\. Name tensors that the model computes"
    ):
        load(CNN, **{f"{kind}s": ["nothing"]})


def test_only_graphs_are_cut() -> None:
    text = b"func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> { return %a : tensor<1xf32> }"
    with pytest.raises((ConversionError, UsageError), match="cuts can be given for ONNX and TFLite models only"):
        load(text, outputs=["a"])
