"""Rescales in a row made one, where not a bit of any result changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, ModuleOp

from qconvert.dialects.tosa import ConstOp, RescaleOp, RoundingMode
from qconvert.dialects.tosa.quantization import constant_array, is_set
from qconvert.ir.types import element_type, i8, i32
from qconvert.rewriting.base import Pass, PassResult
from qconvert.rewriting.edits import builder_before, erase_dead, replace

_LEAST_SHIFT = 2
_EXACT_WIDTH = 16
"""The widest integers whose difference from a zero point has room in 32 bits for every power of two that fits."""


@dataclass(frozen=True)
class CombineRescales(Pass):
    """Merge a rescale that loses nothing into the one behind it; drop those that change nothing.

    ::

        i8 ── rescale * 2^k ── i32 ── rescale * m >> s ── i8
        i8 ── rescale * m >> (s - k) ── i8

    The first must widen to i32 by a power of two without saturating; the second must round once, so that where its
    shift ends up does not matter. Rescales that round are kept, as the rounding between is part of the result.
    """

    name = "combine-rescales"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every rescale in program order."""
        changed = [_visit(op) for op in module.walk() if isinstance(op, RescaleOp)]
        erase_dead([op for op in module.walk() if isinstance(op, ConstOp | RescaleOp)])
        return PassResult(any(changed))


def _visit(op: RescaleOp) -> bool:
    if _changes_nothing(op):
        replace(op, op.input)
        return True
    first = op.input.owner
    power = _power_of_two(first) if isinstance(first, RescaleOp) else None
    if power is None or not _rounds_once(op):
        return False
    assert isinstance(first, RescaleOp)
    shift = _constant(op, "shift")
    unsigned = is_set(first.input_unsigned), is_set(op.output_unsigned)
    if shift.min() - power < _LEAST_SHIFT or all(unsigned):
        return False
    build = builder_before(op, first)
    moved = build.add(ConstOp.of((shift - power).astype(np.int8), i8))
    merged = RescaleOp(
        (first.input, op.multiplier, moved, first.input_zp, op.output_zp),
        element_type(op.output),
        per_channel=is_set(op.per_channel),
        input_unsigned=unsigned[0],
        output_unsigned=unsigned[1],
    )
    replace(op, build.add(merged))
    return True


def _constant(op: RescaleOp, name: str) -> NDArray[np.int64]:
    """An operand's integers; only of rescales that :func:`_is_known`."""
    array = constant_array(getattr(op, name))
    assert array is not None
    return np.asarray(array).astype(np.int64)


def _is_known(op: RescaleOp) -> bool:
    """Whether all parameters are constant."""
    return all(constant_array(value) is not None for value in op.operands[1:])


def _changes_nothing(op: RescaleOp) -> bool:
    """Whether every integer becomes itself."""
    same_type = op.input.type == op.output.type and is_set(op.input_unsigned) == is_set(op.output_unsigned)
    if not same_type or not _is_known(op):
        return False
    is_one = (_constant(op, "multiplier") == np.left_shift(1, _constant(op, "shift"))).all()
    return bool(is_one and (_constant(op, "input_zp") == _constant(op, "output_zp")).all())


def _power_of_two(op: RescaleOp) -> int | None:
    """K where an op is a multiplication by ``2**k`` into i32 that no integer is too large for."""
    source = element_type(op.input)
    if not _is_known(op) or is_set(op.per_channel) or element_type(op.output) != i32:
        return None
    if not isinstance(source, IntegerType) or source.width.data > _EXACT_WIDTH or _constant(op, "output_zp").any():
        return None
    [multiplier], [shift] = _constant(op, "multiplier"), _constant(op, "shift")
    mantissa, exponent = np.frexp(np.float64(multiplier))
    power = int(exponent) - 1 - int(shift)
    fits = source.width.data + 1 + power < i32.width.data
    return power if mantissa == 0.5 and power >= 0 and fits else None


def _rounds_once(op: RescaleOp) -> bool:
    """Whether an op takes i32 as they are and adds half of what it shifts out."""
    is_single = op.rounding_mode.data is RoundingMode.SINGLE_ROUND
    return is_single and is_set(op.scale32) and _is_known(op) and not _constant(op, "input_zp").any()
