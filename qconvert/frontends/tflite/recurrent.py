"""UNIDIRECTIONAL_SEQUENCE_LSTM and SVDF on 8-bit integers with 16-bit states; the LSTM also on floats."""

from __future__ import annotations

import numpy as np
import tflite
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.expansion.recurrent import LstmFactors
from qconvert.frontends.tflite.context import STATES, OpContext, element_of, litert, tflite_op
from qconvert.frontends.tflite.contraction import ROWS_BY_COLUMNS, accumulator_type, with_bias
from qconvert.ir import Storage, UniformQuantizedType, described, f32, quantized, shape
from qconvert.support.errors import ConversionError

_WEIGHTS, _STATE_WEIGHTS, _BIASES = range(1, 5), range(5, 9), range(12, 16)
_STATE, _CELL = 18, 19
_HIDDEN = 4
"""The indices of an LSTM's tensors. ``_HIDDEN`` is an index of its intermediates."""

_GATE = UniformQuantizedType.per_tensor(Storage.full(16, signed=True), 2.0**-12, 0)
"""The type of the gates' sums in LiteRT."""

_SVDF_STATE = 4
STATES.add("SVDF", _SVDF_STATE)

_REFUSED = {range(9, 12): "peepholes", range(16, 18): "a projection", range(20, 24): "layer normalization"}


@tflite_op("UNIDIRECTIONAL_SEQUENCE_LSTM")
def unidirectional_sequence_lstm(ctx: OpContext) -> SSAValue:
    """Run an LSTM from a state of zeros on (batch, time, features) or, time major, (time, batch, features)."""
    options = ctx.options(tflite.UnidirectionalSequenceLSTMOptions)
    _check(ctx, options)
    order = (1, 0, 2) if options.TimeMajor() else (0, 1, 2)
    if all(str(ctx.tensor(index).dtype) == "float32" for index in (0, _WEIGHTS[-1], _STATE_WEIGHTS[-1], _CELL)):
        return ctx.build.transpose(_float_lstm(ctx, ctx.build.transpose(ctx.value(), order), options), order)
    _check_intermediates(ctx)
    source, result = _quantized_input(ctx), ctx.result_type()
    parameters = [_weights(ctx, index) for index in (*_WEIGHTS, *_STATE_WEIGHTS) if ctx.has(index)]
    count = len(parameters) // 2
    for index, weights in zip([i for i in _BIASES if ctx.has(i)], parameters[:count], strict=False):
        parameters.append(_bias(ctx, index, source, weights))
    op = composite.LstmOp(
        ctx.build.transpose(ctx.value(), order),
        parameters,
        gate_type=_GATE,
        cell_type=element_of(ctx.tensor(_CELL)),
        cell_clip=options.CellClip(),
        element=result,
    )
    LstmFactors.of(op)  # refuses types without a LiteRT kernel
    return ctx.build.transpose(ctx.emit(op, litert()), order)


def _float_lstm(ctx: OpContext, sequence: SSAValue, options: tflite.UnidirectionalSequenceLSTMOptions) -> SSAValue:
    """Run an LSTM of floats on (batch, time, features)."""
    arrays = [ctx.constant(i, "the weights").T for i in (*_WEIGHTS, *_STATE_WEIGHTS) if ctx.has(i)]
    arrays += [ctx.constant(i, "a gate's bias").reshape(-1) for i in _BIASES if ctx.has(i)]
    if any(array.dtype != np.float32 for array in arrays):
        raise ConversionError("an LSTM of float32 with other weights is not supported", hint="Convert it without them")
    parameters = [ctx.build.constant(np.asarray(array, order="C"), f32) for array in arrays]
    clip = options.CellClip()
    return ctx.emit(composite.LstmOp(sequence, parameters, gate_type=f32, cell_type=f32, cell_clip=clip, element=f32))


def _check(ctx: OpContext, options: tflite.UnidirectionalSequenceLSTMOptions) -> None:
    """Raise ConversionError that names a feature without a LiteRT kernel for integers."""
    for indices, name in _REFUSED.items():
        if any(ctx.has(index) for index in indices):
            raise ConversionError(f"an LSTM with {name} is not supported", hint="Convert the model without it")
    if options.FusedActivationFunction() != tflite.ActivationFunctionType.TANH:
        raise ConversionError(
            f"an LSTM with the activation {options.FusedActivationFunction()} is not supported", hint="Use TANH"
        )
    if ctx.has(_WEIGHTS[0]) != ctx.has(_STATE_WEIGHTS[0]) or ctx.has(_WEIGHTS[0]) != ctx.has(_BIASES[0]):
        raise ConversionError("the input gate lacks its weights, its recurrent weights or its bias")
    if not options.CellClip() >= 0:
        raise ConversionError(f"the cell state's clip is {options.CellClip():g}", hint="It must not be negative")
    _check_state(ctx)


