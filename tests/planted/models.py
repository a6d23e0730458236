"""The sources: networks with uint8 and int8 activations, and samples of their inputs."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

import numpy as np
from onnx import ModelProto

from networks import Style, float_model, quantized, samples
from networks.graph import Graph
from qconvert import load
from qconvert.api import Model
from qconvert.validation.sampling.samples import arguments, random_samples
from tests.support.paths import FIXTURES


class Storage(StrEnum):
    """The integers that hold a source's activations."""

    UINT8 = "uint8"
    """Weights have one scale."""
    INT8 = "int8"
    """Weights have a scale for each channel."""


def mobilenet() -> ModelProto:
    """Return two inverted bottlenecks with ReLU6 (arXiv:1801.04381)."""
    graph = Graph("mobilenet")
    value = _relu6(graph, graph.conv("x", 3, 8, 3, stride=2))
    for _ in range(2):
        inner = _relu6(graph, graph.conv(value, 8, 24, 1))
        inner = _relu6(graph, graph.conv(inner, 24, 24, 3, groups=24))
        value = graph.add("Add", value, graph.conv(inner, 24, 8, 1))
    value = graph.add("MaxPool", graph.relu(graph.conv(value, 8, 16, 1)), kernel_shape=(2, 2), strides=(2, 2))
    mean = graph.add("Flatten", graph.add("GlobalAveragePool", value))
    return graph.model((1, 3, 32, 32), (graph.gemm(mean, 16, 10), (1, 10)))


def _relu6(graph: Graph, source: str) -> str:
    return graph.add("Clip", source, np.array(0, np.float32), np.array(6, np.float32))


MODELS = ("mobilenet", "digits", "unet_nearest", "encoder", "yolo")


@cache
def source(name: str, storage: Storage) -> Model:
    """Return a quantized network."""
    if name == "digits":
        return load(FIXTURES / f"digits_cnn_{storage}.onnx")
    floats = mobilenet() if name == "mobilenet" else float_model(name)
    style = Style.U8S8 if storage is Storage.UINT8 else Style.S8S8
    return load(quantized(floats, style, samples(floats, 6), symmetric=name == "mobilenet"))


def drawn(model: Model, count: int) -> list[list[np.ndarray]]:
    """Return samples of a model's inputs, those that ``validate`` draws."""
    ports = arguments(model.module, model.input_names)
    return [list(sample.values()) for sample in random_samples(ports, count, 0)]
