"""Products of bytes in onnxruntime: as the operators define them, on processors with and without VNNI."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from qconvert.engines import onnxruntime
from qconvert.engines.wire import NOTE, Message
from qconvert.engines.workers import exact_products
from qconvert.engines.workers import onnxruntime as worker

Array = NDArray[Any]
MICROSOFT = "com.microsoft"
LARGE = {np.uint8: 255, np.int8: 127}
ONE, ZERO = np.float32(1), {np.uint8: np.uint8(0), np.int8: np.int8(0)}


def products() -> dict[str, tuple[NodeProto, list[Array], Array]]:
    """Nodes of ``x`` and ``w`` with their inputs, and 16 products of the largest bytes as each of them gives these."""
    made = {}
    for left, right in ((np.uint8, np.int8), (np.int8, np.uint8)):
        x, w = np.full((2, 16), LARGE[left], left), np.full((16, 3), LARGE[right], right)
        image, kernel = x.reshape(2, 16, 1, 1), w.T.reshape(3, 16, 1, 1)
        sums, name = np.full((2, 3), 16 * 255 * 127), f"{left.__name__}-{right.__name__}"
        nodes = {
            "MatMulInteger": ([x, w], sums),
            "ConvInteger": ([image, kernel], sums.reshape(2, 3, 1, 1)),
        }
        if left is np.uint8:  # onnxruntime has no kernel for the other way round
            scales = [np.float32(1 << 13), ZERO[left]]
            scaled = np.rint(sums / (1 << 13)).astype(left)
            given = [image, ONE, ZERO[left], kernel, ONE, ZERO[right], *scales]
            nodes["QLinearConv"] = given, scaled.reshape(2, 3, 1, 1)
            nodes["QLinearMatMul"] = [x, ONE, ZERO[left], w, ONE, ZERO[right], *scales], scaled
            nodes["QGemm"] = [x, ONE, ZERO[left], w, ONE, ZERO[right], None, *scales], scaled
            nodes["MatMulIntegerToFloat"] = [x, w, ONE, ONE], sums
            nodes["DynamicQuantizeMatMul"] = [x.astype(np.float32), w, ONE], sums
        for op, (inputs, expected) in nodes.items():
            domain = "" if op in ("MatMulInteger", "ConvInteger") or op.startswith("QLinear") else MICROSOFT
            names = [f"i{i}" if array is not None else "" for i, array in enumerate(inputs)]
            node = helper.make_node(op, names, ["y"], domain=domain)
            made[f"{op}-{name}"] = node, [array for array in inputs if array is not None], expected
    return made


PRODUCTS = products()


def model(node: NodeProto, inputs: list[Array], *, is_constant: bool) -> ModelProto:
    names = [name for name in node.input if name]
    arrays = dict(zip(names, inputs, strict=True))
    weights = {name: array for name, array in arrays.items() if name != names[0]} if is_constant else {}
    ports = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in arrays.items()
        if name not in weights
    ]
    constants = [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()]
    result = helper.make_empty_tensor_value_info("y")
    graph = helper.make_graph([node], "product", ports, [result], constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


@pytest.mark.quick(1)
@pytest.mark.parametrize("is_constant", [False, True], ids=["computed", "constant"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_the_engine_multiplies_exactly(name: str, is_constant: bool) -> None:
    node, inputs, expected = PRODUCTS[name]
    proto = model(node, inputs, is_constant=is_constant)
    names = [port.name for port in proto.graph.input]
    found = onnxruntime.run(proto.SerializeToString(), dict(zip(names, inputs, strict=False)))["y"]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("name", PRODUCTS)
def test_factors_of_one_sign_have_the_same_products(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_products, "are_exact", lambda: False)
    node, inputs, expected = PRODUCTS[name]
    task = Message({"optimisation": "disabled"}, blob=model(node, inputs, is_constant=False).SerializeToString())
    written = onnx.load_model_from_string(worker._model(task))
    *changes, last = written.graph.node
    assert {change.op_type for change in changes} == {"Constant", "Cast", "Add"}
    assert last.op_type == node.op_type
    session = worker._session(task)
    feeds = {port.name: np.asarray(array) for port, array in zip(session.get_inputs(), inputs, strict=True)}
    np.testing.assert_allclose(session.run(None, feeds)[0], expected, rtol=1e-6)


def test_a_recurrent_network_keeps_its_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of small weights, whose products do not saturate."""
    random = np.random.default_rng(0)
    weights = [random.integers(-64, 64, (1, size, 16)).astype(np.int8) for size in (3, 4)]
    x, scale, zero = (
        random.normal(size=(2, 1, 3)).astype(np.float32),
        np.full(1, 0.01, np.float32),
        np.zeros(1, np.int8),
    )
    names = ["x", "w", "r", "", "", "", "", "", "scale", "zero", "scale", "zero"]
    node = helper.make_node("DynamicQuantizeLSTM", names, ["y"], domain=MICROSOFT, hidden_size=4)
    arrays = {"w": weights[0], "r": weights[1], "scale": scale, "zero": zero}
    constants = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    port = helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)
    graph = helper.make_graph([node], "lstm", [port], [helper.make_empty_tensor_value_info("y")], constants)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid(MICROSOFT, 1)], ir_version=8)
    task = Message({"optimisation": "disabled"}, blob=proto.SerializeToString())
    found = []
    for is_exact in (True, False):
        monkeypatch.setattr(exact_products, "are_exact", lambda is_exact=is_exact: is_exact)
        found.append(worker._session(task).run(None, {"x": x})[0])
    np.testing.assert_array_equal(*found)
    assert np.ptp(found[0]) > 0


