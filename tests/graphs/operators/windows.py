"""Pools, reductions and normalizations."""

from __future__ import annotations

import math

import numpy as np

from tests.graphs.network import Drawing, MisfitError, Raw, Shape, integers, number
from tests.graphs.operators.contraction import window
from tests.graphs.operators.registry import operator


@operator("pool", 4)
def pool(net: Drawing, x: str, shape: Shape) -> str:
    """MaxPool and AveragePool, with ceil_mode and count_include_pad."""
    if len(shape) not in (3, 4):
        raise MisfitError
    attributes = window(net, shape[2:])
    attributes["ceil_mode"] = net.number(0, 1) if net.chance(0.3) else 0
    if net.chance(0.5):
        return net.add("MaxPool", [x], keeps=net.chance(0.7), **attributes)[0]
    return net.add("AveragePool", [x], count_include_pad=net.number(0, 1), **attributes)[0]


@operator("global_pool", 3)
def global_pool(net: Drawing, x: str, shape: Shape) -> str:
    """GlobalAveragePool and GlobalMaxPool."""
    if len(shape) < 3:
        raise MisfitError
    return net.add(net.one_of("GlobalAveragePool", "GlobalMaxPool"), [x])[0]


_REDUCTIONS = ("ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "ReduceSumSquare")


@operator("reduction", 4)
def reduction(net: Drawing, x: str, shape: Shape) -> str:
    """A reduction over some axes, over all, or (an empty list) over none."""
    op_type, keepdims = str(net.one_of(*_REDUCTIONS, "ReduceMean")), net.number(0, 1)
    if net.chance(0.08):
        return net.add(op_type, [x, integers()], keepdims=keepdims, noop_with_empty_axes=net.number(0, 1))[0]
    count = net.number(1, len(shape))
    axes = [int(i) - (len(shape) if net.chance(0.2) else 0) for i in net.rng.choice(len(shape), count, replace=False)]
    return net.add(op_type, [x, integers(*axes)], keepdims=keepdims)[0]


@operator("reduction", 2)
def wide_reduction(net: Drawing, x: str, shape: Shape) -> str:
    """Reductions whose elements must be positive, or whose results grow with their number."""
    if not shape:
        raise MisfitError
    op_type, axes = str(net.one_of("ReduceLogSum", "ReduceLogSumExp", "ReduceProd")), [net.number(0, len(shape) - 1)]
    if op_type == "ReduceLogSum":
        [x] = net.add("Abs", [x])
        [x] = net.add("Add", [x, number(0.5)])
    return net.add(op_type, [x, integers(*axes)], keepdims=net.number(0, 1))[0]


@operator("extreme_index")
def extreme_index(net: Drawing, x: str, shape: Shape) -> str:
    """ArgMax and ArgMin, whose results are outputs."""
    op_type, axis = net.one_of("ArgMax", "ArgMin"), net.number(0, len(shape) - 1)
    return net.add(op_type, [x], axis=axis, keepdims=net.number(0, 1))[0]


@operator("softmax", 2)
def softmax(net: Drawing, x: str, shape: Shape) -> str:
    """Softmax and LogSoftmax along any axis."""
    op_type = net.one_of("Softmax", "Softmax", "Softmax", "LogSoftmax")
    return net.add(op_type, [x], axis=net.number(-1, len(shape) - 1))[0]


@operator("normalization", 2)
def channel_normalization(net: Drawing, x: str, shape: Shape) -> str:
    """BatchNormalization and InstanceNormalization."""
    if len(shape) < 3 or math.prod(shape[2:]) < 3:
        raise MisfitError
    scale, shift = Raw(1 + net.normal(shape[1])), Raw(net.normal(shape[1]))
    if net.chance(0.5):
        mean, variance = Raw(net.normal(shape[1])), Raw(0.5 + np.abs(net.normal(shape[1])))
        return net.add("BatchNormalization", [x, scale, shift, mean, variance])[0]
    return net.add("InstanceNormalization", [x, scale, shift])[0]


@operator("normalization", 2)
def layer_normalization(net: Drawing, x: str, shape: Shape) -> str:
    """LayerNormalization over the last dimension."""
    if not shape or shape[-1] < 3:
        raise MisfitError
    scale, shift = Raw(1 + net.normal(shape[-1])), Raw(net.normal(shape[-1]))
    return net.add("LayerNormalization", [x, scale, shift], axis=-1)[0]


@operator("normalization", 2)
def root_normalization(net: Drawing, x: str, shape: Shape) -> str:
    """RMSNormalization, and onnxruntime's older form of it."""
    if not shape or shape[-1] < 3:
        raise MisfitError
    scale = Raw(1 + net.normal(shape[-1]))
    if net.chance(0.5):
        return net.add("RMSNormalization", [x, scale], axis=-1)[0]
    return net.add("SimplifiedLayerNormalization", [x, scale], results=[("real", shape)], axis=-1)[0]


@operator("normalization", 2)
def neighbour_normalization(net: Drawing, x: str, shape: Shape) -> str:
    """LRN over channels, GroupNormalization."""
    if len(shape) < 3 or math.prod(shape[2:]) < 3:
        raise MisfitError
    if net.chance(0.5):
        return net.add("LRN", [x], size=net.number(1, 5), alpha=0.01, beta=0.6, bias=1.5)[0]
    groups = math.gcd(shape[1], int(net.one_of(1, 2, 4)))
    scale, shift = Raw(1 + net.normal(shape[1])), Raw(net.normal(shape[1]))
    return net.add("GroupNormalization", [x, scale, shift], results=[("real", shape)], num_groups=groups)[0]


@operator("normalization", 2)
def length_normalization(net: Drawing, x: str, shape: Shape) -> str:
    """LpNormalization along an axis."""
    return net.add("LpNormalization", [x], axis=net.number(0, len(shape) - 1), p=2)[0]
