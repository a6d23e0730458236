"""LSTM, GRU and RNN of one direction."""

from __future__ import annotations

from typing import Any

from qconvert.backends.onnx.lowering import ComputedTensor, Tensor, Writer, emits
from qconvert.dialects import composite
from qconvert.ir import shape

_OPERATORS = {composite.GruOp: "GRU", composite.RnnOp: "RNN", composite.SequenceLstmOp: "LSTM"}


@emits(*_OPERATORS)
def sequence(op: composite.SequenceOp, write: Writer) -> tuple[Tensor, ...]:
    """Write the operator; its weights and states have a dimension for the directions, of size 1."""
    axis, behind = write.integers([0], "axis"), write.integers([1], "axis")
    roles = ("input", "weights", "state_weights", "biases", "state", "cell", "peepholes")
    names = [write.floats(value, role=role) for value, role in zip(op.operands, roles, strict=False)]
    first, *rest = (name if i == 0 else write.node("Unsqueeze", [name, axis]) for i, name in enumerate(names))
    inputs = [first, *rest[:3], "", *rest[3:]]
    functions = op.functions
    attributes: dict[str, Any] = {
        "hidden_size": shape(op.state)[1],
        "activations": [function.name for function in functions],
        "activation_alpha": [function.alpha for function in functions if function.kind.alpha is not None],
        "activation_beta": [function.beta for function in functions if function.kind.beta is not None],
        "clip": op.limit,
        "linear_before_reset": op.linear_before_reset.value.data if isinstance(op, composite.GruOp) else 0,
        "input_forget": op.input_forget.value.data if isinstance(op, composite.SequenceLstmOp) else 0,
    }
    count = 3 if isinstance(op, composite.SequenceLstmOp) else 2
    write.node(_OPERATORS[type(op)], inputs, count=count, **{key: value for key, value in attributes.items() if value})
    outputs, _, *cells = write.last_outputs()
    made = [write.node("Squeeze", [outputs, behind]), *(write.node("Squeeze", [cell, axis]) for cell in cells)]
    return tuple(ComputedTensor(name, write.own_layout(result)) for name, result in zip(made, op.results, strict=True))
