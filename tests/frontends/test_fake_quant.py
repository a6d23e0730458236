"""Simulated quantization, in each of its spellings, becomes real: integers inside, the same network outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from qconvert import convert, load
from qconvert.api import Converted
from qconvert.dialects import stablehlo
from qconvert.interpreter import evaluate
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type
from qconvert.numerics import nudge_fake_quant
from qconvert.support.errors import ConversionError
from tests.support.paths import FIXTURES

Nodes: TypeAlias = list[NodeProto]
Spelling: TypeAlias = "Callable[[str, str, float, int], Nodes]"
SCALES = {"x": (0.05, 3), "w": (0.01, 0), "y": (0.4, -7)}


def _node(op_type: str, inputs: Sequence[str], output: str) -> NodeProto:
    return helper.make_node(op_type, inputs, [output], output)


def after_rounding(source: str, target: str, scale: float, zero_point: int) -> Nodes:
    """Div, Round, Add, Clip, Sub, Mul."""
    constants = {"s": scale, "z": zero_point, "lo": -128, "hi": 127}
    names = {key: f"{target}_{key}" for key in constants}
    made = [
        helper.make_node("Constant", [], [names[key]], value_float=float(value)) for key, value in constants.items()
    ]
    steps = [("Div", "s"), ("Round", None), ("Add", "z"), ("Clip", "lo"), ("Sub", "z"), ("Mul", "s")]
    for i, (op_type, key) in enumerate(steps):
        before = source if i == 0 else f"{target}_{i - 1}"
        others = {None: [], "lo": [names["lo"], names["hi"]]}.get(key, [names[key]] if key else [])
        made.append(_node(op_type, [before, *others], target if i == len(steps) - 1 else f"{target}_{i}"))
    return made


def before_rounding(source: str, target: str, scale: float, zero_point: int) -> Nodes:
    """Mul by the reciprocal, Add, Round, Clip, Sub, Mul."""
    made = after_rounding(source, target, scale, zero_point)
    *constants, divide, rounding, add, clip, subtract, multiply = made
    inverse = helper.make_node("Constant", [], [f"{target}_i"], value_float=1 / scale)
    order = [
        _node("Mul", [divide.input[0], f"{target}_i"], f"{target}_0"),
        _node("Add", [f"{target}_0", add.input[1]], f"{target}_1"),
        _node("Round", [f"{target}_1"], f"{target}_2"),
    ]
    del rounding
    return [*constants, inverse, *order, clip, subtract, multiply]


def model(spelling: Spelling, opset: int = 17) -> bytes:
    """A product of simulated 8-bit activations and weights, simulated 8 bits again."""
    weight = np.random.default_rng(0).uniform(-1.2, 1.2, (16, 5)).astype(np.float32)
    nodes = [
        *spelling("x", "xq", *SCALES["x"]),
        *spelling("w", "wq", *SCALES["w"]),
        _node("MatMul", ["xq", "wq"], "product"),
        *spelling("product", "y", *SCALES["y"]),
    ]
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", (7, 16)), ("y", (7, 5))))
    graph = helper.make_graph(nodes, "simulated", [x], [y], [numpy_helper.from_array(weight, "w")])
    return bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9).SerializeToString()
    )


@pytest.mark.parametrize("spelling", [after_rounding, before_rounding])
def test_the_arithmetic_becomes_quantized_ops(spelling: Spelling) -> None:
    data = model(spelling)
    converted = convert(load(data))
    assert "stablehlo.round_nearest_even" not in converted.text
    assert converted.text.count("stablehlo.uniform_quantize") == 2, "the weight is folded"
    assert "stablehlo.dot_general" in converted.text
    assert not converted.refusals
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    x = np.random.default_rng(1).uniform(-6, 6, (7, 16)).astype(np.float32)
    [expected] = session.run(None, {"x": x})
    [found] = evaluate(converted.fused, [x])
    steps = np.abs(found - expected) / SCALES["y"][0]
    assert steps.max() < 1.5
    assert (steps < 0.5).mean() > 0.9


def fake_quantize(
    levels: int, output: tuple[float, float] | None = None, ends: tuple[float, float] = (-1.28, 1.27)
) -> bytes:
    """OpenVINO's operator between an input and a sum."""
    names = ("il", "ih", "ol", "oh")
    values = [numpy_helper.from_array(np.float32(v), n) for n, v in zip(names, (*ends, *(output or ends)), strict=True)]
    node = helper.make_node("FakeQuantize", ["x", *names], ["q"], "fq", domain="org.openvinotoolkit", levels=levels)
    add = helper.make_node("Add", ["q", "q"], ["y"], "add")
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, (3, 4)) for n in ("x", "y"))
    graph = helper.make_graph([node, add], "openvino", [x], [y], values)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("org.openvinotoolkit", 1)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString())