def _check_state(ctx: OpContext) -> None:
    """Raise ConversionError unless the states are the operator's own variables."""
    for index in (_STATE, _CELL):
        state = ctx.tensor(index)
        if not state.is_variable or state.index in ctx.values:
            raise ConversionError(f"the state '{state.name}' is not a variable that only this LSTM uses")


def _check_intermediates(ctx: OpContext) -> None:
    """Raise ConversionError unless an integer LSTM has its intermediates, and its state has the output's type."""
    if len(ctx.op.intermediates) <= _HIDDEN or ctx.op.intermediates[_HIDDEN] < 0:
        raise ConversionError(
            f"it has {len(ctx.op.intermediates)} intermediate tensors, an integer LSTM needs {_HIDDEN + 1}",
            hint="Quantize the model to 8-bit integers, with int8 input and output",
        )
    hidden = ctx.tensors[ctx.op.intermediates[_HIDDEN]]
    elements = {element_of(tensor) for tensor in (ctx.tensor(_STATE), hidden, ctx.output())}
    if len(elements) > 1:
        listed = ", ".join(map(str, elements))
        raise ConversionError(f"state, intermediate state and output have different types: {listed}")


def _quantized_input(ctx: OpContext) -> UniformQuantizedType:
    source = quantized(ctx.value())
    weight_types = [str(ctx.tensor(index).dtype) for index in (*_WEIGHTS, *_STATE_WEIGHTS) if ctx.has(index)]
    weights = next((dtype for dtype in weight_types if dtype != "int8"), "int8")
    dtypes = [str(ctx.tensor().dtype), weights, str(ctx.tensor(_CELL).dtype)]
    if source is None or not source.is_per_tensor or dtypes != ["int8", "int8", "int16"]:
        raise ConversionError(
            f"an LSTM of {dtypes[0]} with weights of {dtypes[1]} and a cell state of {dtypes[2]} is not supported",
            hint="Quantize the model to 8-bit integers, with int8 input and output",
        )
    return source


def _weights(ctx: OpContext, index: int) -> SSAValue:
    """Return the weights of a gate or filter as (features, units)."""
    array = ctx.constant(index, "the weights")
    if array.ndim != 2:
        raise ConversionError(f"the weights of {ctx.op.op_type} have two dimensions, found {list(array.shape)}")
    return ctx.build.constant(np.asarray(array.T, order="C"), _weights_type(ctx, index))


def _weights_type(ctx: OpContext, index: int) -> UniformQuantizedType:
    """Return the type of weights; raises ConversionError unless they have one scale and no zero point."""
    element = element_of(ctx.tensor(index))
    if not isinstance(element, UniformQuantizedType) or not element.is_per_tensor or element.zero_point:
        raise ConversionError(
            f"the weights of {ctx.op.op_type} have one scale and no zero point, found {described(element)}"
        )
    return element


def _bias(ctx: OpContext, index: int, source: UniformQuantizedType, weights: SSAValue) -> SSAValue:
    """Return the bias's integers at the scale of the products; as in LiteRT their own scale is ignored."""
    element = quantized(weights)
    assert element is not None
    array = ctx.constant(index, "a gate's bias").reshape(-1)
    if array.dtype != np.int32 or array.shape != shape(weights)[1:]:
        raise ConversionError(f"a gate's bias of {array.dtype}{list(array.shape)} for {shape(weights)[1]} units")
    return ctx.build.constant(array, accumulator_type(source, element, 0))


