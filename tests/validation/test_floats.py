"""Validations of models in floats, and of models whose layers cannot be compared alone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from onnx import FunctionProto, NodeProto, TensorProto, helper

from qconvert import Format, load, validate
from qconvert.validation import Limits, Settings
from qconvert.validation.rendering.page.content import Mismatch
from qconvert.validation.rendering.page.validated import content
from tests.support.onnx_cases import Quantization, Quantized, one_op, random
from tests.support.paths import FIXTURES
from tests.validation.test_report import NUMBER, TEXT, form
from tests.validation.test_validate import CNN, FEW, saved

pytestmark = pytest.mark.slow  # onnxruntime starts in a process for most of them

FLOAT = {
    "node": TEXT,
    "op": TEXT,
    "tensor": TEXT,
    "exact": NUMBER,
    "max_abs": NUMBER,
    "max_rel": NUMBER,
    "elements": "integer",
    "differs": "boolean",
    "cause": {"pattern": TEXT, "sentence": TEXT, "differing": "integer", "channels": [], "amount": "null"},
    **dict.fromkeys(("second", "matched", "correlation", "max_lsb", "sqnr_db", "lasting_db"), "null"),
}


@pytest.mark.row("U23")
def test_floats_are_compared_node_by_node() -> None:
    report = validate(FIXTURES / "float" / "digits_cnn.onnx", inputs=FEW, settings=Settings(details=True))
    assert report.layers == ()
    [note] = report.notes
    assert note == (
        "no layer can be compared in isolation, because activations are floats. "
        "The floats of each node are compared instead, computed inside the file from the reference's"
    )
    assert [node.op for node in report.values][:2] == ["Conv", "Relu"]
    assert max(node.max_rel for node in report.values) < 1e-5
    assert form(json.loads(report.json())["values"]) == [FLOAT]
    assert f"worst of {len(report.values)} nodes" in str(report)
    drawing = content(report).drawing
    assert drawing is not None
    assert {node.style for node in drawing.nodes} <= {Mismatch.EQUAL, Mismatch.WITHIN}
    assert all(node["facts"] for node in drawing.data)


@pytest.mark.parametrize("target", [Format.STABLEHLO, Format.ONNX])
@pytest.mark.row("U23")
def test_dynamic_quantization_is_compared_in_floats(tmp_path: Path, target: Format) -> None:
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"], name="dynamic"),
        helper.make_node("MatMulInteger", ["q", "w", "z"], ["m"], name="matmul"),
        helper.make_node("Cast", ["m"], ["c"], name="cast", to=TensorProto.FLOAT),
        helper.make_node("Mul", ["c", "s"], ["y"], name="scale"),
    ]
    weights = helper.make_tensor("w", TensorProto.INT8, [4, 2], bytes(range(8)), raw=True)
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", [3, 4]), ("y", [3, 2]))
    ]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], [weights])
    content = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    (tmp_path / "dynamic.onnx").write_bytes(content)
    report = validate(tmp_path / "dynamic.onnx", settings=Settings(to=target, samples=2))
    assert report.passed, report.failures
    assert "quantized at run time, with other parameters for each input" in report.notes[0]
    assert [(node.node, node.tensor, node.exact) for node in report.values] == [("cast", "c", 1.0), ("scale", "y", 1.0)]


def one_file(path: Path, nodes: list[NodeProto], element: int, functions: Sequence[FunctionProto] = ()) -> Path:
    """Write a model from ``x`` to ``y``, both of two elements."""
    ports = [helper.make_tensor_value_info(name, element, [2]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:])
    opsets = [helper.make_opsetid(domain, version) for domain, version in (("", 17), ("own", 1))]
    model = helper.make_model(graph, functions=functions, opset_imports=opsets, ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def test_a_model_of_integers_has_a_note_that_is_true(tmp_path: Path) -> None:
    file = one_file(tmp_path / "add.onnx", [helper.make_node("Add", ["x", "x"], ["y"])], TensorProto.INT32)
    report = validate(file, settings=Settings(samples=2))
    assert (report.passed, report.layers, report.values) == (True, (), ())
    assert report.notes == (
        "input 'x' is random: 0 to 127, because no op tells its values. --inputs gives other values",
        "no layer can be compared in isolation, because no activation is quantized",
    )
    assert "family" not in str(report) + report._repr_html_().partition("</style>")[2]


def quantized_relu(source: str, result: str) -> list[NodeProto]:
    """Return the nodes of one layer."""
    names = [source, *(f"{result}_{part}" for part in ("q", "dq", "relu", "end")), result]
    operators = ("QuantizeLinear", "DequantizeLinear", "Relu", "QuantizeLinear", "DequantizeLinear")
    return [
        helper.make_node(operator, [names[i]] if operator == "Relu" else [names[i], "s", "z"], [names[i + 1]])
        for i, operator in enumerate(operators)
    ]


@pytest.mark.parametrize(
    ("before", "note"),
    [
        (["h"], "1 layer not compared: the reference does not have the tensors by name"),
        ([], "no layer can be compared in isolation, because the reference does not have their tensors by name"),
    ],
)
def test_layers_in_functions_are_not_compared(tmp_path: Path, before: list[str], note: str) -> None:
    """The reference gives tensors of the main graph only."""
    constants = [
        helper.make_node("Constant", [], ["s"], value_float=0.5),
        helper.make_node("Constant", [], ["z"], value=helper.make_tensor("z", TensorProto.INT8, [], [3])),
    ]
    opsets = [helper.make_opsetid("", 17)]
    function = helper.make_function("own", "Layer", ["a"], ["b"], [*constants, *quantized_relu("a", "b")], opsets)
    call = helper.make_node("Layer", ["h" if before else "x"], ["y"], name="call", domain="own")
    nodes = [*constants, *(node for name in before for node in quantized_relu("x", name)), call]
    file = one_file(tmp_path / "layers.onnx", nodes, TensorProto.FLOAT, [function])
    report = validate(file, settings=Settings(samples=2))
    assert report.passed, report.failures
    assert len(report.layers) == 2 * len(before)
    assert report.notes[0].startswith(note)


def test_a_float_output_has_no_steps() -> None:
    """A convolution's result before it is quantized; its last bits are those of a float32 sum."""
    report = validate(load(CNN, outputs=["conv_1"]), inputs=FEW)
    assert (report.outputs[0].name, report.outputs[0].max_lsb) == ("conv_1", None)
    assert report.outputs[0].max_abs < 1e-5
    assert report.outputs[0].top1 is None


def test_float_models_are_held_to_float_arithmetic(tmp_path: Path) -> None:
    """Weights dequantized, everything else float: no layer says anything, so the outputs do."""
    model = tmp_path / "model.onnx"
    weight = Quantized(np.arange(-4, 4).reshape(4, 2), Quantization(0.5), known=True)
    model.write_bytes(one_op("MatMul", [random(1, 4), weight]).model)
    conversion = saved(model, tmp_path / "model.mlir")
    assert validate(model, conversion).passed
    conversion.write_text(conversion.read_text().replace("i8:f32, 0.5>", "i8:f32, 0.501>"))
    report = validate(model, conversion)
    assert report.layers == ()
    output, layer = report.failures
    assert output == "output 'y0' differs by 0.002 of its largest value, the limit is 0.0001"
    assert re.match(r"layer 'op' \(MatMul\), computed from the reference's floats, differs by 0.002 of its", layer)
    assert "32 elements differ, 1.002 times as large: a scale" in layer
    assert validate(model, conversion, settings=Settings(limits=Limits(max_rel=0.01))).passed
