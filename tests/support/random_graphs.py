"""Random small quantized ONNX graphs, the same for the same seed.

``random_graph(seed)`` is a model in QDQ form: a float network of about ten operators is drawn, run by onnxruntime to
see the range of every tensor, and written with quantizers of these ranges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import onnxruntime
from onnx import ModelProto, compose, helper

from tests.support.qdq_networks import INPUT, OPSET, Graph, Shape, Style, Writer
from tests.support.random_operators import grow

CALIBRATION_SAMPLES = 3


def random_graph(seed: int, operators: int = 10) -> ModelProto:
    """A quantized model of about ``operators`` operators with one input ``x``."""
    graph, style = _drawn(seed, operators)
    ranges = _observed(graph)
    return Writer(graph, style, ranges).model()


def random_float_graph(seed: int, operators: int = 10) -> ModelProto:
    """The network of :func:`random_graph` in floats."""
    return Writer(_drawn(seed, operators)[0]).model()


def _drawn(seed: int, operators: int) -> tuple[Graph, Style]:
    rng = np.random.default_rng(seed)
    graph, style = Graph(rng, {INPUT: _input_shape(rng)}), Style.draw(rng)
    while len(graph.steps) < operators:
        grow(graph)
    return graph, style


def _input_shape(rng: np.random.Generator) -> Shape:
    batch, channels = int(rng.integers(1, 3)), int(rng.choice([1, 2, 3, 4, 8]))
    if rng.random() < 0.7:
        return batch, channels, int(rng.integers(5, 10)), int(rng.integers(5, 10))
    return (batch, channels + 3, 8) if rng.random() < 0.5 else (batch + 1, channels * 4)


def _observed(graph: Graph) -> dict[str, tuple[float, float]]:
    """The range of every tensor of the float network over a few random inputs."""
    session = onnxruntime.InferenceSession(
        Writer(graph).model().SerializeToString(), _plain_options(), providers=["CPUExecutionProvider"]
    )
    ranges: dict[str, tuple[float, float]] = {}
    names = [INPUT, *(step.output for step in graph.steps)]
    for _ in range(CALIBRATION_SAMPLES):
        x = graph.rng.normal(size=graph.shapes[INPUT]).astype(np.float32)
        for name, values in zip(names, [x, *session.run(names[1:], {INPUT: x})], strict=True):
            assert values.shape == graph.shapes[name], (name, values.shape)
            low, high = ranges.get(name, (0.0, 0.0))
            ranges[name] = (min(low, float(values.min())), max(high, float(values.max())))
    return ranges


def _plain_options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return options


def side_by_side(models: Mapping[str, ModelProto]) -> ModelProto:
    """One model of several that have nothing to do with each other; names begin with ``<key>/``."""
    parts = [compose.add_prefix(model, f"{key}/").graph for key, model in models.items()]
    graph = helper.make_graph(
        [node for part in parts for node in part.node],
        "side_by_side",
        [value for part in parts for value in part.input],
        [value for part in parts for value in part.output],
        [array for part in parts for array in part.initializer],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


def operator_types(models: Iterable[ModelProto]) -> set[str]:
    """The operators that models have besides quantizers."""
    return {node.op_type for model in models for node in model.graph.node} - {"QuantizeLinear", "DequantizeLinear"}
