"""LiteRT's LSTM of 8-bit integers, bit by bit: steps are unrolled, functions are GATHER from lists of all values.

One CONV2D computes the products of all gates. The products with the inputs are one CONV2D for all steps. Values between
ops are images of (batch, time, 1, units of all gates). The cell gate comes last, so that the other gates are one
GATHER.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.dialects import composite, tosa
from qconvert.dialects.constants import constant_array
from qconvert.expansion.builder import i16
from qconvert.expansion.expander import Expander, signed_type
from qconvert.expansion.registry import expands, rounding_of
from qconvert.ir import Storage, UniformQuantizedType, i8, i32, quantized, shape
from qconvert.numerics import Rounding, ZeroPoints, fixed_point
from qconvert.numerics.fixed_point import Integers
from qconvert.support.errors import ConversionError

_GATE_BITS = 3
"""Number of integer bits of a gate's 16-bit sum."""

_GATE_TYPE = UniformQuantizedType.per_tensor(Storage.full(16, signed=True), 2.0 ** (_GATE_BITS - 15), 0)

_ONE = (1 << 15) - 1
"""The integer that represents 1 in 16 bits without integer bits."""

_CELL_EXPONENTS = range(-15, -8)

_HALF = 1 << 15
"""The number that moves the lowest 16-bit integer to index 0 of a list."""

_POINT = tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1))
_Function: TypeAlias = "Callable[[Integers, int], Integers]"


@expands(composite.LstmOp)
def lstm(op: composite.LstmOp, build: Expander) -> SSAValue:
    """Unroll the steps.

    Raises ConversionError if weights are not constant or LiteRT has no kernel for the types.
    """
    unrolled = _Lstm.of(op, build)
    sums = unrolled.sums(build[op.operand])
    outputs: list[SSAValue] = []
    cell: SSAValue | None = None
    for step in range(shape(op.operand)[1]):
        total = build.slice(sums, (0, step, 0, 0), (shape(sums)[0], 1, 1, shape(sums)[3]))
        if outputs:
            total = build.add(tosa.AddOp(total, unrolled.of_state(outputs[-1])))
        output, cell = unrolled.step(total, cell)
        outputs.append(output)
    joined = outputs[0] if len(outputs) == 1 else build.add(tosa.ConcatOp(outputs, 1))
    return build.reshape(joined, shape(op.result))


class LstmFactors(NamedTuple):
    """Factors of LiteRT's LSTM, computed in f32.

    ``inputs`` and ``state`` rescale each gate's products to the gate's sum, with one factor for each unit. ``hidden``
    rescales the product of output gate and tanh to the output. The scale of the cell state is ``2^cell_exponent``. Its
    magnitude is at most ``clip`` unless ``clip`` is 0.
    """

    inputs: NDArray[np.float64]
    state: NDArray[np.float64]
    hidden: float
    cell_exponent: int
    clip: int

    @classmethod
    @np.errstate(over="ignore")  # RESCALE refuses such scales
    def of(cls, op: composite.LstmOp) -> LstmFactors:
        """Return an LSTM's factors.

        Raises ConversionError if LiteRT has no kernel for the types.
        """
        source, result, units = _int8(op.operand), _int8(op.result), shape(op.result)[-1]
        weights, state, _ = composite.thirds(op.parameters)
        gate, cell = op.gate_type, op.cell_type
        if gate != _GATE_TYPE:
            raise ConversionError(f"gates of type {_GATE_TYPE} are needed, found {gate}")
        if not isinstance(cell, UniformQuantizedType) or not cell.is_per_tensor or cell.storage.width != 16:
            raise ConversionError(f"a cell state of 16 bits with one scale is needed, found {cell}")
        mantissa, exponent = np.frexp(cell.scale)
        if mantissa != 0.5 or exponent - 1 not in _CELL_EXPONENTS or cell.zero_point:
            raise ConversionError(f"a cell state with a scale of 2^-15 to 2^-9 and no zero point is needed: {cell}")
        clip = min(np.float32(op.clip) / np.float32(cell.scale), np.float32(_ONE))
        return cls(
            np.repeat([_gate_factor(value, source) for value in weights], units),
            np.repeat([_gate_factor(value, result) for value in state], units),
            float(np.float32(2.0**-15 / result.scale * 2.0**-15)),
            int(exponent) - 1,
            int(clip),
        )


def _int8(value: SSAValue) -> UniformQuantizedType:
    element = quantized(value)
    if element is None or not element.is_per_tensor or element.storage.width != 8:
        raise ConversionError(f"8-bit integers with one scale are needed, found {value.type}")
    return element


def _gate_factor(weights: SSAValue, source: UniformQuantizedType) -> float:
    scale = np.float32(_int8(weights).scale) * np.float32(source.scale)
    return float(scale / np.float32(_GATE_TYPE.scale))


class _Product(NamedTuple):
    """A product of all gates: weights, bias, factors to the gates' sums, and the operand's zero point."""

    weights: SSAValue
    bias: SSAValue
    factors: NDArray[np.float64]
    zero_point: int


