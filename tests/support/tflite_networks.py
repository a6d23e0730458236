"""Random integer networks of TFLite operators, several of which take what others make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np
import tflite

from tests.support.tflite_cases import Graph, Node, Tensor, constant, write

_RANGES = {"INT8": (-128, 127), "UINT8": (0, 255), "INT16": (-32768, 32767)}
_BITS = {"INT8": 8, "UINT8": 8, "INT16": 16}
_LARGEST = 4000
"""Elements of a tensor beyond which nothing makes it larger."""


@dataclass
class Network:
    """A graph that grows: ``live`` tensors may be taken, ``unused`` ones become outputs."""

    rng: np.random.Generator
    tensors: dict[str, Tensor] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)

    def add(self, tensor: Tensor) -> str:
        name = f"t{len(self.tensors)}"
        self.tensors[name] = tensor
        return name

    def pick(self, *, rank: int | None = None, kinds: Sequence[str] = ("INT8", "UINT8", "INT16")) -> str | None:
        """A computed tensor, of those that nothing takes yet more often than not."""
        computed = {name: tensor for name, tensor in self.tensors.items() if tensor.data is None}
        fits = [n for n, t in computed.items() if t.kind in kinds and rank in (None, len(t.shape))]
        fresh = [name for name in fits if name in self.unused]
        chosen = fresh if fresh and self.rng.random() < 0.8 else fits
        return str(self.rng.choice(chosen)) if chosen else None

    def emit(
        self, op: str, inputs: Sequence[str | None], results: Sequence[Tensor], options: str = "", **fields: Any
    ) -> None:
        """An operator, whose results are unused so far."""
        made = [self.add(tensor) for tensor in results]
        self.nodes.append(Node(op, inputs, made, options, fields, _VERSIONS.get(op, 2)))
        self.unused = [name for name in self.unused if name not in inputs] + made

    def scaled(self, tensor: Tensor, factor: float, shape: Sequence[int]) -> Tensor:
        """A result of another shape whose reals are about ``factor`` times as large, with a zero point of its own."""
        point = 0 if tensor.kind == "INT16" else sum(_RANGES[tensor.kind]) // 2 + int(self.rng.integers(-20, 21))
        scale = float(np.float32(tensor.scales[0] * factor * self.rng.uniform(0.6, 1.6)))
        return Tensor(tuple(shape), scale, point, tensor.kind)

    def weights(self, shape: tuple[int, ...], axis: int) -> Tensor:
        count = shape[axis] if self.rng.random() < 0.7 else 1
        scales = [float(scale) for scale in self.rng.uniform(0.004, 0.02, count)]
        array = self.rng.integers(-127, 128, shape)
        return constant(array, "INT8", scales if count > 1 else scales[0], dimension=axis)

    def bias(self, source: Tensor, weights: Tensor, count: int) -> str:
        kind, scales = ("INT64" if source.kind == "INT16" else "INT32"), [source.scales[0] * s for s in weights.scales]
        return self.add(constant(self.rng.integers(-4000, 4000, count), kind, scales))


_VERSIONS = dict.fromkeys(("RELU", "RELU6", "HARD_SWISH", "PAD", "RESHAPE", "ABS"), 1) | {"FULLY_CONNECTED": 4}
Grow = Callable[[Network, str, Tensor], None]


def _convolution(net: Network, name: str, x: Tensor) -> None:
    _, height, width, features = x.shape
    is_deep, stride = net.rng.random() < 0.6, int(net.rng.integers(1, 3))
    outputs = int(net.rng.integers(1, 9)) if is_deep else features
    kernel = (outputs, 3, 3, features) if is_deep else (1, 3, 3, features)
    weights = net.weights(kernel, 0 if is_deep else 3)
    sizes = (1, -(-height // stride), -(-width // stride), outputs)
    depth = 9 * (features if is_deep else 1)
    result = net.scaled(x, float(np.mean(weights.scales)) * 75 * np.sqrt(depth), sizes)
    window = {"StrideH": stride, "StrideW": stride, "DilationHFactor": 1, "DilationWFactor": 1}
    window |= {"Padding": tflite.Padding.SAME, "FusedActivationFunction": int(net.rng.choice([0, 0, 1, 3]))}
    held, bias = net.add(weights), net.bias(x, weights, outputs)
    if is_deep:
        net.emit("CONV_2D", [name, held, bias], [result], "Conv2DOptions", **window)
    else:
        window["DepthMultiplier"] = 1
        net.emit("DEPTHWISE_CONV_2D", [name, held, bias], [result], "DepthwiseConv2DOptions", **window)


def _dense(net: Network, name: str, x: Tensor) -> None:
    depth = prod(x.shape[1:])
    flat = replace(x, shape=(1, depth))
    if len(x.shape) != 2:
        net.emit("RESHAPE", [name, net.add(constant([1, depth]))], [flat], "ReshapeOptions")
        name = net.unused[-1]
    outputs = int(net.rng.integers(2, 17))
    weights = replace(net.weights((outputs, depth), 0), scale=0.01)
    result = net.scaled(x, 0.75 * np.sqrt(depth), (1, outputs))
    held = net.add(weights)
    bias = net.bias(x, weights, outputs) if net.rng.random() < 0.7 else None
    net.emit("FULLY_CONNECTED", [name, held, bias], [result], "FullyConnectedOptions")


def _binary(net: Network, name: str, x: Tensor) -> None:
    """A sum, difference or product with another tensor of the same shape, with itself, or with a constant."""
    fits = [n for n, t in net.tensors.items() if t.data is None and (t.shape, t.kind) == (x.shape, x.kind)]
    other = str(net.rng.choice(fits))
    op = str(net.rng.choice(["ADD", "SUB", "MUL"]))
    y = net.tensors[other]
    factor = 1.5 if op != "MUL" else 60 * y.scales[0] * (200 if x.kind == "INT16" else 1)
    if op != "MUL" and y.scales[0] > x.scales[0]:
        x = replace(x, scale=y.scales[0])
    result = net.scaled(x, factor, x.shape)
    options = f"{op.capitalize()}Options"
    net.emit(op, [name, other], [result], options, FusedActivationFunction=int(net.rng.choice([0, 0, 1])))


def _extreme(net: Network, name: str, x: Tensor) -> None:
    row = replace(constant(net.rng.integers(-60, 60, x.shape[-1]), x.kind), scale=x.scale, zero_point=x.zero_point)
    op = str(net.rng.choice(["MAXIMUM", "MINIMUM"]))
    net.emit(op, [name, net.add(row)], [x], "MaximumMinimumOptions")


def _unary(net: Network, name: str, x: Tensor) -> None:
    ops = ["LEAKY_RELU", "LOGISTIC", "TANH"] + (["RELU", "RELU6", "HARD_SWISH"] if x.kind != "INT16" else ["ABS"])
    op, low = str(net.rng.choice(ops)), _RANGES[x.kind][0]
    result = net.scaled(x, 1.0, x.shape)
    if op in ("LOGISTIC", "TANH"):
        scale, point = (1 / 256, low) if op == "LOGISTIC" else (1 / 128, low + 128)
        result = Tensor(x.shape, *((2.0**-15, 0) if x.kind == "INT16" else (scale, point)), x.kind)
    if op == "LEAKY_RELU":
        net.emit(op, [name], [result], "LeakyReluOptions", Alpha=float(net.rng.choice([0.1, 0.3])))
    else:
        net.emit(op, [name], [result])


def _pool(net: Network, name: str, x: Tensor) -> None:
    _, height, width, features = x.shape
    op = str(net.rng.choice(["MAX_POOL_2D", "AVERAGE_POOL_2D"]))
    window = {"StrideH": 2, "StrideW": 2, "FilterHeight": 2, "FilterWidth": 2, "Padding": tflite.Padding.SAME}
    net.emit(op, [name], [replace(x, shape=(1, -(-height // 2), -(-width // 2), features))], "Pool2DOptions", **window)


def _mean(net: Network, name: str, x: Tensor) -> None:
    axes = (1, 2) if net.rng.random() < 0.5 else (3,)
    sizes = [1 if i in axes else size for i, size in enumerate(x.shape)]
    net.emit("MEAN", [name, net.add(constant(axes))], [net.scaled(x, 0.4, sizes)], "ReducerOptions", KeepDims=True)


def _requantize(net: Network, name: str, x: Tensor) -> None:
    kind = str(net.rng.choice(["INT8", "UINT8", "INT16"] if x.kind != "INT16" else ["INT8", "INT16"]))
    factor = 2.0 ** (_BITS[x.kind] - _BITS[kind])
    net.emit("QUANTIZE", [name], [net.scaled(replace(x, kind=kind), factor, x.shape)])


def _join(net: Network, name: str, x: Tensor) -> None:
    fits = [n for n, t in net.tensors.items() if t.data is None and replace(t, shape=()) == replace(x, shape=())]
    other = str(net.rng.choice([n for n in fits if net.tensors[n].shape[:-1] == x.shape[:-1]]))
    width = x.shape[-1] + net.tensors[other].shape[-1]
    result = replace(x, shape=(*x.shape[:-1], width))
    net.emit("CONCATENATION", [name, other], [result], "ConcatenationOptions", Axis=-1)


def _move(net: Network, name: str, x: Tensor) -> None:
    _, height, width, features = x.shape
    order = [0, *(int(i) for i in net.rng.permutation([1, 2, 3]))]
    choices: list[tuple[str, Any, list[int]]] = [
        ("TRANSPOSE", order, [x.shape[i] for i in order]),
        ("PAD", [[0, 0], [1, 0], [0, 2], [0, 0]], [1, height + 1, width + 2, features]),
        ("RESHAPE", [1, width, height, features], [1, width, height, features]),
        ("GATHER", [int(i) for i in net.rng.integers(0, features, 3)], [1, height, width, 3]),
    ]
    op, argument, sizes = choices[int(net.rng.integers(len(choices)))]
    fields = {"Axis": 3} if op == "GATHER" else {}
    made = replace(x, shape=tuple(sizes))
    net.emit(op, [name, net.add(constant(argument))], [made], f"{op.capitalize()}Options", **fields)


def _split(net: Network, name: str, x: Tensor) -> None:
    _, height, width, features = x.shape
    first = int(net.rng.integers(1, features)) if features > 1 else 1
    sizes = [first, features - first] if features > 1 else [1]
    parts = [replace(x, shape=(1, height, width, size)) for size in sizes]
    inputs = [name, net.add(constant(sizes)), net.add(constant(3))]
    net.emit("SPLIT_V", inputs, parts, "SplitVOptions", NumSplits=len(parts))


def _resize(net: Network, name: str, x: Tensor) -> None:
    _, height, width, features = x.shape
    sizes = (height + int(net.rng.integers(0, 4)), width * 2)
    op, options = [
        ("RESIZE_BILINEAR", "ResizeBilinearOptions"),
        ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions"),
    ][int(net.rng.integers(2))]
    fields = dict(zip(["HalfPixelCenters"], [True], strict=True)) if net.rng.random() < 0.5 else {}
    net.emit(op, [name, net.add(constant(sizes))], [replace(x, shape=(1, *sizes, features))], options, **fields)


def _softmax(net: Network, name: str, x: Tensor) -> None:
    net.emit("SOFTMAX", [name], [replace(x, scale=1 / 256, zero_point=-128)], "SoftmaxOptions", Beta=1.0)


_GROWTH: list[tuple[Grow, int | None, tuple[str, ...]]] = [
    (_convolution, 4, ("INT8", "INT16")),
    (_convolution, 4, ("INT8",)),
    (_dense, None, ("INT8",)),
    (_binary, None, ("INT8", "UINT8", "INT16")),
    (_binary, None, ("INT8", "UINT8", "INT16")),
    (_extreme, None, ("INT8", "INT16")),
    (_unary, None, ("INT8", "UINT8", "INT16")),
    (_pool, 4, ("INT8", "UINT8", "INT16")),
    (_mean, 4, ("INT8", "UINT8", "INT16")),
    (_requantize, None, ("INT8", "UINT8", "INT16")),
    (_join, None, ("INT8", "UINT8", "INT16")),
    (_move, 4, ("INT8", "UINT8", "INT16")),
    (_split, 4, ("INT8", "UINT8", "INT16")),
    (_resize, 4, ("INT8", "UINT8", "INT16")),
    (_softmax, 2, ("INT8",)),
]
"""What makes a network larger, the rank it takes and the kinds of integers."""


def network(seed: int) -> Graph:
    """A network of 3 to 12 operators with an input or two; every tensor that nothing takes is an output."""
    rng = np.random.default_rng(seed)
    net, kind = Network(rng), str(rng.choice(["INT8", "INT8", "UINT8", "INT16"]))
    sizes = (1, int(rng.integers(3, 9)), int(rng.integers(3, 9)), int(rng.integers(1, 7)))
    point = 0 if kind == "INT16" else sum(_RANGES[kind]) // 2 + int(rng.integers(-20, 20))
    first = Tensor(sizes, float(np.float32(rng.uniform(0.01, 0.08) / (256 if kind == "INT16" else 1))), point, kind)
    inputs = [net.add(first), *([net.add(replace(first, scale=first.scales[0] * 1.7))] if rng.random() < 0.4 else [])]
    net.unused = list(inputs)
    for _ in range(int(rng.integers(3, 13))):
        grow, rank, kinds = _GROWTH[int(rng.integers(len(_GROWTH)))]
        name = net.pick(rank=rank, kinds=kinds)
        if name is not None and prod(net.tensors[name].shape) <= _LARGEST:
            grow(net, name, net.tensors[name])
    outputs = [name for name in net.unused if name not in inputs]
    return Graph(net.tensors, net.nodes, inputs, outputs or inputs)


def network_file(seed: int) -> bytes:
    """The same as a .tflite file."""
    return write(network(seed))
