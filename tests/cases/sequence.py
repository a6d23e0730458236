"""LSTM, GRU and RNN of ONNX beside onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.onnx_cases import Array, Case, Known, one_op, random
from tests.support.operator_rows import Row, Within

CLOSE = Within(2e-5, 2e-6)
"""Sums in another order, and onnxruntime's own approximations of logistic and tanh."""

STEPS, BATCH, FEATURES, UNITS = 5, 2, 3, 4
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def small(*shape: int, seed: int) -> Array:
    return np.asarray(random(*shape, seed=seed) / 6, np.float32)


def layer(op_type: str, direction: str = "forward", states: bool = False, peepholes: bool = False, **more: Any) -> Case:
    count, rows = 2 if direction == "bidirectional" else 1, GATES[op_type] * UNITS
    is_batch_first = bool(more.get("layout"))
    sizes = (BATCH, STEPS) if is_batch_first else (STEPS, BATCH)
    state = (BATCH, count, UNITS) if is_batch_first else (count, BATCH, UNITS)
    inputs: list[Any] = [
        random(*sizes, FEATURES),
        Known(small(count, rows, FEATURES, seed=1)),
        Known(small(count, rows, UNITS, seed=2)),
        Known(small(count, 2 * rows, seed=3)),
        Known(np.full(BATCH, STEPS, np.int32)) if states else None,
        small(*state, seed=4) if states else None,
    ]
    if op_type == "LSTM":
        inputs += [
            small(*state, seed=5) if states else None,
            Known(small(count, 3 * UNITS, seed=6)) if peepholes else None,
        ]
    while inputs[-1] is None:
        inputs.pop()
    outputs = 3 if op_type == "LSTM" else 2
    return one_op(op_type, inputs, outputs=outputs, hidden_size=UNITS, direction=direction, opset=17, **more)


NUMBERS = {
    "Affine": (0.9, 0.1),
    "ScaledTanh": (1.5, 0.7),
    "HardSigmoid": (0.3, 0.4),
    "LeakyRelu": (0.2,),
    "Elu": (0.7,),
}
NUMBERS |= {"ThresholdedRelu": (0.1,), "Relu": (), "Softsign": (), "Softplus": ()}


def activated(name: str) -> Case:
    numbers = NUMBERS[name]
    more: dict[str, Any] = {"activation_alpha": [numbers[0]]} if numbers else {}
    more |= {"activation_beta": [numbers[1]]} if len(numbers) > 1 else {}
    return layer("RNN", activations=[name], **more)


def dynamic(direction: str = "forward", columns: bool = False, states: bool = False, batch: int = BATCH) -> Case:
    """Return an LSTM with integer weights, one scale for each direction or for each column."""
    count, rows = 2 if direction == "bidirectional" else 1, 4 * UNITS
    sizes = (count, rows) if columns else (count,)
    scales = [Known(np.linspace(0.004, 0.008, count * (rows if columns else 1), dtype=np.float32).reshape(sizes))] * 2
    zero_points = Known(np.zeros(sizes, np.int8))
    state = small(count, batch, UNITS, seed=4) if states else None
    inputs: list[Any] = [
        random(STEPS, batch, FEATURES),
        Known(random(count, FEATURES, rows, seed=1, dtype=np.int8)),
        Known(random(count, UNITS, rows, seed=2, dtype=np.int8)),
        Known(small(count, 2 * rows, seed=3)),
        None,
        state,
        state,
        None,
        *(scales[0], zero_points, scales[1], zero_points),
    ]
    more = {"hidden_size": UNITS, "direction": direction}
    return one_op("DynamicQuantizeLSTM", inputs, outputs=3, domain="com.microsoft", opset=17, **more)


ONNX: dict[str, Row] = {
    **{
        f"{op} {direction} {'with states' if states else ''}": Row(layer(op, direction, states), CLOSE, tosa=CLOSE)
        for op in GATES
        for direction in ("forward", "reverse", "bidirectional")
        for states in (False, True)
    },
    **{f"{op} with a clip": Row(layer(op, clip=0.2), CLOSE) for op in GATES},
    "GRU linear before reset": Row(layer("GRU", linear_before_reset=1), CLOSE, tosa=CLOSE),
    "LSTM with peepholes": Row(layer("LSTM", peepholes=True), CLOSE, tosa=CLOSE),
    "LSTM with peepholes, both directions": Row(layer("LSTM", "bidirectional", True, peepholes=True), CLOSE),
    "LSTM with coupled gates": Row(layer("LSTM", input_forget=1), CLOSE),
    **{f"RNN with {name}": Row(activated(name), CLOSE) for name in NUMBERS},
    "LSTM with other activations": Row(
        layer("LSTM", activations=["HardSigmoid", "Relu", "Softsign"], activation_alpha=[0.3], activation_beta=[0.4]),
        CLOSE,
    ),
    **{
        f"DynamicQuantizeLSTM {direction} {'columns' if columns else ''}": Row(
            dynamic(direction, columns), CLOSE, tosa=CLOSE
        )
        for direction in ("forward", "reverse", "bidirectional")
        for columns in (False, True)
    },
    "DynamicQuantizeLSTM from a state": Row(dynamic(states=True, batch=1), CLOSE, tosa=CLOSE),
}
