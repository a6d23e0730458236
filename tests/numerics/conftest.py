"""The yardstick of these tests: one-operator ONNX models run by onnxruntime, unoptimised, on one thread."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest
from onnx import NodeProto, TensorProto, helper

Array = npt.NDArray[Any]
Kernel = Callable[[Array, float, int, int], Array]


@pytest.fixture(scope="session")
def quantize_linear() -> Kernel:
    """QuantizeLinear as onnxruntime computes it: (x, scale, zero_point, onnx storage type); integers as float32."""

    def run(x: Array, scale: float, zero_point: int, storage: int) -> Array:
        expressed = helper.np_dtype_to_tensor_dtype(x.dtype)
        return _run(_quantize_session(expressed, float(scale), int(zero_point), storage), x)

    return run


@pytest.fixture(scope="session")
def dequantize_linear() -> Kernel:
    """DequantizeLinear as onnxruntime computes it: (q, scale, zero_point, onnx expressed type)."""

    def run(q: Array, scale: float, zero_point: int, expressed: int) -> Array:
        storage = helper.np_dtype_to_tensor_dtype(q.dtype)
        return _run(_dequantize_session(storage, float(scale), int(zero_point), expressed), q)

    return run


def _run(session: onnxruntime.InferenceSession, values: Array) -> Array:
    (result,) = session.run(None, {"x": values})
    return np.asarray(result)


@functools.lru_cache(maxsize=64)
def _quantize_session(expressed: int, scale: float, zero_point: int, storage: int) -> onnxruntime.InferenceSession:
    constants = [
        helper.make_tensor("scale", expressed, [], [scale]),
        helper.make_tensor("zero_point", storage, [], [zero_point]),
        helper.make_tensor("one", TensorProto.FLOAT, [], [1.0]),
        helper.make_tensor("zero", storage, [], [0]),
    ]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero_point"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "one", "zero"], ["y"]),
    ]
    return _session(nodes, expressed, TensorProto.FLOAT, constants)


@functools.lru_cache(maxsize=64)
def _dequantize_session(storage: int, scale: float, zero_point: int, expressed: int) -> onnxruntime.InferenceSession:
    constants = [
        helper.make_tensor("scale", expressed, [], [scale]),
        helper.make_tensor("zero_point", storage, [], [zero_point]),
    ]
    nodes = [helper.make_node("DequantizeLinear", ["x", "scale", "zero_point"], ["y"])]
    return _session(nodes, storage, expressed, constants)


def _session(
    nodes: list[NodeProto], source: int, result: int, constants: list[TensorProto]
) -> onnxruntime.InferenceSession:
    inputs = [helper.make_tensor_value_info("x", source, [None])]
    outputs = [helper.make_tensor_value_info("y", result, [None])]
    graph = helper.make_graph(nodes, "one_op", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
