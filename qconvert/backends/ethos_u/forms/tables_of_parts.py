"""Functions of 8-bit differences as one TABLE for each part of the results' bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.backends.ethos_u.forms.steps import Chain, Integers, Step, behind_reshapes, chain_of, rescaled, reshaped
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects.tosa import AddOp, BinaryOp, CastOp, ConstOp, ReduceMaxOp, SubOp, TableOp
from qconvert.dialects.tosa.quantization import i16, parameter_array
from qconvert.expansion.softmax import DIFFERENCES
from qconvert.interpreter import evaluate_op
from qconvert.ir import element_type, i8, i32, integer_range, shape
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.numerics.affine import round_half_even
from qconvert.numerics.interpolated_table import STEP_BITS, is_steep
from qconvert.rewriting import Pass, PassResult, Refusal, erase_dead, refuse, replace, visit_each
from qconvert.rewriting.placed import PlacedBuilder

_HIGH, _LOW = (24, 16), (8, 0)
"""The first bits of the bytes, in pairs."""
_LOW_BITS = 15
"""The number of low bits of results that are parts of 16 bits."""
_LATER = 2
"""Number of places by which the sum of the high bytes is shifted: RESCALE gives no integers of 2^29 and more."""


class TablesOfParts(Pass):
    """Look up a function of differences to the largest integer in parts that an NPU looks up fast.

    ::

        sub ── cast to i16 ── table, table, table ── shifts, adds ── i32

                                 ┌ table ── rescale * 2^22 ┐
                                 ├ table ── rescale * 2^14 ┴ add ── logical_left_shift 2 ┐
        sub ── rescale to i8 ────┼ table ── rescale * 2^8 ─┐                             ├ add ── i32
                                 └ table ── rescale ───────┴ add ────────────────────────┘

    TABLEs of 8 bits cost an NPU less than those of 16 bits, which interpolate. The ops behind the old tables are
    evaluated on all 256 differences, and the new TABLEs hold the bytes of the results. The highest byte is not
    negative; the others are stored less 128.

    On some NPUs a RESCALE to i32 in front of ADD is two kernels. There two TABLEs of 16 bits cost less than four of
    8 bits and their sums. A result is ``2^30 + high * 2^15 + low``::

        sub of 256 times the integers ── rescale to i16 ──┬ table ── rescale / 2^7 ── mul -2^15 ── sub (2^30 less) ┐
                                                          └ table ── rescale / 2^7 ── mul 1 ────────────────────── add

    Every second entry of these TABLEs is in the middle between two results, because neighbours may differ by 16 bits.
    """

    name = "tables-of-parts"

    def __init__(self, npu: Npu = EVERY_NPU) -> None:
        self.npu = npu

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every CAST to 16 bits in program order."""
        casts = [op for op in module.walk() if isinstance(op, CastOp) and element_type(op.output) == i16]
        result = visit_each(casts, lambda op: _visit(op, in_words=not self.npu.rescales_operands))
        if result.changed:
            erase_dead(list(module.walk()))
        return result


def _visit(op: CastOp, *, in_words: bool) -> bool | Refusal:
    """Return True for rewritten tables, False for a cast that TABLEs alone do not use."""
    users = [use.operation for use in op.output.uses]
    tables = [user for user in users if isinstance(user, TableOp)]
    difference = op.input.owner
    if not tables or len(tables) < len(users) or not isinstance(difference, SubOp):
        return False
    power = _power_of_differences(difference)
    if power is None:
        return refuse(op, "a TABLE of parts needs differences of 8-bit integers to the largest one")
    cone = _cone(op, tables)
    if cone is None or element_type(cone[-1].results[0]) != i32:
        return refuse(op, "the results of the TABLEs are needed in one value of i32")
    values = _evaluated(op, cone, DIFFERENCES << power)
    if values.min() < 0:
        return refuse(op, "a TABLE of parts needs results that are not negative")
    build = PlacedBuilder(cone[-1])
    if not in_words:
        replace(cone[-1], _sum_of_bytes(build, difference, power, values))
        return True
    parts = [_entries(part) for part in ((values >> _LOW_BITS) - (1 << _LOW_BITS), values & (1 << _LOW_BITS) - 1)]
    if any(map(is_steep, parts)):
        return refuse(op, "neighbours in a TABLE of 16 bits would differ by more than 16 bits")
    replace(cone[-1], _sum_of_words(build, difference, *parts))
    return True


