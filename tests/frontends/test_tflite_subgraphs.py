"""Several subgraphs, computed shapes, other batch sizes and cuts of .tflite files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert import ConversionError, Format, Model, convert, load, run, validate
from qconvert.engines import litert
from qconvert.interpreter import evaluate
from qconvert.validation import Settings
from tests.support.tflite_cases import Graph, Node, Tensor, constant, write
from tests.support.tflite_subgraphs import CALL, COMPOSED, FLATTENED, HELD, INNER, OUTER, Z, outer


def drawn(shape: tuple[int, ...], seed: int = 0) -> NDArray[Any]:
    return np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8)


@pytest.mark.litert
def test_a_composite_is_its_decomposition() -> None:
    source = COMPOSED
    model, x = load(source), drawn((2, 3))
    [wanted] = litert.run_samples(source, [{"x": x}])
    np.testing.assert_array_equal(evaluate(model.module, [x])[0], wanted["z"])
    report = validate(model, settings=Settings(to=Format.TOSA))
    assert report.passed, report.failures
    assert {layer.tensor for layer in report.layers} <= {"y", "z"}  # the reference has no tensors of the inside
    assert report.ops is not None
    assert report.ops.judged == report.ops.ops


def test_a_call_is_inlined_each_time() -> None:
    again = Node("CALL", ["y"], ["z"], "CallOptions", {"Subgraph": 1}, version=1)
    inner = replace(INNER, tensors={"a": HELD, "b": HELD})
    graph = replace(outer(CALL, again), tensors=dict.fromkeys(OUTER, HELD))
    [found] = evaluate(load(write(graph, inner)).module, [x := drawn((2, 3))])
    np.testing.assert_array_equal(found, np.clip(np.abs(x.astype(int) - 3) + 3, -128, 127))


def test_a_nested_node_is_named_by_its_callers() -> None:
    inner = replace(INNER, nodes=[Node("NON_MAX_SUPPRESSION_V4", ["a"], ["b"])])
    with pytest.raises(ConversionError, match=r"node 'y/b' \(NON_MAX_SUPPRESSION_V4\): this operator is not supported"):
        load(write(outer(CALL, Z), inner))


@pytest.mark.litert
@pytest.mark.parametrize("holds", [True, False])
def test_a_known_condition_chooses_its_branch(holds: bool) -> None:
    other = replace(INNER, nodes=[Node("QUANTIZE", ["a"], ["b"])])
    branch = Node("IF", ["c", "x"], ["y"], "IfOptions", {"ThenSubgraphIndex": 1, "ElseSubgraphIndex": 2}, version=1)
    source = write(outer(branch, Z, c=constant(holds, "BOOL")), INNER, other)
    [wanted] = litert.run_samples(source, [{"x": (x := drawn((2, 3)))}])
    np.testing.assert_array_equal(evaluate(load(source).module, [x])[0], wanted["z"])


def test_subgraphs_that_nothing_leads_to_are_left_alone() -> None:
    damaged = Graph({"a": Tensor((2, 3), kind="STRING")}, [], ["a"], ["a"])
    plain = write(outer(Node("ABS", ["x"], ["y"]), Z), damaged, entries={"serving_default": 0})
    assert load(plain).output_names == ("z",)


REFUSED = [
    (write(outer(CALL, Z), INNER, entries={"encode": 0, "decode": 1}), "the signatures 'encode', 'decode', only that"),
    (write(outer(CALL, Z), outer(CALL, Z)), r"\(CALL\): subgraphs call one another more than 64 deep"),
    (write(outer(CALL, Z), replace(INNER, inputs=[])), r"\(CALL\): the subgraph takes \(\), given are \(tensor<2x3x"),
    (write(outer(replace(CALL, fields={"Subgraph": 7}), Z), INNER), "the file is damaged"),
    (
        write(outer(CALL, Z, y=replace(HELD, scale=0.3)), INNER),
        r"node 'y' \(CALL\): the result has the type .*i8:f32, 0.1.*, the file has .*i8:f32, 0.3",
    ),
    (write(outer(replace(CALL, options=""), Z), INNER), r"\(CALL\): its options name no subgraph to run"),
    (
        write(outer(Node("WHILE", ["x"], ["z"], "WhileOptions", {"CondSubgraphIndex": 1})), INNER),
        r"\(WHILE\): this operator is not supported\. Convert the model with its loops unrolled",
    ),
    (
        write(outer(Node("CALL_ONCE", [], [], "CallOnceOptions", {"InitSubgraphIndex": 1}), CALL, Z), INNER),
        r"\(CALL_ONCE\): this operator is not supported\. It gives variables their first values; freeze them",
    ),
    (write(outer(CALL, Z, v=Tensor((), kind="RESOURCE")), INNER), "tensor 'v' has elements of type RESOURCE.*Freeze"),
]


@pytest.mark.parametrize(("source", "message"), REFUSED)
def test_what_cannot_be_inlined_is_named(source: bytes, message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        load(source)


def test_a_condition_that_is_computed_is_refused() -> None:
    branch = Node("IF", ["p", "x"], ["y"], "IfOptions", {"ThenSubgraphIndex": 1, "ElseSubgraphIndex": 1})
    graph = replace(outer(branch, Z, p=Tensor((), kind="BOOL")), inputs=["x", "p"])
    with pytest.raises(ConversionError, match=r"node 'y' \(IF\): a condition that is computed at run time"):
        load(write(graph, INNER))


@pytest.mark.slow
def test_subgraphs_that_double_end() -> None:
    """Thirty subgraphs, each of which runs the next one twice."""
    graphs = [
        replace(
            outer(
                replace(CALL, fields={"Subgraph": i + 1}),
                Node("CALL", ["y"], ["z"], "CallOptions", {"Subgraph": i + 1}, version=1),
            ),
            tensors=dict.fromkeys(OUTER, HELD),
        )
        for i in range(29)
    ]
    last = replace(INNER, tensors={"a": HELD, "b": HELD})
    with pytest.raises(ConversionError, match="subgraphs inlined make more than 50000 operators"):
        load(write(*graphs, last))


# Shapes computed from shapes, as converters write `reshape(x, [batch, -1])`.


@pytest.mark.parametrize("batch", [1, 3])
def test_computed_shapes_fold(batch: int) -> None:
    model = load(write(FLATTENED), dims={"x": batch})
    [found] = evaluate(model.module, [x := drawn((batch, 4, 6, 2))])
    np.testing.assert_array_equal(found, x.reshape(batch, 48))
    assert "tosa.reshape" in (text := convert(model, Format.TOSA).text)
    assert "tosa.gather" not in text


@pytest.mark.litert
@pytest.mark.parametrize("batch", [1, 3])
def test_another_batch_is_litert_resized(batch: int) -> None:
    weights = constant(np.random.default_rng(1).integers(-127, 128, (5, 48)), "INT8", 0.01)
    dense = Node("FULLY_CONNECTED", ["y", "w", None], ["z"], "FullyConnectedOptions", version=4)
    tensors = {**FLATTENED.tensors, "w": weights, "z": Tensor((1, 5), 0.07, 9)}
    source = write(replace(FLATTENED, tensors=tensors, nodes=[*FLATTENED.nodes, dense], outputs=["z"]))
    [wanted] = litert.run_samples(source, [{"x": (x := drawn((batch, 4, 6, 2)))}])
    found = evaluate(load(source, dims={"x.0": batch}).module, [x])[0]
    np.testing.assert_array_equal(found, wanted["z"])


def test_a_size_that_no_input_leaves_open_is_refused() -> None:
    with pytest.raises(ConversionError, match=r"no input has a dimension 'n'\. The model has x, x\.0"):
        load(write(FLATTENED), dims={"n": 2})


def test_a_shape_of_another_batch_is_refused() -> None:
    tensors = {**FLATTENED.tensors, "target": constant([1, 48])}
    graph = replace(FLATTENED, tensors=tensors, nodes=FLATTENED.nodes[-1:])
    with pytest.raises(ConversionError, match=r"node 'y' \(RESHAPE\): \[3, 4, 6, 2\] cannot become \[1, 48\]"):
        load(write(graph), dims={"x": 3})


# Cuts.

CHAIN = write(
    Graph(
        {**OUTER, "w": HELD, "other": HELD},
        [Node("ABS", ["x"], ["y"]), Node("ADD", ["y", "w"], ["z"], "AddOptions")],
        ["x", "w"],
        ["z"],
    )
)


def part(inputs: str = "", outputs: str = "") -> Model:
    return load(CHAIN, inputs=inputs.split(), outputs=outputs.split())


def test_two_parts_make_the_whole() -> None:
    first, second = part(outputs="y"), part(inputs="y w")
    assert (first.output_names, second.input_names, second.output_names) == (("y",), ("y", "w"), ("z",))
    x, w = drawn((2, 3)), drawn((2, 3), 1)
    inner = run(first, {"x": x, "w": w})
    np.testing.assert_array_equal(run(second, {**inner, "w": w})["z"], run(load(CHAIN), {"x": x, "w": w})["z"])


def test_what_is_behind_a_cut_is_not_read() -> None:
    unknown = Node("NON_MAX_SUPPRESSION_V4", ["y"], ["z"])
    graph = outer(Node("ABS", ["x"], ["y"]), unknown)
    assert load(write(graph), outputs=["y"]).output_names == ("y",)


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ("y", "z", "the outputs need input 'w' too"),
        ("n", "z", "no node computes input 'n'"),
        ("y", "n", "no node computes output 'n'"),
        ("", "other", "output 'other' is computed by no operator"),
    ],
)
def test_cuts_that_cannot_be(inputs: str, outputs: str, message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        part(inputs, outputs)
