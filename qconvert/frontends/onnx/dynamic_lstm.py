"""onnxruntime's LSTM with integer weights: inputs and states are quantized at run time, each over its own range.

Source: com.microsoft DynamicQuantizeLSTM-1. Its steps are unrolled here, because a step's quantization is an op.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.composite import DynamicRangeDotGeneralOp, DynamicRangeQuantizeOp
from qconvert.dialects.composite.sequence import LstmGates, State, unrolled
from qconvert.dialects.stablehlo import DotDimensionNumbers
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.dynamic_range import scaled
from qconvert.frontends.onnx.quantization import MICROSOFT
from qconvert.frontends.onnx.recurrent import biases, directions, initial, layer_of, of_direction
from qconvert.ir import element_type, f32, shape
from qconvert.support.errors import ConversionError


class _DirectionWeights(NamedTuple):
    """Integer weights (features, rows) of one direction, their zero point and their scales."""

    integers: SSAValue
    zero_point: SSAValue
    scales: SSAValue


@onnx_op("DynamicQuantizeLSTM", domain=MICROSOFT)
def dynamic_quantize_lstm(ctx: NodeContext) -> Sequence[SSAValue]:
    """Run an LSTM whose products are those of integers."""
    layer, coupled = layer_of(ctx, ["Sigmoid", "Tanh", "Tanh"]), ctx.integer("input_forget", 0)

    def run(sequence: SSAValue, place: int) -> Sequence[SSAValue]:
        if element_type(sequence) != f32:
            raise ConversionError(f"a sequence of type {sequence.type}, f32 is needed")
        features, rows = shape(sequence)[2], 4 * layer.units
        weights = _weights(ctx, 1, 8, place, (features, rows))
        state_weights = _weights(ctx, 2, 10, place, (layer.units, rows))
        gates = LstmGates(layer.functions[3 * place : 3 * place + 3], layer.clip, bool(coupled))
        peepholes = of_direction(ctx, 7, place, (3 * layer.units,)) if ctx.has(7) else None
        both = biases(ctx, sequence, place, rows)
        bias = ctx.emit(stablehlo.AddOp(ctx.slice(both, 0, 0, rows), ctx.slice(both, 0, rows, 2 * rows)))

        def step(sums: SSAValue, state: State) -> State:
            total = ctx.emit(stablehlo.AddOp(sums, _product(ctx, state[0], state_weights)))
            return gates.step(ctx.build, total, state[1], peepholes)

        weighted = _product(ctx, sequence, weights)
        sums = ctx.emit(stablehlo.AddOp(weighted, ctx.broadcast(bias, shape(weighted))))
        start = initial(ctx, layer, sequence, 5, place), initial(ctx, layer, sequence, 6, place)
        outputs, (_, cell) = unrolled(ctx.build, sums, start, step)
        return outputs, cell

    return directions(ctx, layer, run)


def _weights(ctx: NodeContext, index: int, scale: int, place: int, sizes: tuple[int, int]) -> _DirectionWeights:
    """Return the integers of one direction with the scale at an input and the zero point at the next one."""
    integers = of_direction(ctx, index, place, sizes)
    scales, zero_points = ctx.constant_value(scale, "the scale"), ctx.constant_value(scale + 1, "the zero point")
    one, other = (np.atleast_1d(each)[place].reshape(-1) for each in (scales, zero_points))
    if one.size not in (1, sizes[1]) or other.size not in (1, sizes[1]):
        raise ConversionError(f"{one.size} scales and {other.size} zero points for {sizes[1]} columns")
    zero_point = other.reshape(()) if other.size == 1 else other
    factors = ctx.constant(one.reshape(()) if one.size == 1 else one, f32)
    return _DirectionWeights(integers, ctx.constant(zero_point, element_type(integers)), factors)


def _product(ctx: NodeContext, value: SSAValue, weights: _DirectionWeights) -> SSAValue:
    """Return the product of a value, quantized over its own range, and integer weights, as floats."""
    op = DynamicRangeQuantizeOp(value)
    ctx.build.add(op)
    integers, scale, zero_point = op.results
    numbers = DotDimensionNumbers((), (), (len(shape(value)) - 1,), (0,))
    zero_points = zero_point, weights.zero_point
    sums = ctx.emit(DynamicRangeDotGeneralOp(integers, weights.integers, zero_points, numbers))
    return scaled(ctx, sums, scale, weights.scales)
