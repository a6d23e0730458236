"""Model-local functions: what inlining makes of calls, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto, helper

from qconvert.frontends.onnx.functions import inline_functions
from qconvert.frontends.onnx.importer import import_model
from qconvert.interpreter import evaluate
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError
from qconvert.support.limits import allowing

STANDARD = helper.make_opsetid("", 21)
OWN = helper.make_opsetid("own", 1)
X = np.asarray([[-1.5, 0.5], [2.0, -3.0]], np.float32)

node = helper.make_node


def function(
    name: str, inputs: Sequence[str], outputs: Sequence[str], nodes: Sequence[NodeProto], **more: Any
) -> FunctionProto:
    return helper.make_function("own", name, inputs, outputs, nodes, more.pop("opsets", [STANDARD, OWN]), **more)


def model(nodes: Sequence[NodeProto], bodies: Sequence[FunctionProto], outputs: Sequence[str] = ("y",)) -> ModelProto:
    graph = helper.make_graph(
        nodes,
        "calls",
        [helper.make_tensor_value_info("x", 1, X.shape)],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
    )
    return helper.make_model(graph, opset_imports=[STANDARD, OWN], functions=bodies, ir_version=10)


def check(proto: ModelProto) -> None:
    """Our interpreter gives what onnxruntime gives."""
    data = proto.SerializeToString()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    expected = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"]).run(None, {"x": X})
    gives(proto, [np.asarray(array) for array in expected])


def gives(proto: ModelProto, expected: Sequence[np.typing.NDArray[Any]]) -> None:
    """Our interpreter gives these outputs for X."""
    found = evaluate(import_model(Content.of(proto.SerializeToString())).module, [X])
    for array, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(array, wanted)


def inlined(proto: ModelProto) -> list[str]:
    inline_functions(proto)
    return [f"{n.name}: {n.op_type}({', '.join(n.input)}) -> {', '.join(n.output)}" for n in proto.graph.node]


def refused(proto: ModelProto, match: str) -> None:
    with pytest.raises(ConversionError, match=match):
        import_model(Content.of(proto.SerializeToString()))


DOUBLE = function("Double", ["a"], ["b"], [node("Add", ["a", "a"], ["b"])])
TWICE = function(
    "Twice", ["a"], ["b"], [node("Double", ["a"], ["h"], domain="own"), node("Double", ["h"], ["b"], domain="own")]
)


def test_inner_names_stand_under_the_call() -> None:
    body = function("F", ["a"], ["b"], [node("Abs", ["a"], ["h"], "first"), node("Neg", ["h"], ["b"])])
    calls = [node("F", ["x"], ["m"], "call", domain="own"), node("F", ["m"], ["y"], domain="own")]
    assert inlined(model(calls, [body])) == [
        "call/first: Abs(x) -> call/h",
        "call/Neg: Neg(call/h) -> m",
        "F/first: Abs(m) -> F/h",
        "F/Neg: Neg(F/h) -> y",
    ]
    check(model(calls, [body]))


def test_nested_calls() -> None:
    proto = model([node("Twice", ["x"], ["y"], "outer", domain="own")], [DOUBLE, TWICE])
    assert inlined(proto) == [
        "outer/Double/Add: Add(x, x) -> outer/h",
        "outer/Double_1/Add: Add(outer/h, outer/h) -> y",
    ]
    check(model([node("Twice", ["x"], ["y"], "outer", domain="own")], [DOUBLE, TWICE]))


def test_a_name_that_is_taken_gets_a_number() -> None:
    body = function("F", ["a"], ["b"], [node("Abs", ["a"], ["h"]), node("Neg", ["h"], ["b"])])
    calls = [node("Relu", ["x"], ["call/h"]), node("F", ["call/h"], ["y"], "call", domain="own")]
    assert inlined(model(calls, [body]))[1] == "call/Abs: Abs(call/h) -> call/h_1"


def _referring(op_type: str, inputs: Sequence[str], outputs: Sequence[str], **references: tuple[str, int]) -> NodeProto:
    made = node(op_type, inputs, outputs)
    for name, (outer, kind) in references.items():
        made.attribute.append(AttributeProto(name=name, ref_attr_name=outer, type=kind))
    return made


def test_attributes_by_reference() -> None:
    inner = _referring("LeakyRelu", ["a"], ["b"], alpha=("slope", AttributeProto.FLOAT))
    with_default = function("F", ["a"], ["b"], [inner], attribute_protos=[helper.make_attribute("slope", 0.25)])
    without = function("G", ["a"], ["b"], [inner], attributes=["slope"])
    for call in (
        node("F", ["x"], ["y"], domain="own"),
        node("F", ["x"], ["y"], domain="own", slope=0.5),
        node("G", ["x"], ["y"], domain="own", slope=0.125),
    ):
        proto = model([call], [with_default, without])
        inline_functions(proto)
        (only,) = proto.graph.node
        given = [attribute.f for attribute in call.attribute] or [0.25]
        assert [(a.name, a.f, a.ref_attr_name) for a in only.attribute] == [("alpha", given[0], "")]


def test_a_reference_to_an_absent_attribute_leaves_the_operators_default() -> None:
    inner = _referring("Transpose", ["a"], ["b"], perm=("order", AttributeProto.INTS))
    proto = model([node("F", ["x"], ["y"], domain="own")], [function("F", ["a"], ["b"], [inner], attributes=["order"])])
    check(proto)


def test_a_reference_through_two_calls() -> None:
    inner = _referring("Transpose", ["a"], ["b"], perm=("order", AttributeProto.INTS))
    call = _referring("F", ["a"], ["b"], order=("outer", AttributeProto.INTS))
    call.domain = "own"
    bodies = [
        function("F", ["a"], ["b"], [inner], attributes=["order"]),
        function("G", ["a"], ["b"], [call], attributes=["outer"]),
    ]
    check(model([node("G", ["x"], ["y"], domain="own", outer=[0, 1])], bodies))


def test_optional_inputs_and_outputs_may_be_left_out() -> None:
    body = function(
        "F", ["a", "low", "high"], ["b", "c"], [node("Clip", ["a", "low", "high"], ["b"]), node("Abs", ["a"], ["c"])]
    )
    zero = node("Constant", [], ["zero"], value_float=0.0)
    calls = [node("F", ["x", "zero"], ["p"], domain="own"), node("F", ["x", "", "zero"], ["q", "r"], domain="own")]
    calls.append(node("F", ["x"], ["", "s"], domain="own"))
    gives(model([zero, *calls], [body], "pqrs"), [np.maximum(X, 0), np.minimum(X, 0), np.abs(X), np.abs(X)])


def test_outputs_that_are_inputs_or_named_twice() -> None:
    body = function("F", ["a"], ["a", "b", "b"], [node("Abs", ["a"], ["b"])])
    gives(model([node("F", ["x"], ["p", "q", "r"], domain="own")], [body], "pqr"), [X, np.abs(X), np.abs(X)])


def test_overloads() -> None:
    bodies = [
        function("F", ["a"], ["b"], [node("Abs", ["a"], ["b"])], overload="one"),
        function("F", ["a"], ["b"], [node("Neg", ["a"], ["b"])], overload="two"),
    ]
    check(model([node("F", ["x"], ["y"], domain="own", overload="two")], bodies))
    refused(model([node("F", ["x"], ["y"], domain="own")], bodies), "the operator own.F is not supported")


def test_a_domain_that_only_a_function_imports() -> None:
    other = helper.make_opsetid("com.example", 3)
    body = function("F", ["a"], ["b"], [node("Strange", ["a"], ["b"], domain="com.example")], opsets=[STANDARD, other])
    refused(model([node("F", ["x"], ["y"], domain="own")], [body]), "com.example.Strange is not supported in opset 3")


def test_another_opset_is_accepted_where_its_operators_are_the_same() -> None:
    older = [helper.make_opsetid("", 13)]
    same = function("F", ["a"], ["b"], [node("Abs", ["a"], ["b"])], opsets=older)
    check(model([node("F", ["x"], ["y"], domain="own")], [same]))
    changed = function("F", ["a"], ["b"], [node("Reshape", ["a", "a"], ["b"])], opsets=older)
    refused(
        model([node("F", ["x"], ["y"], domain="own")], [changed]),
        "node 'F' .F.: the function 'own.F' uses Reshape of opset 13, the model imports opset 21 of domain 'ai.onnx'",
    )


def test_recursion_is_refused_by_name() -> None:
    one = function("One", ["a"], ["b"], [node("Two", ["a"], ["b"], domain="own")])
    two = function("Two", ["a"], ["b"], [node("One", ["a"], ["b"], domain="own")])
    refused(
        model([node("One", ["x"], ["y"], "call", domain="own")], [one, two]),
        "node 'call/Two/One' .One.: the function 'own.One' calls itself",
    )


def _doubling(depth: int) -> list[FunctionProto]:
    """Functions each of which calls the next one twice."""
    bodies = [function(f"F{depth}", ["a"], ["b"], [node("Neg", ["a"], ["b"])])]
    for i in range(depth):
        calls = [node(f"F{i + 1}", [a], [b], domain="own") for a, b in (("a", "h"), ("h", "b"))]
        bodies.append(function(f"F{i}", ["a"], ["b"], calls))
    return bodies


@pytest.mark.slow
def test_functions_that_explode_are_refused() -> None:
    refused(
        model([node("F0", ["x"], ["y"], domain="own")], _doubling(40)),
        "50001 nodes of inlined functions, the limit is 50,000",
    )


def test_functions_that_copy_too_many_bytes_are_refused() -> None:
    weight = node("Constant", [], ["w"], value=helper.make_tensor("w", 1, [2**18], bytes(2**20), raw=True))
    body = function("F", ["a"], ["b"], [weight, node("Neg", ["a"], ["b"])])
    with allowing(constant_bytes=1 << 20):
        refused(model([node("F", ["x"], ["y"], domain="own")], [body]), "the limit is 1,048,576")


def test_functions_nested_too_deep_are_refused() -> None:
    bodies = [function("F80", ["a"], ["b"], [node("Neg", ["a"], ["b"])])]
    bodies += [function(f"F{i}", ["a"], ["b"], [node(f"F{i + 1}", ["a"], ["b"], domain="own")]) for i in range(80)]
    refused(model([node("F0", ["x"], ["y"], domain="own")], bodies), "functions are nested more than 64 deep")


def test_calls_that_do_not_fit_are_refused() -> None:
    refused(
        model([node("Double", ["x", "x"], ["y"], domain="own")], [DOUBLE]),
        "the function 'own.Double' is called with 2 inputs and 1 outputs, it has 1 and 1",
    )
    refused(
        model([node("Double", ["x"], ["y"], domain="own", alpha=1.0)], [DOUBLE]),
        "the function 'own.Double' has no attribute 'alpha'",
    )


def test_an_inner_name_that_nothing_makes_is_named() -> None:
    body = function("F", ["a"], ["b"], [node("Add", ["a", "lost"], ["b"])])
    refused(
        model([node("F", ["x"], ["y"], "call", domain="own")], [body]),
        "no node before it computes its input 'call/lost'",
    )
