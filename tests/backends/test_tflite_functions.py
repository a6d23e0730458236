"""Functions of 16 bits in TFLite: LiteRT's kernels interpolate in tables, so floats compute them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from qconvert import EngineName, Format, convert, load
from qconvert.backends.base import Profile
from qconvert.backends.tflite import TfliteOptions
from qconvert.engines.modules import Program
from qconvert.formats import FORMATS
from qconvert.support.errors import EngineError

FUNCTIONS: dict[str, tuple[Callable[[NDArray[np.float64]], NDArray[np.float64]], float, float]] = {
    "Exp": (np.exp, 2**-9, 2**-9),
    "Sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 0.0004, 2**-15),
    "Tanh": (np.tanh, 0.0002, 2**-15),
}
"""Each with the scales of its operand and its result: the integers of Exp are a small part of 16 bits."""


def function(op_type: str) -> bytes:
    """A function of int16 between a dequantize and a quantize."""
    _, scale, result_scale = FUNCTIONS[op_type]
    scales = {"xs": scale, "ys": result_scale}
    constants = [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in scales.items()]
    constants.append(numpy_helper.from_array(np.asarray(0, np.int16), "z"))
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "xs", "z"], ["xf"]),
        helper.make_node(op_type, ["xf"], ["yf"], "function"),
        helper.make_node("QuantizeLinear", ["yf", "ys", "z"], ["y"]),
    ]
    ports = [helper.make_tensor_value_info(name, TensorProto.INT16, [4001]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "function", ports[:1], ports[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString()


@pytest.mark.litert
@pytest.mark.parametrize("op_type", FUNCTIONS)
def test_results_are_rounded_to_the_nearest_integers(op_type: str) -> None:
    content, x = function(op_type), np.arange(-2000, 2001).astype(np.int16)
    written = convert(load(content), Format.TFLITE)
    assert written.content is not None
    [answer] = FORMATS[Format.TFLITE].run_programs(EngineName.LITERT, [Program(written.content, [[x]])])
    assert not isinstance(answer, EngineError)
    exact, scale, result_scale = FUNCTIONS[op_type]
    expected = np.clip(np.rint(exact(x * scale) / result_scale), -(2**15), 2**15 - 1)
    apart = np.abs(answer[0][0] - expected)
    assert apart.max() <= 1
    assert (apart > 0).mean() <= 0.005, "a function in float32 has 0.002 LSB too few or too many"


@pytest.mark.parametrize(("op_type", "kernel"), [("Exp", "EXP"), ("Sigmoid", "LOGISTIC"), ("Tanh", "TANH")])
def test_the_kernel_stays_where_floats_are_refused(op_type: str, kernel: str) -> None:
    written = convert(load(function(op_type)), Format.TFLITE, TfliteOptions(profile=Profile.INT))
    assert kernel in [each.name for each in written.operators]
