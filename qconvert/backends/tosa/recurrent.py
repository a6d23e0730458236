"""LiteRT's LSTM of 8-bit integers, bit by bit: unrolled, its functions as GATHER from lists of all their values.

The gates' products are one CONV2D of all gates, that with the inputs one for all steps. Values between ops are images
of (batch, time, 1, units of all gates); the cell gate comes last, so that the others are one GATHER.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.backends.tosa.builder import i16
from qconvert.backends.tosa.lowering import Lowering, constant_of, lowers_litert, per_tensor
from qconvert.backends.tosa.normalization import filled
from qconvert.dialects import composite, tosa
from qconvert.dialects.composite.recurrent import thirds
from qconvert.interpreter.recurrent import GATE_BITS, ONE, LstmFactors
from qconvert.ir.arithmetic import arithmetic
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import i8, i32, shape
from qconvert.numerics import Rounding, ZeroPoints, fixed_point
from qconvert.numerics.fixed_point import Integers
from qconvert.support.errors import ConversionError

_HALF = 1 << 15
"""What brings the lowest integer of 16 bits to the first place of a list."""

_POINT = tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1))
_Function: TypeAlias = "Callable[[Integers], Integers]"


@lowers_litert(composite.LstmOp)
def lstm(op: composite.LstmOp, lower: Lowering) -> SSAValue:
    """Raises ConversionError where the weights are not constant or LiteRT has no kernel for the types."""
    unrolled = _Lstm.of(op, lower)
    sums = unrolled.sums(lower[op.operand])
    outputs: list[SSAValue] = []
    cell: SSAValue | None = None
    for step in range(shape(op.operand)[1]):
        total = _slice(lower, sums, (0, step, 0, 0), (shape(sums)[0], 1, 1, shape(sums)[3]))
        if outputs:
            total = lower.add(tosa.AddOp(total, unrolled.of_state(outputs[-1])))
        output, cell = unrolled.step(total, cell)
        outputs.append(output)
    joined = outputs[0] if len(outputs) == 1 else lower.add(tosa.ConcatOp(outputs, 1))
    return lower.reshape(joined, shape(op.result))


@dataclass(frozen=True)
class _Product:
    """The gates' products with something, on their way to sums: weights, bias, factors, and its zero point."""

    weights: SSAValue
    bias: SSAValue
    factors: NDArray[np.float64]
    zero_point: int


