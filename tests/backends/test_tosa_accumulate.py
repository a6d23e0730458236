"""Normalizations whose float results are used between quantizers, in TOSA's integers."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from qconvert import Format, convert, load
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.interpreter import evaluate
from qconvert.support.errors import FloatsRemainError
from tests.support.onnx_cases import Array, Case, random, theirs

INTEGERS = TosaOptions(Profile.INT)
SIZES = (6, 4, 16)
CONSTANTS = {
    "x_scale": np.float32(0.04),
    "x_point": np.int8(3),
    "gamma": np.float32(random(16, seed=1)),
    "beta": np.float32(random(16, seed=2)),
    "y_scale": np.float32(0.02),
    "z_scale": np.float32(0.031),
    "point": np.int8(-5),
    "flat": np.array([6, 64]),
}


def quantized(name: str, scale: str, result: str) -> NodeProto:
    return helper.make_node("QuantizeLinear", [name, scale, "point"], [result])


MEAN = [helper.make_node("ReduceMean", ["n"], ["m"], axes=[1], keepdims=0), quantized("m", "y_scale", "y")]
TWO_SCALES = [
    helper.make_node("Reshape", ["n", "flat"], ["a"]),
    helper.make_node("Transpose", ["n"], ["b"], perm=[0, 2, 1]),
    quantized("a", "y_scale", "y"),
    quantized("b", "z_scale", "z"),
]


def normalized(tail: list[NodeProto], results: dict[str, tuple[int, ...]], *, is_known: bool = True) -> Case:
    """Return a LayerNormalization of int8 with what follows its float result."""
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "x_scale", "x_point"], ["f"]),
        helper.make_node("LayerNormalization", ["f", "gamma", "beta"], ["n"], "norm"),
        *tail,
    ]
    known = {name: array for name, array in CONSTANTS.items() if is_known or name != "gamma"}
    feeds: dict[str, Array] = {"x": random(*SIZES, dtype=np.int8)}
    ports = [helper.make_tensor_value_info("x", TensorProto.INT8, SIZES)]
    if not is_known:
        feeds["gamma"] = CONSTANTS["gamma"]
        ports.append(helper.make_tensor_value_info("gamma", TensorProto.FLOAT, (16,)))
    graph = helper.make_graph(
        nodes,
        "g",
        ports,
        [helper.make_tensor_value_info(name, TensorProto.INT8, sizes) for name, sizes in results.items()],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in known.items()],
    )
    model: ModelProto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return Case(model.SerializeToString(), feeds)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(normalized(MEAN, {"y": (6, 16)}), id="mean"),
        pytest.param(normalized(TWO_SCALES, {"y": (6, 64), "z": (6, 16, 4)}), id="two scales"),
    ],
)
def test_the_results_are_those_of_onnxruntime(case: Case) -> None:
    module = convert(load(case.model), Format.TOSA, INTEGERS).module
    assert sum(op.name == "tosa.clz" for op in module.walk()) == 1
    for found, expected in zip(evaluate(module, list(case.feeds.values())), theirs(case), strict=True):
        apart = np.abs(found.astype(int) - expected)
        assert apart.max() <= 1
        assert np.mean(apart == 0) >= 0.98


def test_floats_stay_floats_in_the_mixed_profile() -> None:
    assert "tosa.rsqrt" in convert(load(normalized(MEAN, {"y": (6, 16)}).model), Format.TOSA).text


def test_what_has_no_integer_form_is_named() -> None:
    case = normalized(MEAN, {"y": (6, 16)}, is_known=False)
    with pytest.raises(FloatsRemainError, match="norm"):
        convert(load(case.model), Format.TOSA, INTEGERS)