def test_openvinos_fake_quantize_is_nudged_as_tensorflows() -> None:
    converted = convert(load(fake_quantize(256)))
    assert "!quant.uniform<i8:f32" in converted.text
    found = nudge_fake_quant(-1.28, 1.27, 8, signed=True)
    x = np.random.default_rng(0).uniform(-2, 2, (3, 4)).astype(np.float32)
    steps = np.clip(np.rint(x / found.scale) + found.zero_point, found.quant_min, found.quant_max)
    expected = (steps - found.zero_point).astype(np.float32) * found.scale
    np.testing.assert_allclose(evaluate(converted.fused, [x])[0], 2 * expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (fake_quantize(200), "no integer type has 200 levels"),
        (fake_quantize(256, (0.0, 1.0)), "the output's range differs from the input's"),
    ],
)
def test_what_is_no_quantization_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(ConversionError, match=message) as caught:
        load(data)
    assert "node 'fq'" in str(caught.value)


FOLDER = FIXTURES / "fake_quant"
SPELLINGS = ("operators.tflite", "qdq.onnx", "openvino.onnx", "arithmetic.onnx")


@pytest.fixture(scope="module")
def maker() -> Iterator[ModuleType]:
    """The script that makes the fixtures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FIXTURES))
        yield import_module("make_fake_quant")


def _parameters(converted: Converted) -> set[tuple[float, int]]:
    """Scales and zero points of a module's values of 8 bits."""
    found = {element_type(result) for op in converted.module.walk() for result in op.results}
    types = [e for e in found if isinstance(e, UniformQuantizedType) and e.storage.width == 8]
    return {(element.scale, element.zero_point) for element in types}


def _weights(converted: Converted) -> list[bytes]:
    constants = [op for op in converted.module.walk() if isinstance(op, stablehlo.ConstantOp)]
    return [op.array.tobytes() for op in constants if op.array.dtype == np.int8 and op.array.ndim == 2]


def _logits(converted: Converted, images: NDArray[Any], batch: int) -> NDArray[Any]:
    parts = [evaluate(converted.fused, [images[i : i + batch]])[0] for i in range(0, len(images), batch)]
    return np.concatenate(parts)


@pytest.mark.slow
def test_a_network_is_the_same_in_every_spelling() -> None:
    """One network, its quantization simulated in four ways: the same integers, nothing left in floats."""
    test = np.load(FIXTURES / "digits_test.npz")
    images = test["image"].reshape(-1, 64)
    found = []
    for name in SPELLINGS:
        batch = 1 if name.endswith(".tflite") else len(images)
        converted = convert(load(FOLDER / name, dims={} if batch == 1 else {"N": batch}))
        assert not converted.refusals, name
        found.append((_parameters(converted), _weights(converted), _logits(converted, images, batch)))
    parameters, weights, logits = found[0]
    assert len(parameters) == 7  # input, three weights, three activations
    assert len(weights) == 3
    assert (logits.argmax(axis=1) == test["label"]).mean() > 0.97
    for name, (others, held, results) in zip(SPELLINGS[1:], found[1:], strict=True):
        assert others == parameters, name
        assert held == weights, name
        assert np.array_equal(results, logits), name


@pytest.mark.parametrize("name", ["qdq.onnx", "arithmetic.onnx"])
def test_the_network_is_what_onnxruntime_simulates(name: str) -> None:
    images = np.load(FIXTURES / "digits_test.npz")["image"].reshape(-1, 64)
    converted = convert(load(FOLDER / name, dims={"N": len(images)}))
    session = onnxruntime.InferenceSession(FOLDER / name, providers=["CPUExecutionProvider"])
    [expected] = session.run(None, {"image": images})
    [found] = evaluate(converted.fused, [images])
    step = np.diff(np.unique(expected)).min()
    assert np.abs(found - expected).max() < 1.5 * step
    assert (found.argmax(axis=1) == expected.argmax(axis=1)).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("minimum", "maximum", "bits", "narrow", "text"),
    [  # worked out by hand
        (-0.125, 63.625, 8, False, "i8:f32, 0.25:-127>"),
        (-0.1, 63.4, 8, True, "i8<-127:127>:f32, 0.25:-127>"),
        (2.0, 65.75, 8, False, "i8:f32, 0.25:-128>"),
        (-65.75, -2.0, 8, False, "i8:f32, 0.25:127>"),
        (-0.1, 7.4, 4, False, "i4:f32, 0.5:-8>"),
        (-0.1, 6.9, 4, True, "i4<-7:7>:f32, 0.5:-7>"),
        (-16384.0, 16383.5, 16, False, "i16:f32, 0.5>"),
    ],
)
def test_ranges_are_nudged_as_tensorflows(
    maker: ModuleType, minimum: float, maximum: float, bits: int, narrow: bool, text: str
) -> None:
    """FAKE_QUANT and OpenVINO's operator alike."""
    x = maker.Tensor("x", (3, 4), "float32")
    _, rounded = maker.rounded(x, "y", maker.Range(minimum, maximum, narrow, bits))
    for data in (maker.write_model(*rounded), fake_quantize(2**bits - narrow, ends=(minimum, maximum))):
        assert f"!quant.uniform<{text}" in convert(load(data)).text