def test_optimised_sessions_show_onnxruntime_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_products, "are_exact", lambda: False)
    node, inputs, _ = PRODUCTS["MatMulInteger-uint8-int8"]
    content = model(node, inputs, is_constant=True).SerializeToString()
    assert worker._model(Message({"optimisation": "all"}, blob=content)) == content


def in_function(node: NodeProto, inputs: list[Array]) -> ModelProto:
    """The model of a node inside a function of the model."""
    proto = model(node, inputs, is_constant=False)
    names, opsets = [name for name in node.input if name], list(proto.opset_import)
    proto.functions.append(helper.make_function("local", "Product", names, ["y"], [node], opsets))
    proto.opset_import.append(helper.make_opsetid("local", 1))
    proto.graph.node[0].CopyFrom(helper.make_node("Product", names, ["y"], domain="local"))
    return proto


@pytest.mark.parametrize("name", ["MatMulInteger-uint8-int8", "QGemm-uint8-int8"])
def test_products_inside_functions_are_exact(name: str) -> None:
    node, inputs, expected = PRODUCTS[name]
    proto = in_function(node, inputs)
    names = [port.name for port in proto.graph.input]
    found = onnxruntime.run(proto.SerializeToString(), dict(zip(names, inputs, strict=True)))["y"]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def in_branch(node: NodeProto, inputs: list[Array]) -> ModelProto:
    """The model of a node in both branches of an If."""
    proto = model(node, inputs, is_constant=False)
    port = helper.make_tensor_value_info("y", TensorProto.INT32, None)
    branch = helper.make_graph([node], "branch", [], [port])
    choice = helper.make_node("If", ["condition"], ["y"], then_branch=branch, else_branch=branch)
    proto.graph.node[0].CopyFrom(choice)
    proto.graph.initializer.append(numpy_helper.from_array(np.asarray(True), "condition"))
    return proto


@pytest.mark.parametrize(
    ("is_exact", "level", "note"),
    [(True, "disabled", ""), (True, "all", ""), (False, "disabled", "in branches")],
)
def test_a_note_names_products_that_saturate(
    is_exact: bool, level: str, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_products, "are_exact", lambda: is_exact)
    node, inputs, _ = PRODUCTS["MatMulInteger-uint8-int8"]
    for proto, expected in ((in_branch(node, inputs), note), (model(node, inputs, is_constant=False), "")):
        names = [port.name for port in proto.graph.input]
        sample = dict(zip(names, inputs, strict=True))
        answer = worker.serve(Message({"optimisation": level}, blob=proto.SerializeToString(), samples=(sample,)))
        found = answer.options.get(NOTE, "")
        assert expected in found
        assert bool(found) is bool(expected)
        assert len(found) <= 300
