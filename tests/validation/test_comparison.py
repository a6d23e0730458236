"""``qconvert.compare``: two models of any formats, matched layer by layer; planted differences are named."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

import qconvert
from qconvert import ComparisonSettings, Format, Limits, Oracle
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import UsageError
from qconvert.validation import Report
from qconvert.validation.comparison.alignment import Blocks
from qconvert.validation.figures.report import Matched
from tests.support.by_values import compared
from tests.support.paths import FIXTURES, IMAGES, MLP, ROOT, SHARED_MODELS
from tests.support.planted import planted

CNN = FIXTURES / "digits_cnn_int8.onnx"
FLOAT = FIXTURES / "float" / "digits_cnn.onnx"
FEW = ComparisonSettings(samples=2, by_values=True)


def converted(source: Path, path: Path, to: Format, options: qconvert.WriteOptions | None = None) -> Path:
    qconvert.save(qconvert.convert(qconvert.load(source), to, options), path)
    return path


def optimised(source: Path, path: Path, level: str = "BASIC") -> Path:
    """Write a model as onnxruntime's optimiser leaves it (level BASIC, whose integers are the same)."""
    options = ort.SessionOptions()
    options.log_severity_level = 3  # a file of level ALL is for this machine alone, and is told to be
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, f"ORT_ENABLE_{level}")
    options.optimized_model_filepath = str(path)
    ort.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
    return path


def first(report: Report) -> str | None:
    return None if report.first_difference is None else report.first_difference.node


def test_a_model_equals_itself() -> None:
    found = compared(MLP, MLP, settings=FEW)
    assert found.passed
    assert found.first_difference is None
    assert {value.matched for value in found.values} == {Matched.NAME}
    assert found.unmatched == ((), ())


@pytest.mark.parametrize("node", ["conv_1", "conv_3", "gemm_1"])
def test_a_planted_difference_is_named(tmp_path: Path, node: str) -> None:
    found = compared(CNN, planted(CNN, node, tmp_path / "planted.onnx"), settings=FEW)
    assert not found.passed
    assert first(found) == node
    assert f"layer '{node}'" in found.failures[-1]


@pytest.mark.parametrize("node", ["conv_2", "conv_4"])
def test_before_and_after_the_optimiser(tmp_path: Path, node: str) -> None:
    after = optimised(CNN, tmp_path / "optimised.onnx")
    assert compared(CNN, after, settings=FEW).passed
    bad = compared(CNN, planted(after, node, tmp_path / "planted.onnx"), settings=FEW)
    assert first(bad) == node


def test_fused_activations_have_the_names_of_their_results(tmp_path: Path) -> None:
    """Level EXTENDED makes one node of a convolution and its activation; the convolution's own result is gone."""
    after = optimised(FLOAT, tmp_path / "optimised.onnx", "EXTENDED")
    found = compared(FLOAT, after, settings=FEW)
    assert found.passed
    assert {place.node for place in found.unmatched[0]} == {"conv_1", "conv_2", "conv_4"}
    assert found.unmatched[1] == ()
    bad = compared(FLOAT, planted(after, "conv_4", tmp_path / "planted.onnx"), settings=FEW)
    assert first(bad) == "relu_3"


def test_channels_in_blocks(tmp_path: Path) -> None:
    """Level ALL keeps images in blocks of channels, and a node of a convolution computes the addition behind it."""
    after = optimised(FLOAT, tmp_path / "optimised.onnx", "ALL")
    if not any(node.name == "conv_3_nchwc" for node in onnx.load(after).graph.node):
        pytest.skip("onnxruntime has no blocks of channels on this processor")
    found = compared(FLOAT, after, settings=FEW)
    pairs = {value.node: value.second.node for value in found.values if value.matched is Matched.FUSED}
    assert found.passed
    assert pairs == {
        "relu_1": "relu_1_nchwc",
        "clip_1": "clip_1_nchwc",
        "relu_2": "conv_3_nchwc",
        "averagepool_1": "averagepool_1_nchwc",
        "relu_3": "relu_3_nchwc",
    }
    again = compared(after, FLOAT, settings=FEW)
    assert {value.second.node: value.node for value in again.values if value.matched is Matched.FUSED} == pairs
    bad = compared(FLOAT, planted(after, "conv_3_nchwc", tmp_path / "planted.onnx"), settings=FEW)
    assert first(bad) == "relu_2"


