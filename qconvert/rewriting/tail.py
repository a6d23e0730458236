"""The tail of a contraction: the ops behind its sums that a target may compute in the same operator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.ir import ACCUMULATOR, UniformQuantizedType, element_type, is_float, quantized, same_scales
from qconvert.numerics import is_tie, nearest_integers, values_along
from qconvert.rewriting.edits import only_user


@dataclass(frozen=True)
class Tail:
    """The ops behind the sums of a contraction, each the only use of the one before, in the same block.

    ::

        sums ── [uniform_quantize ── finer sums] ── [add] ── [uniform_quantize] ── [clamp]

    Each part may be missing; finer sums are part of it only with a bias. ``bias`` has one number for each output:
    integers at the scale of the sums that it is added to, or floats. Sums are floats, or integers of 32 bits: narrower
    results of a contraction have no bias and no requantization behind them, only a clamp.
    """

    sums: SSAValue
    finer: SSAValue | None
    add: stablehlo.AddOp | None
    bias: NDArray[Any] | None
    requantize: stablehlo.UniformQuantizeOp | None
    clamp: stablehlo.ClampOp | None

    @property
    def biased(self) -> SSAValue:
        """The sums with their bias, if there is one."""
        return self.sums if self.add is None else self.add.result

    @property
    def requantized(self) -> SSAValue:
        """The result in the type that the contraction returns to the rest of the program, before the clamp."""
        return self.biased if self.requantize is None else self.requantize.result

    @property
    def values(self) -> tuple[SSAValue, ...]:
        """All results up to the requantization, in order."""
        steps = (self.sums, self.finer, self.biased, self.requantized)
        return tuple(dict.fromkeys(value for value in steps if value is not None))


def tail_of(sums: SSAValue, feature_axis: int | None) -> Tail:
    """Return the ops behind a contraction's result, whose outputs are along ``feature_axis``; None takes no bias."""
    finer = finer_sums(sums)
    found = None if feature_axis is None else _addition(sums if finer is None else finer, feature_axis)
    add, bias = (None, None) if found is None else found
    last = sums if add is None else add.result
    user = only_user(last) if holds_sums(sums) and quantized(sums) is not None else None
    requantize = user if isinstance(user, stablehlo.UniformQuantizeOp) and quantized(user.result) is not None else None
    clamp = clamp_behind(last if requantize is None else requantize.result)
    return Tail(sums, None if add is None else finer, add, bias, requantize, clamp)


def clamp_behind(value: SSAValue) -> stablehlo.ClampOp | None:
    """Return the clamp that is the only use of a value."""
    clamp = only_user(value)
    return clamp if isinstance(clamp, stablehlo.ClampOp) and clamp.operand is value else None


def finer_sums(sums: SSAValue) -> SSAValue | None:
    """Return 32-bit sums at a finer scale, to which a bias of floats is added, if that is the only use of sums."""
    op = only_user(sums)
    if not isinstance(op, stablehlo.UniformQuantizeOp) or not holds_sums(op.result) or is_float(element_type(sums)):
        return None
    return op.result if isinstance(only_user(op.result), stablehlo.AddOp) else None


def has_addition(sums: SSAValue) -> bool:
    """Return True if the only use of 32-bit sums, or of them at a finer scale, is an addition, of whatever operand."""
    if quantized(sums) is None or not holds_sums(sums):
        return False
    finer = finer_sums(sums)
    return isinstance(only_user(sums if finer is None else finer), stablehlo.AddOp)


def holds_sums(value: SSAValue) -> bool:
    """Return True for the results of contractions that a bias is added to: floats and integers of 32 bits."""
    element = quantized(value)
    return is_float(element_type(value)) or (element is not None and element.storage.width == ACCUMULATOR.width)


def _addition(sums: SSAValue, axis: int) -> tuple[stablehlo.AddOp, NDArray[Any]] | None:
    """Return the addition of a constant with one number for each output, and the numbers at the scale of the sums."""
    add = only_user(sums)
    if not isinstance(add, stablehlo.AddOp) or not holds_sums(sums) or add.result.type != sums.type:
        return None
    operand = add.rhs if add.lhs is sums else add.lhs
    constant, element = constant_array(operand), quantized(sums)
    added = None if constant is None else values_along(constant, axis)
    if added is None or element is None:
        return None if added is None else (add, added)
    integers = _at_scale_of(element, added, quantized(operand), axis)
    return None if integers is None else (add, integers)


def _at_scale_of(
    sums: UniformQuantizedType, added: NDArray[Any], element: UniformQuantizedType | None, axis: int
) -> NDArray[Any] | None:
    """Return a bias as integers at the scale of the sums; None if they are not the sums' own integers, added exactly.

    The integers of another scale are rounded, which is the same as to round each sum with its bias, but for ties: which
    integer is even depends on the sum.
    """
    if (
        element is None
        or element.is_sub_channel
        or not {sums.quantization_dimension, element.quantization_dimension} <= {None, axis}
    ):
        return None
    if element.has_zero_zero_point and same_scales(element.scales, sums.scales):
        return added
    reals = (added.astype(np.float64) - element.zero_points) * (element.scales / sums.scales)
    fits = np.abs(reals).max(initial=0.0) <= ACCUMULATOR.maximum and sums.has_zero_zero_point
    return nearest_integers(reals) if fits and not is_tie(reals).any() else None
