"""Rescales in a row merged, without changing any bit of a result."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp

from qconvert.dialects.tosa import ConstOp, RescaleOp
from qconvert.dialects.tosa.quantization import is_set
from qconvert.ir import element_type, i8, i32, integer_range
from qconvert.numerics import Rounding
from qconvert.rewriting import Pass, PassResult, builder_before, erase_dead, replace
from qconvert.rewriting.rescales import RescaleParameters, power_of_two, rescale_parameters

_LEAST_SHIFT = 2


class CombineRescales(Pass):
    """Merge an exact rescale into the rescale behind it; remove rescales that change nothing.

    ::

        i8 ── rescale * 2^k ── i32 ── rescale * m >> s ── i8
        i8 ── rescale * m >> (s - k) ── i8

        ui8 ── rescale (zero points a, b) ── i8 ── rescale (zero point b) * m >> s ── i8
        ui8 ── rescale (zero point a) * m >> s ── i8

    The first rescale must widen to i32 by a power of two without saturating. The second must round once, so that its
    result depends on the product only. Rescales that round are kept, because the rounding in between is part of the
    result. A rescale by 1 that keeps the width and does not saturate only moves the zero point, so the second one may
    round twice.
    """

    name = "combine-rescales"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every rescale in program order."""
        changed = [_visit(op) for op in module.walk() if isinstance(op, RescaleOp)]
        erase_dead([op for op in module.walk() if isinstance(op, ConstOp | RescaleOp)])
        return PassResult(any(changed))


def _visit(op: RescaleOp) -> bool:
    found = rescale_parameters(op)
    if found is None:
        return False
    if _changes_nothing(op, found):
        replace(op, op.input)
        return True
    first = op.input.owner
    if not isinstance(first, RescaleOp):
        return False
    if _only_moves(first, op, found) and not is_set(op.output_unsigned) and element_type(op.output) != i32:
        source, parameters = (first.input, op.multiplier, op.shift, first.input_zp, op.output_zp), op.properties
        merged = RescaleOp.create(operands=source, result_types=[op.output.type], properties=dict(parameters))
        merged.properties["input_unsigned"] = first.input_unsigned
        replace(op, builder_before(op, first).add(merged))
        return True
    power = power_of_two(first)
    if power is None or not _rounds_once(op, found):
        return False
    unsigned = is_set(first.input_unsigned), is_set(op.output_unsigned)
    if found.shift.min() - power < _LEAST_SHIFT or all(unsigned):
        return False
    build = builder_before(op, first)
    moved = build.add(ConstOp.of((found.shift - power).astype(np.int8), i8))
    merged = RescaleOp(
        (first.input, op.multiplier, moved, first.input_zp, op.output_zp),
        element_type(op.output),
        per_channel=is_set(op.per_channel),
        input_unsigned=unsigned[0],
        output_unsigned=unsigned[1],
    )
    replace(op, build.add(merged))
    return True


def _changes_nothing(op: RescaleOp, found: RescaleParameters) -> bool:
    """Return whether every integer stays the same."""
    same_type = op.input.type == op.output.type and is_set(op.input_unsigned) == is_set(op.output_unsigned)
    is_one = (found.multiplier == np.left_shift(1, found.shift)).all()
    return bool(same_type and is_one and found.input_zp == found.output_zp)


def _only_moves(op: RescaleOp, second: RescaleOp, read: RescaleParameters) -> bool:
    """Return whether a rescale moves the zero point of integers to that of the second one, and none saturates."""
    found, element = rescale_parameters(op), element_type(op.input)
    if found is None or not isinstance(element, IntegerType) or element != element_type(op.output):
        return False
    least, most = integer_range(element, unsigned=is_set(op.input_unsigned))
    moved = found.output_zp - found.input_zp
    is_one = (found.multiplier == np.left_shift(1, found.shift)).all()
    is_kept = (least + moved, most + moved) == integer_range(element, unsigned=is_set(op.output_unsigned))
    same_sign = is_set(op.output_unsigned) == is_set(second.input_unsigned)
    return bool(is_one and is_kept and same_sign and found.output_zp == read.input_zp)


def _rounds_once(op: RescaleOp, found: RescaleParameters) -> bool:
    """Return whether an op rounds once, with 32-bit multipliers and an input zero point of 0."""
    is_single = op.rounding_mode.data is Rounding.SINGLE_ROUND
    return is_single and is_set(op.scale32) and not found.input_zp
