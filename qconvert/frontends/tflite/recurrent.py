"""UNIDIRECTIONAL_SEQUENCE_LSTM of 8-bit integers with a cell state of 16 bits."""

from __future__ import annotations

import numpy as np
import tflite
from xdsl.ir import SSAValue

from qconvert.dialects import composite
from qconvert.dialects.quant import Storage, UniformQuantizedType
from qconvert.dialects.types import quantized, shape
from qconvert.errors import ConversionError
from qconvert.frontends.tflite.context import OpContext, element_of, litert, tflite_op
from qconvert.frontends.tflite.contraction import ACCUMULATOR
from qconvert.interpreter.recurrent import LstmFactors

_WEIGHTS, _STATE_WEIGHTS, _BIASES = range(1, 5), range(5, 9), range(12, 16)
_STATE, _CELL = 18, 19
_HIDDEN = 4
"""Where an LSTM has its tensors; the last counts among its intermediates, whose others are of layer normalizations."""

_GATE = UniformQuantizedType.per_tensor(Storage.full(16, signed=True), 2.0**-12, 0)
"""What LiteRT holds the gates' sums in."""

_REFUSED = {range(9, 12): "peepholes", range(16, 18): "a projection", range(20, 24): "layer normalization"}


@tflite_op("UNIDIRECTIONAL_SEQUENCE_LSTM")
def unidirectional_sequence_lstm(ctx: OpContext) -> SSAValue:
    """From a state of zeros, (batch, time, features) or, time major, (time, batch, features)."""
    options = ctx.options(tflite.UnidirectionalSequenceLSTMOptions)
    _check(ctx, options)
    source, result = _quantized_input(ctx), ctx.result_type()
    parameters = [_weights(ctx, index) for index in (*_WEIGHTS, *_STATE_WEIGHTS) if ctx.has(index)]
    count = len(parameters) // 2
    for index, weights in zip([i for i in _BIASES if ctx.has(i)], parameters[:count], strict=False):
        parameters.append(_bias(ctx, index, source, weights))
    order = (1, 0, 2) if options.TimeMajor() else (0, 1, 2)
    op = composite.LstmOp(
        ctx.build.transpose(ctx.value(), order),
        parameters,
        gate_type=_GATE,
        cell_type=element_of(ctx.tensor(_CELL)),
        cell_clip=options.CellClip(),
        element=result,
    )
    LstmFactors.of(op)  # refuses types that LiteRT has no kernel for
    return ctx.build.transpose(ctx.emit(op, litert()), order)


def _check(ctx: OpContext, options: tflite.UnidirectionalSequenceLSTMOptions) -> None:
    """Raise ConversionError for what the integer LSTM leaves out, by name."""
    for indices, name in _REFUSED.items():
        if any(ctx.has(index) for index in indices):
            raise ConversionError(f"an LSTM with {name} is not supported", hint="Convert the model without it")
    if options.FusedActivationFunction() != tflite.ActivationFunctionType.TANH:
        raise ConversionError(
            f"an LSTM with the activation {options.FusedActivationFunction()} is not supported", hint="Use TANH"
        )
    if ctx.has(_WEIGHTS[0]) != ctx.has(_STATE_WEIGHTS[0]) or ctx.has(_WEIGHTS[0]) != ctx.has(_BIASES[0]):
        raise ConversionError("the input gate has some of weights, state's weights and bias, but not all")
    if not options.CellClip() >= 0:
        raise ConversionError(f"the cell state's clip is {options.CellClip():g}", hint="It must not be negative")
    _check_state(ctx)


def _check_state(ctx: OpContext) -> None:
    """Raise ConversionError unless the state is the operator's own and has the output's type."""
    for index in (_STATE, _CELL):
        found = ctx.tensor(index)
        if not found.is_variable or found.index in ctx.values:
            raise ConversionError(f"the state '{found.name}' is not a variable of the LSTM's own")
    if len(ctx.op.intermediates) <= _HIDDEN or ctx.op.intermediates[_HIDDEN] < 0:
        raise ConversionError(
            f"it has {len(ctx.op.intermediates)} intermediate tensors, an LSTM of integers has {_HIDDEN + 1}",
            hint="Quantize the model to 8-bit integers, with int8 input and output",
        )
    hidden = ctx.tensors[ctx.op.intermediates[_HIDDEN]]
    elements = {element_of(tensor) for tensor in (ctx.tensor(_STATE), hidden, ctx.output())}
    if len(elements) > 1:
        listed = ", ".join(map(str, elements))
        raise ConversionError(f"state, intermediate state and output have different types: {listed}")


def _quantized_input(ctx: OpContext) -> UniformQuantizedType:
    source, cell = quantized(ctx.value()), ctx.tensor(_CELL)
    weights = [ctx.tensor(index).dtype for index in (*_WEIGHTS, *_STATE_WEIGHTS) if ctx.has(index)]
    if (
        source is None
        or not source.is_per_tensor
        or ctx.tensor().dtype != np.int8
        or cell.dtype != np.int16
        or any(d != np.int8 for d in weights)
    ):
        raise ConversionError(
            f"an LSTM of {ctx.tensor().dtype} with weights of {weights[0]} and a cell state of {cell.dtype} is not "
            "supported",
            hint="Quantize the model to 8-bit integers, with int8 input and output",
        )
    return source


def _weights(ctx: OpContext, index: int) -> SSAValue:
    """One gate's weights as (features, units)."""
    element = element_of(ctx.tensor(index))
    array = ctx.constant(index, "a gate's weights")
    if not isinstance(element, UniformQuantizedType) or not element.is_per_tensor or element.zero_point:
        raise ConversionError(f"an LSTM's weights have one scale and no zero point, found {element}")
    if array.ndim != 2:
        raise ConversionError(f"an LSTM's weights have two dimensions, found {list(array.shape)}")
    return ctx.build.constant(np.ascontiguousarray(array.T), element)


def _bias(ctx: OpContext, index: int, source: UniformQuantizedType, weights: SSAValue) -> SSAValue:
    """The bias's integers at the scale of the products, as LiteRT adds them, whatever their own scale."""
    element = quantized(weights)
    assert element is not None
    array = ctx.constant(index, "a gate's bias").reshape(-1)
    accumulator = UniformQuantizedType.per_tensor(ACCUMULATOR, source.scale * element.scale, 0)
    if array.dtype != np.int32 or array.shape != shape(weights)[1:]:
        raise ConversionError(f"a gate's bias of {array.dtype}{list(array.shape)} for {shape(weights)[1]} units")
    return ctx.build.constant(array, accumulator)
