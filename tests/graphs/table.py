"""The table of operators by element types, granularity and groups: one operator between quantizers in each row.

A row is accepted by a format, and its file computes the same in the format's own tool, or it is refused by node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from onnx import TensorProto

from tests.graphs.case import Case
from tests.graphs.drawing import observed
from tests.graphs.network import Array, Bias, Drawing, Network, Raw, Shape, Weight, integers, number
from tests.graphs.onnx_writer import Writer
from tests.graphs.source import Source
from tests.graphs.style import Parameters, Style, limits

IMAGE: Shape = (1, 4, 4, 6)
BLOCK = 2
ACTIVATIONS: tuple[Any, ...] = (np.int8, np.uint8, np.int16, np.uint16, None)
"""Types of activations; None leaves them in float32."""
WEIGHTS: tuple[Any, ...] = (np.int8, np.uint8, np.int16, ml_dtypes.int4, ml_dtypes.uint4)
Build: TypeAlias = Callable[[Drawing], object]


@dataclass(frozen=True)
class Row(Source):
    """One operator with the types and the granularity of its activations and weights.

    A granularity is "tensor", "axis N" or "blocks N".
    """

    operator: str
    activations: Any
    weights: Any
    of_activations: str = "tensor"
    of_weights: str = "tensor"
    seed: int = 0
    suffix: str = ".onnx"

    @property
    def label(self) -> str:  # type: ignore[override]
        """The row's name."""
        names = ("float32" if kind is None else np.dtype(kind).name for kind in (self.activations, self.weights))
        one, other = names
        return f"{self.operator}, {one} by {self.of_activations}, weights {other} by {self.of_weights}"

    def case(self) -> Case:
        """Return the file and its samples."""
        network, ranges = _network(self.operator)
        writer = _Writer(network, self, ranges)
        model = writer.model()
        rng = np.random.default_rng(3)
        samples = tuple(
            {name: rng.uniform(*ranges[name], network.shapes[name]).astype(np.float32) for name in network.inputs}
            for _ in range(2)
        )
        return Case(self.label, model.SerializeToString(), samples, "onnx table", tuple(network.op_types))

    def smaller(self) -> Iterator[Row]:
        """Yield nothing: a row is one operator."""
        yield from ()