def test_blocks_that_are_padded(tmp_path: Path) -> None:
    """24 channels fill one and a half blocks of 16; a level ALL of blocks of 8 needs no padding."""
    draw = np.random.default_rng(0)
    shapes = {"a": (24, 3, 3, 3), "b": (24, 24, 3, 3)}
    held = [onnx.numpy_helper.from_array(draw.normal(size=shape).astype("f4"), n) for n, shape in shapes.items()]
    nodes = [
        helper.make_node("Conv", ["x", "a"], ["c"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("Sigmoid", ["c"], ["s"], "sigmoid"),
        helper.make_node("Conv", ["s", "b"], ["y"], "last", pads=[1, 1, 1, 1]),
    ]
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, c, 6, 6]) for n, c in (("x", 3), ("y", 24))]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, tmp_path / "a.onnx")
    after = optimised(tmp_path / "a.onnx", tmp_path / "b.onnx", "ALL")
    for pair in ((tmp_path / "a.onnx", after), (after, tmp_path / "a.onnx")):
        found = compared(*pair, settings=FEW)
        assert found.passed
        [layer] = [each for each in found.values if "s" in (each.tensor, each.second.tensor)]
        assert (layer.elements, layer.differs) == (2 * 24 * 36, False)


@pytest.mark.parametrize(("size", "channels"), [(4, 8), (8, 20), (16, 3)])
def test_blocks_hold_what_they_were_given(size: int, channels: int) -> None:
    blocks, array = Blocks(size, channels), np.arange(2 * channels * 15).reshape(2, channels, 3, 5)
    held = blocks.held(array)
    assert held.shape == (2, -(-channels // size) * size, 3, 5)
    assert held.reshape(2, -1, 3, 5, size)[1, 0, 2, 3, 1] == array[1, 1, 2, 3]
    assert np.array_equal(blocks.plain(held), array)


def test_qdq_and_qoperator(tmp_path: Path) -> None:
    qdq, qoperator = (
        SHARED_MODELS / "zoo" / f"{name}.onnx" for name in ("digits_cnn__u8s8_pc", "digits_cnn__qop_u8s8_pc")
    )
    if not qoperator.exists():
        pytest.skip(f"{qoperator} is not there")
    same = compared(qdq, qoperator, settings=FEW)
    assert same.passed
    assert Matched.QUANTIZATION in {value.matched for value in same.values}
    other = planted(qoperator, "/body/body.3/Conv_quant", tmp_path / "planted.onnx")
    assert first(compared(qdq, other, settings=FEW)) == "/body/body.3/Conv"


def test_the_cost_of_quantization() -> None:
    images = {"image": read_arrays(IMAGES)["image"][:4]}
    found = compared(FLOAT, CNN, inputs=images, settings=FEW)
    assert found.passed
    assert all(value.sqnr_db is None or value.sqnr_db > 0 for value in found.values)
    assert found.higher_precision


def test_a_layer_that_is_quantized_badly_is_named(tmp_path: Path) -> None:
    images = {"image": read_arrays(IMAGES)["image"][:4]}
    found = compared(FLOAT, planted(CNN, "conv_3", tmp_path / "planted.onnx"), inputs=images, settings=FEW)
    assert found.higher_precision[0] == "conv_3"


@pytest.mark.parametrize("to", [Format.STABLEHLO, Format.TOSA])
def test_mlir_is_computed_by_the_interpreter(tmp_path: Path, to: Format) -> None:
    text = converted(MLP, tmp_path / "mlp.mlir", to)
    found = compared(MLP, text, settings=FEW)
    assert len(found.values) >= 3
    assert found.engine.name == "reference"
    assert all(value.max_lsb is None or value.max_lsb <= 1 for value in found.values)


def test_labels_give_the_accuracy_of_both(tmp_path: Path) -> None:
    arrays = read_arrays(IMAGES)
    images, labels = {"image": arrays["image"][:40]}, arrays["label"][:40]
    found = qconvert.compare(CNN, planted(CNN, "gemm_1", tmp_path / "bad.onnx"), inputs=images, labels=labels)
    assert found.accuracy is not None
    assert found.accuracy.samples == 40
    assert found.accuracy.first > found.accuracy.second
    assert "of 40 labelled samples" in str(found)
    with pytest.raises(UsageError, match=r"there are 39 labels of type .* for 40 samples"):
        qconvert.compare(CNN, CNN, inputs=images, labels=labels[:39])
    with pytest.raises(UsageError, match="labels belong to given samples"):
        qconvert.compare(CNN, CNN, labels=labels)


def test_values_that_only_their_numbers_match(tmp_path: Path) -> None:
    model = onnx.load(FLOAT)
    names = {name: f"t{i}" for i, node in enumerate(model.graph.node[:-1]) for name in node.output}
    for i, node in enumerate(model.graph.node):
        node.name = f"n{i}"
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    onnx.save(model, tmp_path / "renamed.onnx")
    found = compared(FLOAT, tmp_path / "renamed.onnx", settings=FEW)
    assert found.unmatched == ((), ())
    assert Matched.EQUAL in {value.matched for value in found.values}
    # a value in another layout, as an optimiser leaves it, is found by its numbers, too
    assert found.passed


def test_other_layouts_are_found(tmp_path: Path) -> None:
    found = compared(_channels_first(tmp_path / "a.onnx"), _channels_last(tmp_path / "b.onnx"), settings=FEW)
    assert found.passed
    assert ("tanh", "moved") in {(value.node, value.second.node) for value in found.values}
    assert tuple(map(len, found.unmatched)) == (0, 2)  # the second model has two values in both layouts


def _graph(nodes: list[onnx.NodeProto], path: Path) -> Path:
    port = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3, 4, 4]) for name in ("x", "y")]
    model = helper.make_model(
        helper.make_graph(nodes, "g", port[:1], port[1:]), opset_imports=[helper.make_opsetid("", 17)]
    )
    model.ir_version = 8
    onnx.save(model, path)
    return path


