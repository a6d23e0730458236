"""Functions of 8-bit differences as one 8-bit TABLE for each byte of the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects.tosa import AddOp, BinaryOp, CastOp, ConstOp, LogicalLeftShiftOp, ReduceMaxOp, SubOp, TableOp
from qconvert.dialects.tosa.quantization import i16, parameter_array
from qconvert.interpreter import evaluate_op
from qconvert.ir import EVERY_NPU, Npu, element_type, i8, i32, integer_range, shape
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.passes.lean_tosa.steps import Chain, Integers, Step, behind_reshapes, chain_of, rescaled
from qconvert.rewriting import Pass, PassResult, Refusal, erase_dead, refuse, replace, visit_each
from qconvert.rewriting.placed import PlacedBuilder

_DIFFERENCES = np.arange(-255, 1)
"""The differences of 8-bit integers from the largest one."""
_HIGH, _LOW = (24, 16), (8, 0)
"""The first bits of the bytes, in pairs."""
_LATER = 2
"""Number of places by which the sum of the high bytes is shifted: RESCALE gives no integers of 2^29 and more."""


class TablesOfBytes(Pass):
    """Look up a function of differences to the largest integer byte by byte.

    ::

        sub ── cast to i16 ── table, table, table ── shifts, adds ── i32

                                 ┌ table ── rescale * 2^22 ┐
                                 ├ table ── rescale * 2^14 ┴ add ── logical_left_shift 2 ┐
        sub ── rescale to i8 ────┼ table ── rescale * 2^8 ─┐                             ├ add ── i32
                                 └ table ── rescale ───────┴ add ────────────────────────┘

    TABLEs of 8 bits cost an NPU less than those of 16 bits, which interpolate. The ops behind the old tables are
    evaluated on all 256 differences, and the new TABLEs hold the bytes of the results. The highest byte is not
    negative; the others are stored less 128.

    On some NPUs a RESCALE to i32 in front of ADD is two kernels, but free if the sum has 16 bits. There a result is
    ``2^30 + high * 2^15 + low`` with ``high`` and ``low`` of 16 bits, sums of two bytes each::

        sub ── rescale to i8 ──┬ table ── rescale * 2^8 ┐
                               └ table ── rescale ────── add ── rescale to i16 ── mul -2^15 ── sub (2^30 less) ┐
                                      ┄ add ── rescale to i16 ── mul 1 ──────────────────────────────────────── add
    """

    name = "tables-of-bytes"

    def __init__(self, npu: Npu = EVERY_NPU) -> None:
        self.npu = npu

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every CAST to 16 bits in program order."""
        casts = [op for op in module.walk() if isinstance(op, CastOp) and element_type(op.output) == i16]
        result = visit_each(casts, lambda op: _visit(op, in_pairs=not self.npu.rescales_operands))
        if result.changed:
            erase_dead(list(module.walk()))
        return result


def _visit(op: CastOp, *, in_pairs: bool) -> bool | Refusal:
    """Return True for rewritten tables, False for a cast that TABLEs alone do not use."""
    users = [use.operation for use in op.output.uses]
    tables = [user for user in users if isinstance(user, TableOp)]
    difference = op.input.owner
    if not tables or len(tables) < len(users) or not isinstance(difference, SubOp):
        return False
    power = _power_of_differences(difference)
    if power is None:
        return refuse(op, "a TABLE of bytes needs differences of 8-bit integers to the largest one")
    cone = _cone(op, tables)
    if cone is None or element_type(cone[-1].results[0]) != i32:
        return refuse(op, "the results of the TABLEs are needed in one value of i32")
    values = _evaluated(op, cone, _DIFFERENCES << power)
    if values.min() < 0:
        return refuse(op, "a TABLE of bytes needs results that are not negative")
    build = PlacedBuilder(cone[-1])
    whole = Step(1 << 30, 30 + power, ZeroPoints(0, 127), Rounding.SINGLE_ROUND, integer_range(i32), integer_range(i8))
    held = rescaled(build, Chain(difference.output, ()), whole, shape(op.output), i8)
    if in_pairs:
        replace(cone[-1], _sum_of_pairs(build, held, values))
        return True
    high, low = (_sum_of_bytes(build, held, values, places) for places in (_HIGH, _LOW))
    shift = build.add(ConstOp.of(np.full((1,) * len(shape(op.output)), _LATER, np.int32), i32))
    replace(cone[-1], build.add(AddOp(build.add(LogicalLeftShiftOp(high, shift)), low)))
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


def _sum_of_pairs(build: PlacedBuilder, held: SSAValue, values: Integers) -> SSAValue:
    """Return the results as a multiple of 2^15 and the 15 bits below."""
    high, low = (_pair(build, held, part) for part in ((values >> 15) - (1 << 15), values & 0x7FFF))
    minus, one = (build.filled(factor, held, i16) for factor in (-(1 << 15), 1))
    moved = build.add(SubOp(build.filled(1 << 30, held), build.multiply(high, minus)))
    return build.add(AddOp(moved, build.multiply(low, one)))


def _pair(build: PlacedBuilder, held: SSAValue, values: Integers) -> SSAValue:
    """Look up 16-bit integers as the sum of two bytes."""
    above, below = ((values >> 8).astype(np.int8), ((values & 0xFF) - 128).astype(np.int8))
    found = [build.add(TableOp(held, build.constant(entries, i8))) for entries in (above, below)]
    high, low = build.rescale(found[0], 256.0, i32), build.rescale(found[1], 1.0, i32, ZeroPoints(-128))
    return build.rescale(build.add(AddOp(high, low)), 1.0, i16)


def _sum_of_bytes(build: PlacedBuilder, held: SSAValue, values: Integers, places: tuple[int, int]) -> SSAValue:
    """Return the two bytes of the results that begin at two places, at these places or, high ones, before the shift."""
    return build.add(AddOp(*(_looked_up(build, held, values, place) for place in places)))


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
