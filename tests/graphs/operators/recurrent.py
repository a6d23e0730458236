"""Recurrent networks in every direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.graphs.network import MICROSOFT, Drawing, Input, MisfitError, Raw, Shape, Weight
from tests.graphs.operators.registry import operator

_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
_UNITS = 3


@operator("recurrent", 6)
def recurrent(net: Drawing, x: str, shape: Shape) -> list[str]:
    """LSTM, GRU or RNN over the first dimension; its steps' results and its last state."""
    op_type, direction, count = _layer(net, shape)
    rows = _GATES[op_type] * _UNITS
    inputs: list[Input] = [x, *_weights(net, (count, rows, shape[2]), (count, rows, _UNITS))]
    inputs += [Raw(0.2 * net.normal(count, 2 * rows))] if net.chance(0.7) else []
    if len(inputs) == 4 and net.chance(0.3):
        inputs += [None, Raw(net.normal(count, shape[1], _UNITS))]
    attributes: dict[str, Any] = {"hidden_size": _UNITS, "direction": direction}
    if op_type == "GRU" and net.chance(0.5):
        attributes["linear_before_reset"] = 1
    if op_type == "RNN" and net.chance(0.3):
        attributes["activations"] = ["Relu"] * count
    return net.add(op_type, inputs, count=net.number(1, 3 if op_type == "LSTM" else 2), **attributes)


def _layer(net: Drawing, shape: Shape) -> tuple[str, str, int]:
    if len(shape) != 3 or shape[0] > 8 or shape[1] > 8:
        raise MisfitError
    direction = str(net.one_of("forward", "reverse", "bidirectional"))
    return str(net.one_of(*_GATES)), direction, 1 + (direction == "bidirectional")


def _weights(net: Drawing, *sizes: Shape) -> list[Input]:
    """Weights in floats, or quantized as a whole."""
    arrays = [net.normal(*size) for size in sizes]
    return [Weight(array) for array in arrays] if net.chance(0.5) else [Raw(array) for array in arrays]


@operator("recurrent", 3)
def dynamic_lstm(net: Drawing, x: str, shape: Shape) -> list[str]:
    """The LSTM of onnxruntime with integer weights, whose activations are quantized at run time."""
    _, direction, count = _layer(net, shape)
    rows, batch = 4 * _UNITS, shape[1]
    scale, zero_point = Raw(np.full(count, 0.006, np.float32)), Raw(np.zeros(count, np.int8))
    weights = [Raw(net.rng.integers(-127, 128, (count, size, rows)).astype(np.int8)) for size in (shape[2], _UNITS)]
    inputs: list[Input] = [x, *weights, Raw(0.2 * net.normal(count, 2 * rows)), None, None, None, None]
    inputs += [scale, zero_point, scale, zero_point]
    results = [("real", (shape[0], count, batch, _UNITS)), *[("real", (count, batch, _UNITS))] * 2]
    attributes = {"hidden_size": _UNITS, "direction": direction}
    return net.add("DynamicQuantizeLSTM", inputs, domain=MICROSOFT, results=results, **attributes)