def _channels_first(path: Path) -> Path:
    return _graph([helper.make_node("Tanh", ["x"], ["t"], "tanh"), helper.make_node("Neg", ["t"], ["y"], "neg")], path)


def _channels_last(path: Path) -> Path:
    nodes = [
        helper.make_node("Transpose", ["x"], ["m"], "to_last", perm=[0, 2, 3, 1]),
        helper.make_node("Tanh", ["m"], ["n"], "moved"),
        helper.make_node("Neg", ["n"], ["o"], "minus"),
        helper.make_node("Transpose", ["o"], ["y"], "to_first", perm=[0, 3, 1, 2]),
    ]
    return _graph(nodes, path)


def test_models_with_other_inputs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"input 'image' of .* has the shape \[1, 1, 8, 8\].*--dim"):
        compared(MLP, _channels_first(tmp_path / "a.onnx"), settings=FEW)
    two = onnx.load(tmp_path / "a.onnx")
    two.graph.input.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, [1]))
    onnx.save(two, tmp_path / "two.onnx")
    with pytest.raises(UsageError, match=r"has 1 input \('x' .*, .* has 2 inputs .*Cut one model"):
        compared(tmp_path / "a.onnx", tmp_path / "two.onnx", settings=FEW)


def test_every_output_is_compared_or_the_models_are_refused(tmp_path: Path) -> None:
    one = _channels_first(tmp_path / "a.onnx")
    more = onnx.load(one)
    more.graph.output.append(helper.make_tensor_value_info("t", TensorProto.FLOAT, [1, 3, 4, 4]))
    onnx.save(more, tmp_path / "more.onnx")
    for pair in ((one, tmp_path / "more.onnx"), (tmp_path / "more.onnx", one)):
        with pytest.raises(UsageError, match=r"has \d outputs? \('y' .*all are compared.*--outputs"):
            compared(*pair, settings=FEW)


