"""The best class is compared where an output tells classes, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from qconvert import Format, convert, load, save, validate
from qconvert.support.errors import UsageError
from qconvert.validation import Settings
from qconvert.validation.comparison import ComparisonSettings, compare
from qconvert.validation.sampling.classes import Classes, class_outputs, votes
from tests.support.paths import FIXTURES

Array = NDArray[Any]
FLOAT = TensorProto.FLOAT
RNG = np.random.default_rng(0)
WEIGHTS: dict[str, Array] = {
    "w": RNG.normal(size=(6, 5)).astype(np.float32),
    "t": RNG.normal(size=(5, 6)).astype(np.float32),
    "column": RNG.normal(size=(6, 1)).astype(np.float32),
    "b": RNG.normal(size=5).astype(np.float32),
    "kernel": RNG.normal(size=(5, 6, 1, 1)).astype(np.float32),
    "one": np.ones((1, 5), np.float32),
    "scale": np.array(0.05, np.float32),
    "zero": np.array(0, np.int8),
    "flat": np.array([1, 5]),
    "line": np.array([1, 8]),
}


def node(op: str, inputs: str, output: str, **attributes: Any) -> NodeProto:
    return helper.make_node(op, inputs.split(), [output], name=f"n_{output}", **attributes)


def built(nodes: Sequence[NodeProto], sizes: Sequence[int], element: int = FLOAT) -> ModelProto:
    """Return a model of one input ``x`` and one output ``y``."""
    ports = helper.make_tensor_value_info("x", FLOAT, sizes), helper.make_tensor_value_info("y", element, None)
    used = {name for each in nodes for name in each.input}
    tensors = [numpy_helper.from_array(array, name) for name, array in WEIGHTS.items() if name in used]
    graph = helper.make_graph(list(nodes), "g", [ports[0]], [ports[1]], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


QDQ = [node("QuantizeLinear", "g scale zero", "q"), node("DequantizeLinear", "q scale zero", "y")]
SCORES, INDICES = {"y": Classes.SCORES}, {"y": Classes.INDICES}


@pytest.mark.parametrize(
    ("nodes", "sizes", "found"),
    [
        ([node("Softmax", "x", "y")], [1, 5], SCORES),
        ([node("LogSoftmax", "x", "s"), node("Reshape", "s flat", "y")], [1, 5, 1, 1], {}),
        ([node("LogSoftmax", "x", "s", axis=1), node("Reshape", "s flat", "y")], [1, 5, 1, 1], SCORES),
        ([node("Gemm", "x w b", "y")], [1, 6], SCORES),
        ([node("MatMul", "x w", "g"), *QDQ], [1, 6], SCORES),
        ([node("MatMul", "x w", "m"), node("Add", "m b", "y")], [1, 6], SCORES),
        ([node("MatMul", "t x", "y")], [6, 1], SCORES),
        ([node("Conv", "x kernel", "c"), node("Reshape", "c flat", "y")], [1, 6, 1, 1], SCORES),
        ([node("ArgMax", "x", "y", axis=1)], [1, 5], INDICES),
        ([node("ArgMax", "x", "y", axis=1, keepdims=0)], [1, 5], INDICES),
    ],
)
def test_outputs_that_tell_classes(nodes: list[NodeProto], sizes: list[int], found: dict[str, Classes]) -> None:
    element = TensorProto.INT64 if found == INDICES else FLOAT
    assert class_outputs(load(built(nodes, sizes, element))) == found


@pytest.mark.parametrize(
    ("nodes", "sizes"),
    [
        ([node("Identity", "x", "y")], [1, 5]),
        ([node("Sigmoid", "x", "y")], [1, 5]),
        ([node("MatMul", "x column", "y")], [1, 8, 6]),
        ([node("MatMul", "x column", "s"), node("Reshape", "s line", "y")], [1, 8, 6]),
        ([node("MatMul", "x w", "y")], [1, 8, 6]),
        ([node("Gemm", "x w b", "g"), node("Relu", "g", "y")], [1, 6]),
        ([node("Conv", "x kernel", "y")], [1, 6, 4, 4]),
        ([node("Softmax", "x", "y", axis=1)], [1, 5, 4, 4]),
        ([node("Softmax", "x", "y")], [3, 5]),
        ([node("GlobalAveragePool", "x", "y")], [1, 5, 4, 4]),
        ([node("Gemm", "x x", "y", transB=1)], [1, 6]),
    ],
    ids=[
        *("an input", "a sigmoid", "scores of places", "scores of places in a row", "vectors of places"),
        *("an activation", "a map", "a map of classes", "a batch", "an average", "no weights"),
    ],
)
def test_what_tells_no_classes(nodes: list[NodeProto], sizes: list[int]) -> None:
    assert class_outputs(load(built(nodes, sizes))) == {}


def test_an_index_of_each_place_is_no_class_of_the_sample() -> None:
    nodes = [node("ArgMax", "x", "y", axis=1)]
    assert class_outputs(load(built(nodes, [1, 5, 4, 4], TensorProto.INT64))) == {}
    assert class_outputs(load(built(nodes, [1, 5, 4, 4], TensorProto.INT64)), ["y"]) == INDICES


def test_a_decomposed_softmax_is_one() -> None:
    text = """func.func @main(%x: tensor<1x5xf32>) -> tensor<1x5xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<1x5xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1]
      : (tensor<1x5xf32>, tensor<f32>) -> tensor<1xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<1xf32>) -> tensor<1x5xf32>
  %d = stablehlo.divide %e, %b : tensor<1x5xf32>
  return %d : tensor<1x5xf32>
}"""
    model = load(text.encode())
    assert list(class_outputs(model).values()) == [Classes.SCORES]
    assert class_outputs(load(text.replace("divide %e, %b", "divide %b, %e").encode())) == {}


@pytest.mark.parametrize("file", ["digits_cnn_int8.onnx", "float/digits_cnn.onnx"])
def test_a_classifier_tells_classes(file: str) -> None:
    model = load(FIXTURES / file)
    assert class_outputs(model) == {model.output_names[0]: Classes.SCORES}


def test_votes_are_of_vectors_and_of_indices() -> None:
    scores = np.array([[0, 2, 0], [3, 0, 0]], np.float32)
    other = scores[::-1].copy()
    assert votes(scores, other, 0.5, Classes.SCORES) == [(False, True), (False, True)]
    assert votes(scores.reshape(2, 3, 1, 1), scores.reshape(2, 3, 1, 1), 0.5, Classes.SCORES) == [(True, False)] * 2
    indices = np.array([4, 7])
    assert votes(indices, np.array([4, 8]), 1.0, Classes.INDICES) == [(True, False), (False, False)]
    with pytest.raises(UsageError, match=r"an output of shape \[1, 1\] has no scores of several classes"):
        votes(np.ones((1, 1)), np.ones((1, 1)), 1.0, Classes.SCORES)


def detector() -> ModelProto:
    """Return the scores of 8 places, in a row."""
    return built([node("MatMul", "x column", "s"), node("Reshape", "s line", "y")], [1, 8, 6])


def test_scores_of_a_detector_have_no_top1_unless_it_is_asked_for() -> None:
    model = load(detector())
    for to in (Format.STABLEHLO, Format.ONNX):
        settings = Settings(to, samples=2)
        assert validate(model, settings=settings).outputs[0].top1 is None
    assert validate(model, settings=Settings(samples=2, classes=("y",))).outputs[0].top1 == 1.0
    assert compare(model, model, settings=ComparisonSettings(samples=2)).outputs[0].top1 is None
    assert compare(model, model, settings=ComparisonSettings(samples=2, classes=("y",))).outputs[0].top1 == 1.0


def test_classes_of_no_output_are_refused() -> None:
    model = load(detector())
    with pytest.raises(UsageError, match=r"there is no output 'z' with classes: the outputs are y"):
        validate(model, settings=Settings(samples=1, classes=("z",)))
    with pytest.raises(UsageError, match=r"there is no output 'z' with classes: the outputs are y"):
        compare(model, model, settings=ComparisonSettings(samples=1, classes=("z",)))


def test_classes_are_known_in_every_format(tmp_path: Path) -> None:
    """TOSA states a matrix product as a convolution, and a softmax as its parts: the other model tells."""
    source = load(built([node("Gemm", "x w b", "g"), node("Softmax", "g", "y")], [1, 6]))
    file = tmp_path / "y.tosa.mlir"
    save(convert(source, Format.TOSA), file)
    for pair in ((source, load(file)), (load(file), source)):
        assert compare(*pair, settings=ComparisonSettings(samples=2)).outputs[0].top1 == 1.0


def test_ops_that_cannot_be_imported_are_told(tmp_path: Path) -> None:
    file = tmp_path / "det.onnx"
    file.write_bytes(built([node("Det", "x", "y")], [1, 5, 5]).SerializeToString())
    report = compare(file, file, settings=ComparisonSettings(samples=1))
    assert report.outputs[0].top1 is None
    assert any(line.startswith("neither model's ops can be imported (qconvert inspect") for line in report.notes)


def labelled(count: int) -> tuple[dict[str, Array], Array]:
    """Return samples, and labels of which the source gets one wrong."""
    inputs = {"x": RNG.normal(size=(count, 1, 6)).astype(np.float32)}
    labels = (inputs["x"][:, 0] @ WEIGHTS["w"] + WEIGHTS["b"]).argmax(axis=1)
    labels[0] = (labels[0] + 1) % 5
    return inputs, labels


@pytest.mark.parametrize("last", ["scores", "indices"])
def test_labels_give_the_accuracy_of_a_conversion(last: str) -> None:
    nodes = [node("Gemm", "x w b", "y")]
    if last == "indices":
        nodes = [node("Gemm", "x w b", "g"), node("ArgMax", "g", "y", axis=1)]
    model = load(built(nodes, [1, 6], FLOAT if last == "scores" else TensorProto.INT64))
    inputs, labels = labelled(8)
    report = validate(model, inputs=inputs, labels=labels)
    assert report.accuracy is not None
    assert (report.accuracy.samples, report.accuracy.first, report.accuracy.second) == (8, 7, 7)
    assert "accuracy: 87.50% of 8 labelled samples, 87.50% in the source" in report.notes
    assert report.outputs[0].top1 == 1.0
    assert compare(model, model, inputs=inputs, labels=labels).accuracy == report.accuracy


def test_labels_of_a_part_of_the_samples() -> None:
    inputs, labels = labelled(8)
    report = validate(
        load(built([node("Gemm", "x w b", "y")], [1, 6])),
        inputs=inputs,
        labels=labels,
        settings=Settings(part=range(1, 8)),
    )
    assert report.accuracy is not None
    assert (report.accuracy.samples, report.accuracy.first) == (7, 7)


def test_labels_need_samples_and_one_output() -> None:
    model = load(built([node("Gemm", "x w b", "y")], [1, 6]))
    inputs, labels = labelled(4)
    with pytest.raises(UsageError, match="labels belong to given samples"):
        validate(model, labels=labels)
    with pytest.raises(UsageError, match=r"there are 3 labels of type int64 for 4 samples"):
        validate(model, inputs=inputs, labels=labels[:3])
