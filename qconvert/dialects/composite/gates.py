"""The functions of an LSTM's gates and cell state: logistic and tanh in floats, or LiteRT's of 16 bits as tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo import GatherDimensionNumbers, LogisticOp, TanhOp
from qconvert.ir import Storage, UniformQuantizedType, i32, shape, tensor
from qconvert.numerics import fixed_point
from qconvert.numerics.fixed_point import Integers

GateFunction: TypeAlias = Callable[[SSAValue], SSAValue]

_RESULT_TYPE = UniformQuantizedType.per_tensor(Storage.full(16, signed=True), 2.0**-15, 0)
"""The quantized type in which LiteRT holds the results of both functions."""


class Gates(NamedTuple):
    """The functions of the gates, the cell gate and the cell state, and the largest result of a gate.

    ``round_parts``: the kept part and the new part of the cell state are rounded before they are added.
    """

    logistic: GateFunction
    tanh: GateFunction
    cell_tanh: GateFunction
    one: float = 1.0
    round_parts: bool = False


def float_gates(build: OpBuilder) -> Gates:
    """Return the functions in floats."""

    def tanh(x: SSAValue) -> SSAValue:
        return build.add(TanhOp(x))

    return Gates(lambda x: build.add(LogisticOp(x)), tanh, tanh)


def litert_gates(build: OpBuilder, gate: Attribute, cell: Attribute) -> Gates | None:
    """Return LiteRT's fixed-point functions of 16-bit values, which are up to 12 LSB of 2^-15 off the real functions.

    Return None for other types, which LiteRT has no kernel for.
    """
    bits = [_integer_bits(element) for element in (gate, cell)]
    if bits[0] is None or bits[1] is None:
        return None
    gate_bits, cell_bits = bits[0], bits[1]
    tanh = _table(build, fixed_point.tanh, gate_bits)
    cell_tanh = tanh if cell_bits == gate_bits else _table(build, fixed_point.tanh, cell_bits)
    logistic = _table(build, fixed_point.logistic, gate_bits)
    return Gates(logistic, tanh, cell_tanh, one=1 - _RESULT_TYPE.scale, round_parts=True)


def _integer_bits(element: Attribute) -> int | None:
    """Return the integer bits of 16-bit values whose scale is a power of two, None for another type."""
    if not isinstance(element, UniformQuantizedType) or not element.is_per_tensor or element.storage.width != 16:
        return None
    mantissa, exponent = np.frexp(element.scale)
    return None if mantissa != 0.5 or element.zero_point else int(exponent) + 14


def _table(build: OpBuilder, function: Callable[[Integers, int], Integers], bits: int) -> GateFunction:
    """Return a function that gathers from a table of its values for all 65,536 integers."""
    half = 1 << 15
    values = build.constant(fixed_point.table_of_16_bits(function, bits), _RESULT_TYPE)

    def looked_up(x: SSAValue) -> SSAValue:
        scale, offset = build.filled_like(2.0 ** (15 - bits), x), build.filled_like(half, x)
        steps = build.add(stablehlo.MultiplyOp(x, scale))  # all exact: 16 bits in f32
        places = build.add(stablehlo.ConvertOp(build.add(stablehlo.AddOp(steps, offset)), i32))
        numbers = GatherDimensionNumbers((), (0,), start_index_map=(0,), index_vector_dim=len(shape(x)))
        found = build.add(stablehlo.GatherOp(values, places, numbers, [1]))
        return build.add(stablehlo.UniformDequantizeOp(found, tensor(x).element_type))

    return looked_up
