"""Activation composites, in the operand's float type and in onnxruntime's order of operations.

Source: the formulas in the docstrings of ``dialects/composite/activation.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from xdsl.ir import Operation

from qconvert import numerics
from qconvert.dialects import composite
from qconvert.interpreter.elementwise import logistic, through_float
from qconvert.interpreter.implementation import Array, implements


def _elu(x: Array, alpha: float) -> Array:
    return np.where(x >= 0, x, alpha * (np.exp(x) - 1))


def _selu(x: Array, alpha: float, gamma: float) -> Array:
    halves: Array = np.maximum(x, 0) + np.minimum(alpha * (np.exp(x) - 1), 0)
    return gamma * halves


def _hard_sigmoid(x: Array, alpha: float, beta: float) -> Array:
    return np.clip(alpha * x + beta, 0, 1)


def _softplus(x: Array) -> Array:
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


def _gelu(op: composite.GeluOp, x: Array) -> Array:
    if op.tanh is None:
        middle: Array = numerics.erf(x * composite.SQRT_HALF)
    else:
        middle = np.tanh(x * (composite.GELU_INNER * composite.GELU_CUBIC * x * x + composite.GELU_INNER))
    return 0.5 * x * (middle + 1)


# Each function takes the op and its operands' float values. numpy converts Python numbers to the arrays' type.
_FUNCTIONS: dict[type[Operation], Callable[..., Any]] = {
    composite.CeluOp: lambda op, x: op.factor * _elu(x / op.factor, 1.0),
    composite.EluOp: lambda op, x: _elu(x, op.factor),
    composite.ErfOp: lambda _, x: numerics.erf(x),
    composite.GeluOp: _gelu,
    composite.HardSigmoidOp: lambda op, x: _hard_sigmoid(x, op.alpha.value.data, op.beta.value.data),
    composite.HardSwishOp: lambda _, x: x * _hard_sigmoid(x, 1 / 6, 0.5),
    composite.LeakyReluOp: lambda op, x: np.where(x >= 0, x, op.factor * x),
    composite.MishOp: lambda _, x: x * np.tanh(_softplus(x)),
    composite.PReluOp: lambda _, x, slope: np.where(x > 0, x, x * slope),
    composite.ReciprocalOp: lambda _, x: 1 / x,
    composite.SeluOp: lambda op, x: _selu(x, op.alpha.value.data, op.gamma.value.data),
    composite.SoftplusOp: lambda _, x: _softplus(x),
    composite.SoftsignOp: lambda _, x: 1 / (1 + np.abs(x)) * x,
    composite.SwishOp: lambda op, x: x * logistic(op.factor * x),
    composite.ThresholdedReluOp: lambda op, x: np.where(x > op.factor, x, 0),
}


@implements(*_FUNCTIONS)
def activation(op: Operation, operands: Sequence[Array]) -> Array:
    """Apply the op's function."""
    return through_float(op, operands, partial(_FUNCTIONS[type(op)], op))


@implements(composite.LookupOp)
def lookup(op: composite.LookupOp, operands: Sequence[Array]) -> Array:
    """Return the entry of each storage integer, counted from the lowest integer of its width."""
    (storage,) = operands
    values: Array = op.values.array[storage.astype(np.int64) - np.iinfo(storage.dtype).min]
    return values
