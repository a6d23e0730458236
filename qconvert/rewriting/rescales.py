"""``tosa.rescale`` ops: their constant parameters read, and new ops built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.tosa import ConstOp, RescaleOp
from qconvert.dialects.tosa.quantization import is_set, parameter_array
from qconvert.ir import element_type, i32
from qconvert.numerics import ZeroPoints


@dataclass(frozen=True, eq=False)
class RescaleParameters:
    """The constant parameters of a rescale, in 64 bits; the zero point of an unsigned side is read as unsigned."""

    multiplier: NDArray[np.int64]
    shift: NDArray[np.int64]
    input_zp: int
    output_zp: int


def rescale_parameters(op: RescaleOp) -> RescaleParameters | None:
    """Return the parameters of a rescale; None if one of them is not constant."""
    arrays = [parameter_array(value) for value in op.operands[1:]]
    known = [array for array in arrays if array is not None]
    if len(known) < len(arrays):
        return None
    multiplier, shift, input_zp, output_zp = known
    zero_points = [
        int(array.view(f"u{array.itemsize}")[0] if unsigned else array[0])
        for array, unsigned in ((input_zp, is_set(op.input_unsigned)), (output_zp, is_set(op.output_unsigned)))
    ]
    return RescaleParameters(multiplier.astype(np.int64), shift.astype(np.int64), *zero_points)


_EXACT_WIDTH = 16
"""Widest integers for which a difference from a zero point, times a power of two that fits, stays within 32 bits."""


def power_of_two(op: RescaleOp) -> int | None:
    """Return ``k`` if an op multiplies by ``2**k`` into i32 and no integer overflows; else None."""
    source, found = element_type(op.input), rescale_parameters(op)
    if found is None or is_set(op.per_channel) or element_type(op.output) != i32:
        return None
    if not isinstance(source, IntegerType) or source.width.data > _EXACT_WIDTH or found.output_zp:
        return None
    [multiplier], [shift] = found.multiplier, found.shift
    mantissa, exponent = np.frexp(np.float64(multiplier))
    power = int(exponent) - 1 - int(shift)
    fits = source.width.data + 1 + power < i32.width.data
    return power if mantissa == 0.5 and power >= 0 and fits else None


class Edge(NamedTuple):
    """One side of a rescale: its integer type, its zero point and whether the integers are unsigned."""

    element: Attribute
    zero_point: int = 0
    unsigned: bool = False


def rescale(
    build: OpBuilder,
    value: SSAValue,
    scale: tuple[NDArray[Any], NDArray[Any]],
    source: Edge,
    target: Edge,
    element: Attribute | None = None,
) -> SSAValue:
    """Return integers of the source side, rescaled by multipliers and shifts to the target side.

    The result has the type ``element``, which is the integer type of the target side by default.
    """
    made = RescaleOp.by(
        value,
        scale,
        element or target.element,
        ZeroPoints(source.zero_point, target.zero_point),
        lambda array, type: build.add(ConstOp.of(array, type)),
        input_unsigned=source.unsigned,
        output_unsigned=target.unsigned,
    )
    return build.add(made)