class _Lstm(NamedTuple):
    """The constants and factors of one LSTM, and its steps in TOSA's ops."""

    build: Expander
    factors: LstmFactors
    rounding: Rounding
    result: UniformQuantizedType
    inputs: _Product
    state: _Product
    logistic: SSAValue
    gate_tanh: SSAValue
    cell_tanh: SSAValue

    @classmethod
    def of(cls, op: composite.LstmOp, build: Expander) -> _Lstm:
        factors, units = LstmFactors.of(op), shape(op.result)[-1]
        weights, state_weights, bias = (_cell_last(part) for part in composite.thirds(_constants(op)))
        order = _cell_last(np.split(np.arange(bias.size), bias.size // units))
        cell_bits = 15 + factors.cell_exponent

        def product(array: NDArray[Any], bias: NDArray[Any], scales: NDArray[np.float64], zero_point: int) -> _Product:
            kernel = build.constant(np.asarray(array.T, order="C")[:, None, None, :], i8)
            return _Product(kernel, build.constant(bias, i32), scales[order], zero_point)

        return cls(
            build,
            factors,
            rounding_of(op),
            signed_type(op.result),
            product(weights, bias, factors.inputs, signed_type(op.operand).zero_point),
            product(state_weights, np.zeros_like(bias), factors.state, signed_type(op.result).zero_point),
            _listed(build, fixed_point.logistic, _GATE_BITS),
            _listed(build, fixed_point.tanh, _GATE_BITS),
            _listed(build, fixed_point.tanh, cell_bits),
        )

    def sums(self, sequence: SSAValue) -> SSAValue:
        """Return the inputs' share of the gates' sums of all steps: list indices, saturated, in i32."""
        batch, steps, features = shape(sequence)
        image = self.build.reshape(sequence, (batch, steps, 1, features))
        return self.build.offset(self.build.add(tosa.CastOp(self._scaled(image, self.inputs, i16), i32)), _HALF)

    def of_state(self, output: SSAValue) -> SSAValue:
        """Return the share of the last step's output in the gates' sums, in i32."""
        return self._scaled(output, self.state, i32)

    def _scaled(self, image: SSAValue, product: _Product, element: IntegerType) -> SSAValue:
        zero_points = (self.build.zero_point(product.zero_point, i8), self.build.zero_point(0, i8))
        parts = (image, product.weights, product.bias, *zero_points)
        made = self.build.add(tosa.Conv2DOp(parts, _POINT, i32))
        return self.build.rescale(made, product.factors, element, rounding=self.rounding)

    def step(self, places: SSAValue, cell: SSAValue | None) -> tuple[SSAValue, SSAValue]:
        """Return the output, i8, and the cell state, i16, after one step; the first cell state, None, is 0."""
        build = self.build
        *given, forget, output, new = self._gates(places)
        taken = given[0] if given else self._one_minus(forget)
        total = build.divide_by_power(build.multiply(taken, new), 30 + self.factors.cell_exponent)
        if cell is not None:
            total = build.add(tosa.AddOp(build.divide_by_power(build.multiply(forget, cell), 15), total))
        cell = build.rescale(total, 1.0, i16)
        if self.factors.clip:
            cell = build.clamp(cell, -self.factors.clip, self.factors.clip)
        wide = build.add(tosa.CastOp(cell, i32))
        bent = _looked_up(build, self.cell_tanh, build.offset(wide, _HALF))
        product = build.multiply(output, bent)
        zero_points = ZeroPoints(0, self.result.zero_point)
        return build.rescale(product, self.factors.hidden, i8, zero_points, self.rounding), cell

    def _gates(self, places: SSAValue) -> list[SSAValue]:
        """Return each gate after its function, the cell gate last, in i16 without integer bits."""
        build = self.build
        batch, _, _, count = shape(places)
        units = shape(self.state.weights)[3]
        held = build.add(tosa.MaximumOp(places, build.filled(0, places)))
        held = build.add(tosa.MinimumOp(held, build.filled(2 * _HALF - 1, held)))
        bent, new = (
            _looked_up(build, values, build.slice(held, (0, 0, 0, start), (batch, 1, 1, size)))
            for values, start, size in ((self.logistic, 0, count - units), (self.gate_tanh, count - units, units))
        )
        starts = range(0, count - units, units)
        return [*(build.slice(bent, (0, 0, 0, start), (batch, 1, 1, units)) for start in starts), new]

    def _one_minus(self, forget: SSAValue) -> SSAValue:
        wide = self.build.add(tosa.CastOp(forget, i32))
        rest = self.build.add(tosa.SubOp(self.build.filled(_ONE, wide), wide))
        return self.build.add(tosa.CastOp(rest, i16))


def _constants(op: composite.LstmOp) -> list[NDArray[Any]]:
    arrays = [constant_array(value) for value in op.parameters]
    constants = [array for array in arrays if array is not None]
    if len(constants) < len(arrays):
        raise ConversionError("an LSTM needs constant weights")
    return constants


def _cell_last(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return all gates' parts side by side: input gate (if any), forget gate, output gate, cell gate."""
    *first, cell, output = parts
    return np.concatenate([*first, output, cell], axis=-1)


def _listed(build: Expander, function: _Function, integer_bits: int) -> SSAValue:
    """Return a function's values at all 16-bit integers, for GATHER."""
    return build.constant(fixed_point.table_of_16_bits(function, integer_bits).reshape(1, -1, 1), i16)


def _looked_up(build: Expander, values: SSAValue, places: SSAValue) -> SSAValue:
    flat = build.reshape(places, (1, prod(shape(places))))
    return build.reshape(build.add(tosa.GatherOp(values, flat)), shape(places))