def test_outputs_of_other_names_are_paired_in_order(tmp_path: Path) -> None:
    one = _channels_first(tmp_path / "a.onnx")
    renamed = _graph(
        [helper.make_node("Tanh", ["x"], ["t"], "tanh"), helper.make_node("Abs", ["t"], ["y"], "abs")],
        tmp_path / "b.onnx",
    )
    for path, name in ((one, "first"), (renamed, "second")):
        model = onnx.load(path)
        model.graph.output.append(helper.make_tensor_value_info("t", TensorProto.FLOAT, [1, 3, 4, 4]))
        model.graph.output[0].name = model.graph.node[1].output[0] = name
        onnx.save(model, path)
    found = compared(one, renamed, settings=FEW)
    assert not found.passed
    assert [output.exact == 1 for output in found.outputs] == [False, True]


def test_outputs_of_other_shapes_are_refused(tmp_path: Path) -> None:
    one = _channels_first(tmp_path / "a.onnx")
    flat = onnx.load(one)
    flat.graph.node.append(helper.make_node("Flatten", ["y"], ["z"], "flatten"))
    flat.graph.output[0].CopyFrom(helper.make_tensor_value_info("z", TensorProto.FLOAT, [1, 48]))
    onnx.save(flat, tmp_path / "flat.onnx")
    with pytest.raises(UsageError, match=r"output 'y' of .* has the shape \[1, 3, 4, 4\], output 'z'"):
        qconvert.compare(one, tmp_path / "flat.onnx")


def test_an_oracle_of_another_format_is_refused() -> None:
    with pytest.raises(UsageError, match=r"litert does not run .*, which is onnx: choose onnxruntime or interpreter"):
        qconvert.compare(MLP, MLP, settings=ComparisonSettings(reference=Oracle.LITERT))


def test_given_inputs_decide_the_samples() -> None:
    images = {"image": np.zeros((3, 1, 8, 8), np.float32)}
    found = qconvert.compare(MLP, MLP, inputs=images)
    assert (found.samples, found.seed) == (3, None)


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {*value, *(key for part in value.values() for key in _keys(part))}
    return {key for part in value for key in _keys(part)} if isinstance(value, list) else set()


def test_every_key_of_the_json_is_documented(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "validation-json.md").read_text()
    documented = {key for quoted in re.findall(r"`([^`]*)`", page) for key in re.findall(r"[a-z_0-9]+", quoted)}
    arrays = read_arrays(IMAGES)
    images, labels = {"image": arrays["image"][:4]}, arrays["label"][:4]
    settings = ComparisonSettings(details=True, limits=Limits(max_lsb=300))
    found = qconvert.compare(FLOAT, CNN, inputs=images, labels=labels, settings=settings)
    keys = _keys(json.loads(found.json()))
    assert keys <= documented
    assert {"lasting_db", "unmatched", "higher_precision", "accuracy", "max_lsb"} <= keys
    assert "details" not in keys
    assert all(f"`{by}`" in page for by in Matched)


def test_integers_without_scales_are_no_float_original(tmp_path: Path) -> None:
    """TOSA states no scales; its network is judged, and a StableHLO file of other weights fails."""
    tosa = converted(MLP, tmp_path / "mlp.tosa.mlir", Format.TOSA)
    same = converted(MLP, tmp_path / "mlp.mlir", Format.STABLEHLO)
    assert compared(tosa, same, settings=FEW).passed
    other = converted(planted(MLP, "gemm_1", tmp_path / "other.onnx"), tmp_path / "other.mlir", Format.STABLEHLO)
    for pair in ((tosa, other), (other, tosa)):
        report = compared(*pair, settings=FEW)
        assert not report.passed
        assert not report.is_cost