@dataclass(frozen=True)
class _Lstm:
    """One LSTM on its way to TOSA."""

    lower: Lowering
    factors: LstmFactors
    rounding: Rounding
    result: UniformQuantizedType
    inputs: _Product
    state: _Product
    logistic: SSAValue
    gate_tanh: SSAValue
    cell_tanh: SSAValue

    @classmethod
    def of(cls, op: composite.LstmOp, lower: Lowering) -> _Lstm:
        factors, units = LstmFactors.of(op), shape(op.result)[-1]
        weights, state_weights, bias = (_cell_last(part) for part in thirds(_constants(op)))
        order = _cell_last(np.split(np.arange(bias.size), bias.size // units))
        cell_bits = 15 + factors.cell_exponent
        found = arithmetic(op)
        assert found is not None

        def product(array: NDArray[Any], bias: NDArray[Any], scales: NDArray[np.float64], zero_point: int) -> _Product:
            kernel = lower.constant(np.ascontiguousarray(array.T)[:, None, None, :], i8)
            return _Product(kernel, lower.constant(bias, i32), scales[order], zero_point)

        return cls(
            lower,
            factors,
            Rounding(found.rounding),
            per_tensor(op.result),
            product(weights, bias, factors.inputs, per_tensor(op.operand).zero_point),
            product(state_weights, np.zeros_like(bias), factors.state, per_tensor(op.result).zero_point),
            _listed(lower, lambda raw: fixed_point.logistic(raw, GATE_BITS)),
            _listed(lower, lambda raw: fixed_point.tanh(raw, GATE_BITS)),
            _listed(lower, lambda raw: fixed_point.tanh(raw, cell_bits)),
        )

    def sums(self, sequence: SSAValue) -> SSAValue:
        """i32: the gates' sums, as places in a list, after what the inputs bring to all steps: 16 bits saturated."""
        batch, steps, features = shape(sequence)
        image = self.lower.reshape(sequence, (batch, steps, 1, features))
        sums = self.lower.add(tosa.CastOp(self._scaled(image, self.inputs, i16), i32))
        return self.lower.add(tosa.AddOp(sums, filled(self.lower, _HALF, sums)))

    def of_state(self, output: SSAValue) -> SSAValue:
        """i32: what the last step's output brings to the gates' sums."""
        return self._scaled(output, self.state, i32)

    def _scaled(self, image: SSAValue, product: _Product, element: IntegerType) -> SSAValue:
        zero_points = (self.lower.zero_point(product.zero_point, i8), self.lower.zero_point(0, i8))
        parts = (image, product.weights, product.bias, *zero_points)
        made = self.lower.add(tosa.Conv2DOp(parts, _POINT, i32))
        return self.lower.rescale(made, product.factors, element, rounding=self.rounding)

    def step(self, places: SSAValue, cell: SSAValue | None) -> tuple[SSAValue, SSAValue]:
        """The output, i8, and the cell state, i16, after one step; no cell state is one of zeros."""
        lower = self.lower
        *given, forget, output, new = self._gates(places)
        taken = given[0] if given else self._one_minus(forget)
        total = _away(lower, lower.multiply(taken, new), 30 + self.factors.cell_exponent)
        if cell is not None:
            total = lower.add(tosa.AddOp(_away(lower, lower.multiply(forget, cell), 15), total))
        cell = lower.rescale(total, 1.0, i16)
        if self.factors.clip:
            cell = lower.clamp(cell, -self.factors.clip, self.factors.clip)
        wide = lower.add(tosa.CastOp(cell, i32))
        bent = _looked_up(lower, self.cell_tanh, lower.add(tosa.AddOp(wide, filled(lower, _HALF, wide))))
        product = lower.multiply(output, bent)
        zero_points = ZeroPoints(0, self.result.zero_point)
        return lower.rescale(product, self.factors.hidden, i8, zero_points, self.rounding), cell

    def _gates(self, places: SSAValue) -> list[SSAValue]:
        """i16 without integer bits: each gate after its function, the cell gate last."""
        lower = self.lower
        batch, _, _, count = shape(places)
        units = shape(self.state.weights)[3]
        held = lower.add(tosa.MaximumOp(places, filled(lower, 0, places)))
        held = lower.add(tosa.MinimumOp(held, filled(lower, 2 * _HALF - 1, held)))
        bent, new = (
            _looked_up(lower, values, _slice(lower, held, (0, 0, 0, start), (batch, 1, 1, size)))
            for values, start, size in ((self.logistic, 0, count - units), (self.gate_tanh, count - units, units))
        )
        starts = range(0, count - units, units)
        return [*(_slice(lower, bent, (0, 0, 0, start), (batch, 1, 1, units)) for start in starts), new]

    def _one_minus(self, forget: SSAValue) -> SSAValue:
        wide = self.lower.add(tosa.CastOp(forget, i32))
        rest = self.lower.add(tosa.SubOp(filled(self.lower, ONE, wide), wide))
        return self.lower.add(tosa.CastOp(rest, i16))


def _constants(op: composite.LstmOp) -> list[NDArray[Any]]:
    arrays = [constant_of(value) for value in op.parameters]
    constants = [array for array in arrays if array is not None]
    if len(constants) < len(arrays):
        raise ConversionError("an LSTM whose weights are computed has no lowering")
    return constants


def _cell_last(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """One array of all gates' parts side by side: the input gate's, the forget, output and cell gate's."""
    *first, cell, output = parts
    return np.concatenate([*first, output, cell], axis=-1)


def _listed(lower: Lowering, function: _Function) -> SSAValue:
    """A function's values of all integers of 16 bits, for GATHER."""
    return lower.constant(function(np.arange(-_HALF, _HALF)).reshape(1, -1, 1), i16)


def _looked_up(lower: Lowering, values: SSAValue, places: SSAValue) -> SSAValue:
    flat = lower.reshape(places, (1, prod(shape(places))))
    return lower.reshape(lower.add(tosa.GatherOp(values, flat)), shape(places))


def _slice(lower: Lowering, value: SSAValue, starts: Sequence[int], sizes: Sequence[int]) -> SSAValue:
    if shape(value) == tuple(sizes):
        return value
    return lower.add(tosa.SliceOp(value, lower.shape(starts), lower.shape(sizes)))


def _away(lower: Lowering, value: SSAValue, places: int) -> SSAValue:
    """``value / 2^places``, halves away from zero: one less below zero, then halves up."""
    sign = lower.add(tosa.ArithmeticRightShiftOp(value, filled(lower, 31, value)))
    lowered = lower.add(tosa.AddOp(value, sign))
    return lower.add(tosa.ArithmeticRightShiftOp(lowered, filled(lower, places, value), rounds=True))