@tflite_op("SVDF")
def svdf(ctx: OpContext) -> SSAValue:
    """Run one time step: each filter's result joins its memory; a unit is the weighted sum of ``rank`` memories.

    The state has the shape (batch, filters * memory) and is replaced by the state after the step. RELU needs no clamp:
    LiteRT clamps to the output's type only. LiteRT sums the state's integers as they are, also where the file gives the
    state a zero point.
    """
    rank = _svdf_rank(ctx)
    result, declared = ctx.result_type(), element_of(ctx.tensor(_SVDF_STATE))
    state = _without_zero_point(declared)
    features = _filtered(ctx, state)
    times = ctx.constant(2, "the weights of time")
    (batch, filters), memory = shape(features), times.shape[-1]
    if times.shape != (filters, memory) or shape(ctx.value(_SVDF_STATE)) != (batch, filters * memory):
        raise ConversionError(
            f"weights of time of shape {list(times.shape)} and a state of {list(shape(ctx.value(_SVDF_STATE)))} for "
            f"{filters} filters"
        )
    history = ctx.reshape(features, (batch, filters, 1))
    if memory > 1:
        before = ctx.reshape(ctx.read_as(ctx.value(_SVDF_STATE), state), (batch, filters, memory))
        newer = ctx.emit(stablehlo.SliceOp(before, (0, 0, 1), (batch, filters, memory)))
        history = ctx.emit(stablehlo.ConcatenateOp([newer, history], 2))
    after = ctx.reshape(history, (batch, filters * memory))
    ctx.values[ctx.tensor(_SVDF_STATE).index] = ctx.read_as(after, declared)
    units, depth = filters // rank, rank * memory
    weights = ctx.build.constant(times.reshape(units, depth), _weights_type(ctx, 2))
    sums = _weighted(ctx, ctx.reshape(history, (batch, units, depth)), weights)
    return ctx.emit(stablehlo.UniformQuantizeOp(sums, result), litert(floats=32))


def _without_zero_point(element: Attribute) -> Attribute:
    if isinstance(element, UniformQuantizedType) and element.is_per_tensor:
        return element.with_storage(element.storage, (0,))
    return element


def _svdf_rank(ctx: OpContext) -> int:
    """Return the number of filters of a unit; raises ConversionError for a feature without an integer kernel."""
    options = ctx.options(tflite.SVDFOptions)
    dtypes = [str(ctx.tensor(index).dtype) for index in (0, 1, 2, _SVDF_STATE)]
    if dtypes != ["int8", "int8", "int16", "int16"]:
        raise ConversionError(
            f"an SVDF of {dtypes[0]} with weights of {dtypes[1]} and {dtypes[2]} and a state of {dtypes[3]} is not "
            "supported, int8, int8, int16 and int16 are"
        )
    state = ctx.tensor(_SVDF_STATE)
    if not state.is_variable:
        raise ConversionError(f"the state '{state.name}' is not a variable")
    ctx.implied.setdefault(state.index, np.broadcast_to(np.int16(0), state.shape))
    if options.FusedActivationFunction() != tflite.ActivationFunctionType.RELU:
        raise ConversionError("an SVDF of integers without RELU is not supported", hint="LiteRT has no kernel for it")
    filters, rank = ctx.tensor(1).shape[0], int(options.Rank())
    if rank < 1 or filters % rank:
        raise ConversionError(f"{filters} filters do not divide into units of {rank}")
    return rank


def _filtered(ctx: OpContext, state: Attribute) -> SSAValue:
    """Return the filters' results in the type of the state: (batch, filters)."""
    source, weights = quantized(ctx.value()), _weights(ctx, 1)
    if source is None or not source.is_per_tensor or not isinstance(state, UniformQuantizedType) or state.zero_point:
        raise ConversionError(f"an SVDF of {ctx.value().type} with a state of {state} is not supported")
    accumulator = accumulator_type(source, _weights_type(ctx, 1), 1)
    sums = ctx.emit(stablehlo.DotGeneralOp(ctx.value(), weights, ROWS_BY_COLUMNS, element=accumulator))
    return ctx.emit(stablehlo.UniformQuantizeOp(sums, state), litert(floats=32))


def _weighted(ctx: OpContext, memory: SSAValue, weights: SSAValue) -> SSAValue:
    """Return the weighted sums over each unit's memory with the bias: (batch, units)."""
    lhs, rhs = quantized(memory), quantized(weights)
    assert lhs is not None
    assert rhs is not None
    numbers = stablehlo.DotDimensionNumbers((1,), (0,), (2,), (1,))
    accumulator = accumulator_type(lhs, rhs, 1)
    sums = ctx.emit(stablehlo.DotGeneralOp(memory, weights, numbers, element=accumulator))
    sums = ctx.build.transpose(sums, (1, 0))
    return with_bias(ctx, sums, accumulator, 3) if ctx.has(3) else sums
