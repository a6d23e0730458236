"""What random graphs are made of: each function adds an operator behind a value if its shape admits it.

Source: the ONNX operators' own shape rules, restated here so that a wrong one shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from tests.support.qdq_networks import Bias, Graph, Input, Raw, Shape, Weight

Maker: TypeAlias = Callable[[Graph, str, Shape], "str | None"]

MOST_ELEMENTS = 3000


def grow(graph: Graph) -> None:
    """Add an operator behind one of the newest values, then perhaps an activation that shares its quantizer."""
    while True:
        name = str(graph.one_of(*graph.free[-3:]))
        maker = MAKERS[int(graph.rng.choice(len(MAKERS), p=WEIGHTS))]
        if maker(graph, name, graph.shapes[name]) is not None:
            return


def _integers(*values: int) -> Raw:
    return Raw(np.asarray(values, np.int64))


def _activated(graph: Graph, op_type: str, inputs: list[Input], shape: Shape, **attributes: Any) -> str:
    """An operator with a quantizer behind it, or behind a Relu or Clip that follows it."""
    fused = graph.chance(0.4)
    made = graph.add(op_type, inputs, shape, quantized=not fused, **attributes)
    if not fused:
        return made
    if graph.chance(0.6):
        return graph.add("Relu", [made], shape)
    bounds = graph.one_of((0.0, 6.0), (-1.0, 1.0), (0.5, 2.0))
    return graph.add("Clip", [made, *(Raw(np.float32(bound)) for bound in bounds)], shape)


def _bias(graph: Graph, size: int) -> list[Input]:
    return [Bias(graph.normal(size))] if graph.chance(0.6) else []


def _windows(
    graph: Graph, extents: Shape, kernel: Shape, *, dilated: bool
) -> tuple[dict[str, list[int]], Shape] | None:
    """Strides, pads and dilations that fit, and the extents of the result."""
    rng, rank = graph.rng, len(kernel)
    strides = [int(s) for s in rng.integers(1, 3, rank)]
    dilations = [int(d) for d in rng.integers(1, 3, rank)] if dilated else [1] * rank
    pads = [int(rng.integers(0, kernel[i % rank])) for i in range(2 * rank)]
    reach = [d * (k - 1) + 1 for d, k in zip(dilations, kernel, strict=True)]
    padded = [extents[i] + pads[i] + pads[i + rank] for i in range(rank)]
    if any(p < r for p, r in zip(padded, reach, strict=True)):
        return None
    result = tuple((p - r) // s + 1 for p, r, s in zip(padded, reach, strides, strict=True))
    attributes = {"kernel_shape": list(kernel), "strides": strides, "pads": pads}
    return attributes | ({"dilations": dilations} if dilated else {}), result


def convolution(graph: Graph, x: str, shape: Shape) -> str | None:
    if len(shape) not in (3, 4):
        return None
    batch, channels, *extents = shape
    group = int(graph.one_of(1, 1, channels, math.gcd(channels, 2)))
    outputs = group * int(graph.rng.integers(1, 4))
    kernel = tuple(int(k) for k in graph.rng.integers(1, 4, len(extents)))
    fit = _windows(graph, tuple(extents), kernel, dilated=graph.chance(0.3))
    if fit is None:
        return None
    weight = Weight(graph.normal(outputs, channels // group, *kernel), graph.one_of(None, 0))
    inputs = [x, weight, *_bias(graph, outputs)]
    return _activated(graph, "Conv", inputs, (batch, outputs, *fit[1]), group=group, **fit[0])


def transposed_convolution(graph: Graph, x: str, shape: Shape) -> str | None:
    if len(shape) != 4 or math.prod(shape) > 600:
        return None
    batch, channels, *extents = shape
    stride, kernel = int(graph.rng.integers(1, 3)), int(graph.rng.integers(2, 4))
    outputs = int(graph.rng.integers(1, 4))
    result = [(extent - 1) * stride + kernel for extent in extents]
    inputs = [x, Weight(graph.normal(channels, outputs, kernel, kernel)), *_bias(graph, outputs)]
    return _activated(graph, "ConvTranspose", inputs, (batch, outputs, *result), strides=[stride, stride])


def pool(graph: Graph, x: str, shape: Shape) -> str | None:
    if len(shape) not in (3, 4):
        return None
    kernel = tuple(int(k) for k in graph.rng.integers(1, 4, len(shape) - 2))
    fit = _windows(graph, shape[2:], kernel, dilated=False)
    if fit is None:
        return None
    if graph.chance(0.5):
        return graph.add("MaxPool", [x], (*shape[:2], *fit[1]), keeps=graph.chance(0.7), **fit[0])
    counts = int(graph.chance(0.5))
    return graph.add("AveragePool", [x], (*shape[:2], *fit[1]), count_include_pad=counts, **fit[0])


def global_pool(graph: Graph, x: str, shape: Shape) -> str | None:
    if len(shape) != 4:
        return None
    return graph.add(graph.one_of("GlobalAveragePool", "GlobalMaxPool"), [x], (*shape[:2], 1, 1))


def fully_connected(graph: Graph, x: str, shape: Shape) -> str | None:
    if len(shape) != 2:
        return None
    outputs, transposed = int(graph.rng.integers(1, 9)), int(graph.chance(0.5))
    axis = graph.one_of(None, 0 if transposed else 1)
    size = (outputs, shape[1]) if transposed else (shape[1], outputs)
    inputs = [x, Weight(graph.normal(*size), axis), *_bias(graph, outputs)]
    return _activated(graph, "Gemm", inputs, (shape[0], outputs), transB=transposed)


def product_with_weights(graph: Graph, x: str, shape: Shape) -> str | None:
    if len(shape) < 2:
        return None
    outputs = int(graph.rng.integers(1, 9))
    weight = Weight(graph.normal(shape[-1], outputs), graph.one_of(None, 1))
    return _activated(graph, "MatMul", [x, weight], (*shape[:-1], outputs))


def product_with_itself(graph: Graph, x: str, shape: Shape) -> str | None:
    """``x @ transpose(x)``: two activations, both with zero points."""
    if len(shape) < 2 or shape[-2] > 12:
        return None
    permutation = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
    flipped = graph.add("Transpose", [x], [shape[i] for i in permutation], keeps=True, perm=permutation)
    return graph.add("MatMul", [x, flipped], (*shape[:-1], shape[-2]))


_UNARY: dict[str, dict[str, float]] = {
    "Abs": {},
    "Ceil": {},
    "Celu": {"alpha": 0.6},
    "Elu": {"alpha": 0.7},
    "Erf": {},
    "Gelu": {},
    "HardSigmoid": {"alpha": 0.3},
    "HardSwish": {},
    "Identity": {},
    "LeakyRelu": {"alpha": 0.1},
    "Mish": {},
    "Neg": {},
    "Relu": {},
    "Round": {},
    "Selu": {},
    "Sigmoid": {},
    "Sign": {},
    "Softplus": {},
    "Softsign": {},
    "Tanh": {},
    "ThresholdedRelu": {"alpha": 0.4},
}


def unary(graph: Graph, x: str, shape: Shape) -> str | None:
    op_type = str(graph.one_of(*_UNARY))
    return graph.add(op_type, [x], shape, **_UNARY[op_type])


def binary(graph: Graph, x: str, shape: Shape) -> str | None:
    """With a value of the same shape, or with weights that are broadcast."""
    op_type = str(graph.one_of("Add", "Add", "Add", "Mul", "Mul", "Sub", "Max", "Min"))
    if graph.chance(0.7):
        operands: list[Input] = [x, graph.like(x)]
    else:
        broadcast = [size if graph.chance(0.5) else 1 for size in shape]
        operands = [x, Weight(graph.normal(*broadcast))]
    if graph.chance(0.3):
        operands.reverse()
    if op_type in ("Max", "Min"):
        return graph.add(op_type, operands, shape)
    return _activated(graph, op_type, operands, shape)


def chain(graph: Graph, x: str, shape: Shape) -> str | None:
    """Float operators in a row with one quantizer behind all."""
    made = graph.add("Clip", [x, Raw(np.float32(-3)), Raw(np.float32(3))], shape, quantized=False)
    if graph.chance(0.5):
        return graph.add("Exp", [made], shape)
    shifted = graph.add(
        "Add", [graph.add("Abs", [made], shape, quantized=False), Raw(np.float32(0.5))], shape, quantized=False
    )
    return graph.add(graph.one_of("Log", "Reciprocal", "Sqrt"), [shifted], shape)


def channel_slope(graph: Graph, x: str, shape: Shape) -> str | None:
    slope = Weight(graph.normal(shape[1], *[1] * (len(shape) - 2)))
    return graph.add("PRelu", [x, slope], shape)


def quotient(graph: Graph, x: str, shape: Shape) -> str | None:
    return graph.add("Div", [x, Raw(np.float32(graph.one_of(0.7, 4.0, -3.0)))], shape)


def choice(graph: Graph, x: str, shape: Shape) -> str | None:
    """By a mask that is broadcast."""
    mask = Raw(graph.rng.random([size if graph.chance(0.7) else 1 for size in shape]) < 0.5)
    return graph.add("Where", [mask, x, graph.like(x)], shape)


def channel_normalization(graph: Graph, x: str, shape: Shape) -> str | None:
    if len(shape) < 3 or math.prod(shape[2:]) < 3:
        return None
    scale, shift = Raw(1 + graph.normal(shape[1])), Raw(graph.normal(shape[1]))
    if graph.chance(0.5):
        mean, variance = Raw(graph.normal(shape[1])), Raw(0.5 + np.abs(graph.normal(shape[1])))
        return graph.add("BatchNormalization", [x, scale, shift, mean, variance], shape)
    return graph.add("InstanceNormalization", [x, scale, shift], shape)


def softmax(graph: Graph, x: str, shape: Shape) -> str | None:
    return graph.add("Softmax", [x], shape, axis=int(graph.rng.integers(-1, len(shape))))


def layer_normalization(graph: Graph, x: str, shape: Shape) -> str | None:
    if shape[-1] < 3:
        return None
    scale, shift = Raw(1 + graph.normal(shape[-1])), Raw(graph.normal(shape[-1]))
    return graph.add("LayerNormalization", [x, scale, shift], shape, axis=-1)


def reduction(graph: Graph, x: str, shape: Shape) -> str | None:
    axes = sorted({int(a) for a in graph.rng.integers(0, len(shape), 2)})
    keepdims = int(graph.chance(0.6) or len(shape) - len(axes) < 2)
    result = [1 if i in axes else size for i, size in enumerate(shape) if keepdims or i not in axes]
    op_type = graph.one_of(
        "ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "ReduceSumSquare"
    )
    return graph.add(op_type, [x, _integers(*axes)], result, keepdims=keepdims)


def concatenation(graph: Graph, x: str, shape: Shape) -> str | None:
    axis = int(graph.rng.integers(0, len(shape)))
    parts = [x, *(graph.like(x) for _ in range(int(graph.rng.integers(1, 3))))]
    result = [size * len(parts) if i == axis else size for i, size in enumerate(shape)]
    if math.prod(result) > MOST_ELEMENTS:
        return None
    return graph.add("Concat", parts, result, keeps=graph.chance(0.3), axis=axis)


def transposition(graph: Graph, x: str, shape: Shape) -> str | None:
    permutation = [int(i) for i in graph.rng.permutation(len(shape))]
    return graph.add("Transpose", [x], [shape[i] for i in permutation], keeps=graph.chance(0.8), perm=permutation)


def reshaping(graph: Graph, x: str, shape: Shape) -> str | None:
    if graph.chance(0.4):
        axis = int(graph.rng.integers(1, len(shape)))
        result: Shape = (math.prod(shape[:axis]), math.prod(shape[axis:]))
        return graph.add("Flatten", [x], result, keeps=graph.chance(0.8), axis=axis)
    at = int(graph.rng.integers(0, len(shape) - 1))
    result = (*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :])
    if len(result) < 2:
        result = (*result, 1)
    return graph.add("Reshape", [x, _integers(*result)], result, keeps=graph.chance(0.8))


def unit_dimension(graph: Graph, x: str, shape: Shape) -> str | None:
    keeps = graph.chance(0.8)
    if 1 in shape and len(shape) > 2:
        axis = shape.index(1)
        return graph.add("Squeeze", [x, _integers(axis)], (*shape[:axis], *shape[axis + 1 :]), keeps=keeps)
    axis = int(graph.rng.integers(0, len(shape) + 1))
    if len(shape) > 3:
        return None
    return graph.add("Unsqueeze", [x, _integers(axis)], (*shape[:axis], 1, *shape[axis:]), keeps=keeps)


def repetition(graph: Graph, x: str, shape: Shape) -> str | None:
    axis = int(graph.rng.integers(0, len(shape)))
    result = [size * 2 if i == axis else size for i, size in enumerate(shape)]
    if math.prod(result) > MOST_ELEMENTS:
        return None
    counts = [2 if i == axis else 1 for i in range(len(shape))]
    if shape[axis] == 1:
        return graph.add("Expand", [x, _integers(*counts)], result, keeps=graph.chance(0.8))
    return graph.add("Tile", [x, _integers(*counts)], result, keeps=graph.chance(0.8))


def blocks(graph: Graph, x: str, shape: Shape) -> str | None:
    if len(shape) != 4:
        return None
    batch, channels, height, width = shape
    if channels % 4 == 0:
        mode = graph.one_of("DCR", "CRD")
        result = (batch, channels // 4, height * 2, width * 2)
        return graph.add("DepthToSpace", [x], result, keeps=graph.chance(0.8), blocksize=2, mode=mode)
    if height % 2 or width % 2:
        return None
    result = (batch, channels * 4, height // 2, width // 2)
    return graph.add("SpaceToDepth", [x], result, keeps=graph.chance(0.8), blocksize=2)


def slicing(graph: Graph, x: str, shape: Shape) -> str | None:
    axis = int(graph.rng.integers(0, len(shape)))
    if shape[axis] < 3:
        return None
    start, step = int(graph.rng.integers(0, 2)), int(graph.rng.integers(1, 3))
    result = [len(range(start, size, step)) if i == axis else size for i, size in enumerate(shape)]
    parts = [_integers(start), _integers(shape[axis]), _integers(axis), _integers(step)]
    return graph.add("Slice", [x, *parts], result, keeps=graph.chance(0.8))


def padding(graph: Graph, x: str, shape: Shape) -> str | None:
    mode = graph.one_of("constant", "edge", "reflect")
    if len(shape) != 4 or min(shape[2:]) < 3 or math.prod(shape) > MOST_ELEMENTS // 2:
        return None
    pads = [0, 0, *graph.rng.integers(0, 3, 2), 0, 0, *graph.rng.integers(0, 3, 2)]
    result = [size + int(pads[i] + pads[i + 4]) for i, size in enumerate(shape)]
    return graph.add("Pad", [x, _integers(*map(int, pads))], result, keeps=graph.chance(0.8), mode=mode)


def resizing(graph: Graph, x: str, shape: Shape) -> str | None:
    if len(shape) != 4 or math.prod(shape) > MOST_ELEMENTS // 4:
        return None
    result = (*shape[:2], shape[2] * 2, shape[3] * 2)
    mode = graph.one_of("nearest", "linear")
    sizes = [x, None, Raw(np.asarray([1, 1, 2, 2], np.float32))]
    return graph.add("Resize", sizes, result, keeps=mode == "nearest" and graph.chance(0.8), mode=mode)


def selection(graph: Graph, x: str, shape: Shape) -> str | None:
    axis = int(graph.rng.integers(0, len(shape)))
    indices = graph.rng.integers(0, shape[axis], 3)
    result = [3 if i == axis else size for i, size in enumerate(shape)]
    return graph.add("Gather", [x, Raw(indices.astype(np.int64))], result, keeps=graph.chance(0.8), axis=axis)


_SHARES: dict[Maker, int] = {
    convolution: 6,
    fully_connected: 3,
    product_with_weights: 3,
    product_with_itself: 1,
    transposed_convolution: 1,
    pool: 3,
    global_pool: 1,
    unary: 5,
    chain: 1,
    binary: 5,
    channel_slope: 1,
    quotient: 1,
    choice: 1,
    softmax: 1,
    channel_normalization: 1,
    layer_normalization: 1,
    reduction: 2,
    concatenation: 2,
    transposition: 2,
    reshaping: 2,
    unit_dimension: 1,
    repetition: 1,
    blocks: 1,
    slicing: 1,
    padding: 1,
    resizing: 1,
    selection: 1,
}
MAKERS: tuple[Maker, ...] = tuple(_SHARES)
WEIGHTS = np.asarray(list(_SHARES.values())) / sum(_SHARES.values())