def _power_of_differences(op: SubOp) -> int | None:
    """Return ``k`` if an op gives ``2^k`` times the differences of signed bytes to their largest one, else None."""
    value, top = chain_of(op.input1), chain_of(op.input2)
    if value.steps != top.steps or len(value.steps) != 1 or value.unsigned or element_type(value.source) != i8:
        return None
    largest = behind_reshapes(top.source).owner
    if not isinstance(largest, ReduceMaxOp) or behind_reshapes(largest.input) is not behind_reshapes(value.source):
        return None
    sizes, axis = shape(op.input1), largest.axis.value.data
    kept = tuple(1 if i == axis else size for i, size in enumerate(sizes))
    return value.steps[0].power if shape(largest.input) == sizes and shape(op.input2) == kept else None


def _cone(op: CastOp, tables: Sequence[TableOp]) -> list[Operation] | None:
    """Return the ops from the TABLEs to the first op that uses what they all give and no other computed value.

    None if there is no such op, or if one of the ops before it has other users.
    """
    cone: list[Operation] = []
    values: set[SSAValue] = {op.output}
    later = op.next_op
    while later is not None:
        if isinstance(later, TableOp | BinaryOp) and _uses_only(later, values):
            cone.append(later)
            values.add(later.results[0])
            inner = {used for used in cone if used is not later}
            users = [use.operation for used in inner for use in used.results[0].uses]
            if inner >= set(tables) and all(user is later or user in inner for user in users):
                return cone
        later = later.next_op
    return None


def _uses_only(op: Operation, values: set[SSAValue]) -> bool:
    """Return True if an op's operands are such values, one at least, and constants."""
    computed = [operand for operand in op.operands if parameter_array(operand) is None]
    return bool(computed) and all(operand in values for operand in computed)


def _evaluated(op: CastOp, cone: Sequence[Operation], inputs: Integers) -> Integers:
    """Return the results of the last op for integers of the cast."""
    sizes = (*(1,) * (len(shape(op.output)) - 1), -1)
    arrays: dict[SSAValue, NDArray[Any]] = {op.output: inputs.astype(np.int16).reshape(sizes)}
    for used in cone:
        operands = [arrays[value] if value in arrays else parameter_array(value) for value in used.operands]
        arrays[used.results[0]] = evaluate_op(used, [array for array in operands if array is not None])[0]
    return arrays[cone[-1].results[0]].astype(np.int64).reshape(-1)


def _entries(results: Integers) -> Integers:
    """Return 513 entries of a 16-bit TABLE: the results of all differences, and between two results their middle."""
    return round_half_even(np.interp(np.arange(513), 2 * np.arange(results.size), results)).astype(np.int64)


def _sum_of_words(build: PlacedBuilder, difference: SubOp, high: Integers, low: Integers) -> SSAValue:
    """Return results of 31 bits as a multiple of 2^15 and the 15 bits below; the largest difference is 127 * 256."""
    operands = zip((difference.input1, difference.input2), (0, 127), strict=True)
    value, top = (
        build.rescale(reshaped(build, chain_of(operand).source, shape(operand)), 256.0, i32, ZeroPoints(zero_point))
        for operand, zero_point in operands
    )
    place = build.rescale(build.add(SubOp(value, top)), 1.0, i16)
    upper, lower = (
        build.rescale(build.add(TableOp(place, build.constant(entries, i16))), 2.0**-STEP_BITS, i16)
        for entries in (high, low)
    )
    minus, one = (build.filled(factor, place, i16) for factor in (-(1 << _LOW_BITS), 1))
    moved = build.add(SubOp(build.filled(1 << 2 * _LOW_BITS, place), build.multiply(upper, minus)))
    return build.add(AddOp(moved, build.multiply(lower, one)))


def _sum_of_bytes(build: PlacedBuilder, difference: SubOp, power: int, values: Integers) -> SSAValue:
    """Return results of 31 bits as the sum of four bytes, of which the two high ones are shifted last."""
    step = Step(1 << 30, 30 + power, ZeroPoints(0, 127), Rounding.SINGLE_ROUND, integer_range(i32), integer_range(i8))
    held = rescaled(build, Chain(difference.output, ()), step, shape(difference.output), i8)
    high, low = (
        build.add(AddOp(*(_looked_up(build, held, values, place) for place in places))) for places in (_HIGH, _LOW)
    )
    return build.add(AddOp(build.shift_left(high, _LATER), low))


def _looked_up(build: PlacedBuilder, held: SSAValue, values: Integers, place: int) -> SSAValue:
    """Return the byte of the results that begins at a place, at its place or before the shift."""
    less = 0 if place == _HIGH[0] else 128
    later = _LATER if place in _HIGH else 0
    entries = ((values >> place & 0xFF) - less).astype(np.int8)
    found = build.add(TableOp(held, build.add(ConstOp.of(entries, i8))))
    moved = Step(
        1 << 30, 30 - place + later, ZeroPoints(-less), Rounding.SINGLE_ROUND, integer_range(i8), integer_range(i32)
    )
    return rescaled(build, Chain(found, ()), moved, shape(found))