class _Writer(Writer):
    """Quantizes with the types and the granularity of a row."""

    def __init__(self, network: Network, row: Row, ranges: dict[str, tuple[float, float]]) -> None:
        plain = row.activations is None
        super().__init__(network, Style(row.activations or np.int8, row.weights or np.int8, weight_only=plain), ranges)
        self._row = row

    def activation(self, name: str) -> Parameters:
        """Return the parameters of a value, spread over its axis or blocks."""
        found = super().activation(name)
        return _spread(found, self._row.of_activations, self.network.shapes[name])

    def constant_of(self, array: Array) -> Parameters:
        """Return the parameters of a constant."""
        low, high = limits(np.dtype(self._row.weights))
        scale = np.asarray(float(np.abs(array).max()) / (high if low < 0 else high // 2), np.float32)
        zero_point = np.asarray(0 if low < 0 else (high + 1) // 2, self._row.weights)
        return _spread(Parameters(scale, zero_point), self._row.of_weights, array.shape)

    def _constant_parameters(self, step: Any, value: Any) -> Parameters | None:
        return self.constant_of(value.array) if isinstance(value, Weight) else super()._constant_parameters(step, value)

    def _bias(self, step: Any) -> Parameters | None:
        """Return int32 at the scales' product; a float bias where the scales have blocks or another axis."""
        found = self.parameters.get(f"{step.outputs[0]}_in1")
        first = self.parameters.get(str(step.inputs[0]))
        if found is None or found.block or first is None or first.axis is not None:
            return None
        if found.scale.ndim and found.scale.size != step.inputs[2].array.size:
            return None
        return super()._bias(step)


def _spread(one: Parameters, granularity: str, shape: Shape) -> Parameters:
    """Return parameters with other scales along an axis or in blocks; the same where there is no such axis."""
    kind, _, place = granularity.partition(" ")
    if kind == "tensor" or int(place) >= len(shape):
        return one
    axis = int(place)
    if kind == "axis":
        sizes: tuple[int, ...] = (shape[axis],)
    else:
        sizes = tuple(-(-size // BLOCK) if i == axis else size for i, size in enumerate(shape))
    factors = 1 + np.arange(int(np.prod(sizes))).reshape(sizes) % 5 * 0.25
    scale = np.asarray(one.scale * factors, np.float32)
    return Parameters(scale, np.full(sizes, one.zero_point), axis, BLOCK if kind == "blocks" else 0)


def _weight(net: Drawing, *shape: int) -> Weight:
    return Weight(net.normal(*shape), 0)


def _conv(group: int, outputs: int) -> Build:
    def build(net: Drawing) -> None:
        weight = _weight(net, outputs, 4 // group, 3, 3)
        net.add("Conv", ["x0", weight, Bias(net.normal(outputs))], group=group, pads=[1, 1, 1, 1])

    return build


def _transposed(group: int, outputs: int) -> Build:
    def build(net: Drawing) -> None:
        net.add("ConvTranspose", ["x0", _weight(net, 4, outputs, 2, 2)], group=group, strides=[2, 2])

    return build


def _one(op_type: str, *more: Any, **attributes: Any) -> Build:
    return lambda net: net.add(op_type, ["x0", *more], **attributes)


def _with_weight(op_type: str, *shape: int) -> Build:
    return lambda net: net.add(op_type, ["x0", _weight(net, *shape)])


def _gemm(net: Drawing) -> None:
    [flat] = net.add("Flatten", ["x0"], keeps=True)
    net.add("Gemm", [flat, _weight(net, 6, 96), Bias(net.normal(6))], transB=1)


def _product(net: Drawing) -> None:
    [flipped] = net.add("Transpose", ["x0"], keeps=True, perm=[0, 1, 3, 2])
    net.add("MatMul", ["x0", flipped])


def _line(net: Drawing) -> None:
    [line] = net.add("Reshape", ["x0", integers(1, 4, 24)], keeps=True)
    net.add("Conv", [line, _weight(net, 6, 4, 3)])


CONTRACTIONS: dict[str, Build] = {
    "Conv": _conv(1, 6),
    "Conv groups": _conv(2, 6),
    "Conv depthwise": _conv(4, 4),
    "Conv depthwise x2": _conv(4, 8),
    "Conv 1-D": _line,
    "ConvTranspose": _transposed(1, 6),
    "ConvTranspose groups": _transposed(2, 3),
    "ConvTranspose depthwise": _transposed(4, 1),
    "Gemm": _gemm,
    "MatMul": _with_weight("MatMul", 6, 5),
    "MatMul batched": _with_weight("MatMul", 4, 6, 5),
}
"""Operators with weights, which have types and a granularity of their own."""

OTHERS: dict[str, Build] = {
    "Abs": _one("Abs"),
    "Add": lambda net: net.add("Add", ["x0", "x0"]),
    "ArgMax": _one("ArgMax", axis=1),
    "AveragePool": _one("AveragePool", kernel_shape=[2, 2], strides=[2, 2]),
    "Cast": lambda net: net.add("Cast", net.add("Greater", ["x0", number(0.1)]), to=TensorProto.FLOAT),
    "Clip": _one("Clip", number(-0.5), number(0.5)),
    "Concat": lambda net: net.add("Concat", ["x0", "x0"], axis=1),
    "DepthToSpace": _one("DepthToSpace", blocksize=2),
    "Div": _one("Div", number(1.5)),
    "Erf": _one("Erf"),
    "Exp": _one("Exp"),
    "Expand": _one("Expand", integers(2, 4, 4, 6)),
    "Gather": _one("Gather", Raw(np.asarray([1, 1, 0])), axis=1),
    "Gelu": _one("Gelu"),
    "GlobalAveragePool": _one("GlobalAveragePool"),
    "GlobalMaxPool": _one("GlobalMaxPool"),
    "HardSwish": _one("HardSwish"),
    "InstanceNormalization": lambda net: net.add(
        "InstanceNormalization", ["x0", Raw(np.ones(4, np.float32)), Raw(np.zeros(4, np.float32))]
    ),
    "LayerNormalization": lambda net: net.add("LayerNormalization", ["x0", Raw(np.ones(6, np.float32))], axis=-1),
    "LeakyRelu": _one("LeakyRelu", alpha=0.1),
    "LogSoftmax": _one("LogSoftmax", axis=1),
    "LpNormalization": _one("LpNormalization", axis=1),
    "MatMul of activations": _product,
    "Max": lambda net: net.add("Max", ["x0", _weight(net, 1)]),
    "MaxPool": _one("MaxPool", kernel_shape=[2, 2], strides=[2, 2], keeps=True),
    "Mul": lambda net: net.add("Mul", ["x0", "x0"]),
    "Neg": _one("Neg"),
    "PRelu": _with_weight("PRelu", 4, 1, 1),
    "Pad": _one("Pad", integers(0, 0, 1, 1, 0, 0, 1, 1), keeps=True),
    "Pad reflect": _one("Pad", integers(0, 0, 1, 1, 0, 0, 1, 1), keeps=True, mode="reflect"),
    "ReduceL2": _one("ReduceL2", integers(1)),
    "ReduceMax": _one("ReduceMax", integers(2, 3)),
    "ReduceMean": _one("ReduceMean", integers(2, 3)),
    "ReduceSum": _one("ReduceSum", integers(1)),
    "Relu": _one("Relu"),
    "Reshape": _one("Reshape", integers(1, 4, 24), keeps=True),
    "Resize linear": _one("Resize", None, Raw(np.asarray([1, 1, 2, 2], np.float32)), mode="linear"),
    "Resize nearest": _one("Resize", None, Raw(np.asarray([1, 1, 2, 2], np.float32)), mode="nearest", keeps=True),
    "Sigmoid": _one("Sigmoid"),
    "Slice": _one("Slice", integers(1), integers(3), integers(2), keeps=True),
    "Softmax": _one("Softmax", axis=-1),
    "SpaceToDepth": _one("SpaceToDepth", blocksize=2, keeps=True),
    "Split": _one("Split", axis=1, num_outputs=2, count=2, keeps=True),
    "Sqrt": lambda net: net.add("Sqrt", net.add("Abs", ["x0"])),
    "Sub": lambda net: net.add("Sub", ["x0", _weight(net, 4, 1, 1)]),
    "Tanh": _one("Tanh"),
    "Tile": _one("Tile", integers(1, 2, 1, 1), keeps=True),
    "Transpose": _one("Transpose", perm=[0, 2, 3, 1], keeps=True),
    "Where": lambda net: net.add("Where", [Raw(np.arange(6) % 2 == 0), "x0", _weight(net, 1)]),
}


@cache
def _network(operator: str) -> tuple[Network, dict[str, tuple[float, float]]]:
    rng = np.random.default_rng(len(operator))
    net = Drawing.start(rng, IMAGE)
    (CONTRACTIONS | OTHERS)[operator](net)
    network = net.finished()
    ranges = observed(network, rng)
    assert ranges is not None, operator
    return network, ranges


def rows() -> list[Row]:
    """Return all rows of the table."""
    found = []
    for operator in CONTRACTIONS:
        rank = 2 if operator in ("Gemm", "MatMul") else 3 if operator in ("MatMul batched", "Conv 1-D") else 4
        granularities = ["tensor", *(f"{kind} {i}" for kind in ("axis", "blocks") for i in range(rank))]
        found += [
            Row(operator, one, other, "tensor", granularity)
            for one, other, granularity in product(ACTIVATIONS, WEIGHTS, granularities)
        ]
    for operator in (*OTHERS, *CONTRACTIONS):
        granularities = [*(["tensor"] if operator in OTHERS else []), *(f"axis {i}" for i in range(4)), "blocks 1"]
        kinds = [kind for kind in ACTIVATIONS if kind is not None]
        found += [Row(operator, one, np.int8, granularity) for one, granularity in product(kinds, granularities)]
    return [replace(row, seed=i) for i, row in enumerate(found)]
