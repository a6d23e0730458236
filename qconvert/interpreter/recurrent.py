"""Recurrent layers: in float by their decomposition, on integers as LiteRT's kernels compute them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite import LstmOp
from qconvert.dialects.composite.recurrent import thirds
from qconvert.interpreter.core import Array, evaluate_block, implements
from qconvert.interpreter.elementwise import through_float
from qconvert.interpreter.litert import kernel, rescaled
from qconvert.ir.arithmetic import Arithmetic
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import expressed, numpy_dtype, quantized, shape, tensor
from qconvert.numerics import Rounding, exact_matmul, fixed_point
from qconvert.numerics.fixed_point import Integers
from qconvert.support.errors import ConversionError

GATE_BITS = 3
"""The integer bits of a gate's sum, of 16 bits."""

_GATE_TYPE = UniformQuantizedType.per_tensor(Storage.full(16, signed=True), 2.0 ** (GATE_BITS - 15), 0)

ONE = (1 << 15) - 1
"""What stands for 1 in 16 bits without integer bits."""

_CELL_EXPONENTS = range(-15, -8)


@implements(LstmOp)
def lstm(op: LstmOp, operands: Sequence[Array]) -> Array:
    """The decomposition, evaluated in float."""

    def run(*reals: Array) -> Array:
        types = [TensorType(expressed(tensor(value).element_type), shape(value)) for value in op.operands]
        block, build = Block(arg_types=types), OpBuilder()
        result = op.decompose(build, block.args)
        block.add_ops([*build.ops, ReturnOp(result)])
        return evaluate_block(block, reals)[0]

    return through_float(op, operands, run)


@dataclass(frozen=True)
class LstmFactors:
    """What LiteRT's LSTM multiplies by, computed in f32.

    ``inputs`` and ``state`` bring each gate's products to a gate's sum, one factor for each of its units; ``hidden``
    brings the product of output gate and tanh to the output. A cell state is scaled by ``2^cell_exponent`` and at most
    ``clip``, where that is not 0.
    """

    inputs: NDArray[np.float64]
    state: NDArray[np.float64]
    hidden: float
    cell_exponent: int
    clip: int

    @classmethod
    @np.errstate(over="ignore")  # of scales that a rescale refuses
    def of(cls, op: LstmOp) -> LstmFactors:
        """Raises ConversionError where LiteRT has no kernel for the types."""
        source, result, units = _int8(op.operand), _int8(op.result), shape(op.result)[-1]
        weights, state, _ = thirds(op.parameters)
        gate, cell = op.gate_type, op.cell_type
        if gate != _GATE_TYPE:
            raise ConversionError(f"gates held in {_GATE_TYPE} are needed, found {gate}")
        if not isinstance(cell, UniformQuantizedType) or not cell.is_per_tensor or cell.storage.width != 16:
            raise ConversionError(f"a cell state of 16 bits with one scale is needed, found {cell}")
        mantissa, exponent = np.frexp(cell.scale)
        if mantissa != 0.5 or exponent - 1 not in _CELL_EXPONENTS or cell.zero_point:
            raise ConversionError(f"a cell state with a scale of 2^-15 to 2^-9 and no zero point is needed: {cell}")
        clip = min(np.float32(op.clip) / np.float32(cell.scale), np.float32(ONE))
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


@kernel(LstmOp)
def litert_lstm(op: Operation, operands: Sequence[Array], follows: Arithmetic) -> Array:
    """Gates of 16 bits; every product is rounded on its own. The state begins as real zeros."""
    assert isinstance(op, LstmOp)
    factors, rounding = LstmFactors.of(op), Rounding(follows.rounding)
    source, result = _int8(op.operand), _int8(op.result)
    x, *parameters = operands
    weights, state_weights, bias = (np.concatenate(part, axis=-1) for part in thirds(parameters))
    products = exact_matmul(x.astype(np.int64) - source.zero_point, weights) + bias.astype(np.int64)
    sums = _16_bits(rescaled(products, factors.inputs, rounding))
    batch, steps, units = shape(op.result)
    h, cell = np.zeros((2, batch, units), np.int64)
    outputs = []
    for step in range(steps):
        own = rescaled(exact_matmul(h, state_weights), factors.state, rounding)
        output, cell = _step(_16_bits(sums[:, step] + own), cell, factors)
        stored = rescaled(output, factors.hidden, rounding) + result.zero_point
        outputs.append(np.clip(stored, result.storage.minimum, result.storage.maximum))
        h = outputs[-1] - result.zero_point
    return np.stack(outputs, axis=1).astype(numpy_dtype(result))


def _16_bits(value: Integers) -> Integers:
    return fixed_point.saturated(value, 16)


def _step(sums: Integers, cell: Integers, factors: LstmFactors) -> tuple[Integers, Integers]:
    """The product of output gate and tanh of the cell state, in 30 bits, and the cell state."""
    parts = np.split(sums, sums.shape[-1] // cell.shape[-1], axis=-1)
    *given, forget, output = (fixed_point.logistic(part, GATE_BITS) for part in (*parts[:-2], parts[-1]))
    new = fixed_point.tanh(parts[-2], GATE_BITS)
    taken = (given[0] if given else ONE - forget) * new
    kept = fixed_point.divide_by_power(forget * cell, 15)
    cell = _16_bits(kept + fixed_point.divide_by_power(taken, 30 + factors.cell_exponent))
    if factors.clip:
        cell = np.clip(cell, -factors.clip, factors.clip)
    return output * fixed_point.tanh(cell, 15 + factors.cell_exponent), cell
