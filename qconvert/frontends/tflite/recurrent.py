"""UNIDIRECTIONAL_SEQUENCE_LSTM and SVDF of 8-bit integers with states of 16 bits."""

from __future__ import annotations

import numpy as np
import tflite
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.stablehlo.dimension_numbers import DotDimensionNumbers
from qconvert.expansion.recurrent import LstmFactors
from qconvert.frontends.tflite.context import STATES, OpContext, element_of, litert, tflite_op
from qconvert.frontends.tflite.contraction import ACCUMULATOR, accumulator_type, with_bias
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import quantized, shape
from qconvert.support.errors import ConversionError

_WEIGHTS, _STATE_WEIGHTS, _BIASES = range(1, 5), range(5, 9), range(12, 16)
_STATE, _CELL = 18, 19
_HIDDEN = 4
"""Where an LSTM has its tensors; the last counts among its intermediates, whose others are of layer normalizations."""

_GATE = UniformQuantizedType.per_tensor(Storage.full(16, signed=True), 2.0**-12, 0)
"""What LiteRT holds the gates' sums in."""

_SVDF_STATE = 4
STATES.add("SVDF", _SVDF_STATE)

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
    source = quantized(ctx.value())
    given = [str(ctx.tensor(index).dtype) for index in (*_WEIGHTS, *_STATE_WEIGHTS) if ctx.has(index)]
    weights = next((dtype for dtype in given if dtype != "int8"), "int8")
    dtypes = [str(ctx.tensor().dtype), weights, str(ctx.tensor(_CELL).dtype)]
    if source is None or not source.is_per_tensor or dtypes != ["int8", "int8", "int16"]:
        raise ConversionError(
            f"an LSTM of {dtypes[0]} with weights of {dtypes[1]} and a cell state of {dtypes[2]} is not supported",
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


@tflite_op("SVDF")
def svdf(ctx: OpContext) -> SSAValue:
    """One step: what a filter makes of the input joins its memory, whose weighted sum over ``rank`` filters is a unit.

    The state, (batch, filters * memory), is the one before; the one after takes its place. RELU is what the output's
    type leaves: LiteRT clamps to nothing else.
    """
    rank = _svdf_rank(ctx)
    result, state = ctx.result_type(), element_of(ctx.tensor(_SVDF_STATE))
    features = _filtered(ctx, _svdf_constant(ctx, 1), state)
    times = ctx.constant(2, "the weights of time")
    (batch, filters), memory = shape(features), times.shape[-1]
    if times.shape != (filters, memory) or shape(ctx.value(_SVDF_STATE)) != (batch, filters * memory):
        raise ConversionError(
            f"weights of time of shape {list(times.shape)} and a state of {list(shape(ctx.value(_SVDF_STATE)))} for "
            f"{filters} filters"
        )
    held = ctx.reshape(features, (batch, filters, 1))
    if memory > 1:
        before = ctx.reshape(ctx.value(_SVDF_STATE), (batch, filters, memory))
        kept = ctx.emit(stablehlo.SliceOp(before, (0, 0, 1), (batch, filters, memory)))
        held = ctx.emit(stablehlo.ConcatenateOp([kept, held], 2))
    ctx.values[ctx.tensor(_SVDF_STATE).index] = ctx.reshape(held, (batch, filters * memory))
    units, depth = filters // rank, rank * memory
    weights = ctx.build.constant(times.reshape(units, depth), _svdf_constant(ctx, 2))
    sums = _weighted(ctx, ctx.reshape(held, (batch, units, depth)), weights)
    return ctx.emit(stablehlo.UniformQuantizeOp(sums, result), litert(floats=32))


def _svdf_rank(ctx: OpContext) -> int:
    """The filters of a unit; raises ConversionError for what the integer SVDF leaves out."""
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
        raise ConversionError(f"{filters} filters cannot be units of {rank}")
    return rank


def _svdf_constant(ctx: OpContext, index: int) -> UniformQuantizedType:
    element = element_of(ctx.tensor(index))
    if not isinstance(element, UniformQuantizedType) or not element.is_per_tensor or element.zero_point:
        raise ConversionError(f"an SVDF's weights have one scale and no zero point, found {element}")
    return element


def _filtered(ctx: OpContext, element: UniformQuantizedType, state: Attribute) -> SSAValue:
    """What the filters make of the input, as the state holds it: (batch, filters)."""
    source = quantized(ctx.value())
    if source is None or not source.is_per_tensor or not isinstance(state, UniformQuantizedType) or state.zero_point:
        raise ConversionError(f"an SVDF of {ctx.value().type} with a state of {state} is not supported")
    weights = ctx.build.constant(np.ascontiguousarray(ctx.constant(1, "the filters").T), element)
    numbers = DotDimensionNumbers(lhs_contracting_dimensions=(1,), rhs_contracting_dimensions=(0,))
    accumulator = accumulator_type(source, element, 1)
    made = ctx.emit(stablehlo.DotGeneralOp(ctx.value(), weights, numbers, element=accumulator))
    return ctx.emit(stablehlo.UniformQuantizeOp(made, state), litert(floats=32))


def _weighted(ctx: OpContext, memory: SSAValue, weights: SSAValue) -> SSAValue:
    """The sums over each unit's memory, with the bias: (batch, units)."""
    lhs, rhs = quantized(memory), quantized(weights)
    assert lhs is not None
    assert rhs is not None
    numbers = DotDimensionNumbers((1,), (0,), (2,), (1,))
    accumulator = accumulator_type(lhs, rhs, 1)
    sums = ctx.emit(stablehlo.DotGeneralOp(memory, weights, numbers, element=accumulator))
    sums = ctx.build.transpose(sums, (1, 0))
    return with_bias(ctx, sums, accumulator, 3) if ctx.has(3) else sums
