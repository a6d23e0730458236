"""UNIDIRECTIONAL_SEQUENCE_LSTM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import tflite
from xdsl.ir import Attribute, SSAValue

from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, emits
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.ir import element_type, shape
from qconvert.rewriting import only_user
from qconvert.support.errors import ConversionError

_TIME_FIRST = (1, 0, 2)
_PLACES = (range(1, 5), range(5, 9), range(12, 16))
"""The places of weights, recurrent weights and biases among the inputs; without an input gate the first is absent."""

_STATE, _CELL, _INPUTS = 18, 19, 24
"""The places of the states, and the number of inputs."""


@emits(composite.LstmOp)
def lstm(op: composite.LstmOp, write: Writer) -> Tensor:
    """Write one operator, whose states are variables; transposes of batch and time around it become its option."""
    source, result = _outside(op)
    output, (batch, _, units) = write.result(result), shape(op.result)
    inputs: list[Tensor | None] = [None] * _INPUTS
    inputs[0] = write[source]
    for places, values in zip(_PLACES, composite.thirds(op.parameters), strict=True):
        for place, value in zip(places[len(places) - len(values) :], values, strict=True):
            inputs[place] = _parameter(value, write)
    inputs[_STATE] = _variable(write, output, "state", (batch, units), output.element)
    inputs[_CELL] = _variable(write, output, "cell", (batch, units), op.cell_type)
    activation = tflite.ActivationFunctionType.TANH
    fields = {"FusedActivationFunction": activation, "CellClip": op.clip, "TimeMajor": result is not op.result}
    write.operator(
        tflite.BuiltinOperator.UNIDIRECTIONAL_SEQUENCE_LSTM,
        inputs,
        output,
        Options("UnidirectionalSequenceLSTMOptions", fields),
        intermediates=_intermediates(write, output, op.gate_type),
    )
    write.define(result, output)
    return output


def _outside(op: composite.LstmOp) -> tuple[SSAValue, SSAValue]:
    """Return operand and result in the file: those outside of two transposes that exchange batch and time."""
    before, after = op.operand.owner, only_user(op.result)
    pair = [step for step in (before, after) if isinstance(step, stablehlo.TransposeOp)]
    if len(pair) == 2 and all(stablehlo.as_tuple(step.permutation) == _TIME_FIRST for step in pair):
        return pair[0].operand, pair[1].result
    return op.operand, op.result


def _parameter(value: SSAValue, write: Writer) -> Tensor:
    """Return weights as (units, features), a bias as it is; raises ConversionError if it is computed at run time."""
    array = constant_array(value)
    if array is None:
        raise ConversionError("LiteRT's LSTM of integers has constant weights and biases, found computed ones")
    return write.constant(np.asarray(array.T, order="C"), element_type(value), write.named(value))


def _variable(write: Writer, output: Tensor, role: str, sizes: Sequence[int], element: Attribute) -> Tensor:
    return replace(write.derived(output, role, sizes, element), is_variable=True)


def _intermediates(write: Writer, output: Tensor, gate: Attribute) -> list[Tensor]:
    """Return the types of the gates' sums and of the output before it is clipped, which the integer kernel reads."""
    if output.quantization is None:
        return []
    return [write.derived(output, "intermediate", (0,), element) for element in (*[gate] * 4, output.element)]
