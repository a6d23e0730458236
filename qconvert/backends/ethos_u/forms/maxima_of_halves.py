"""REDUCE_MAX and REDUCE_MIN as larger and smaller ones of two halves."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from qconvert.backends.ethos_u.forms.steps import behind_reshapes
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import i16
from qconvert.ir import element_type, i8, i32, shape
from qconvert.rewriting import Pass, PassResult, Refusal, erase_dead, only_user, refuse, replace, visit_each
from qconvert.rewriting.placed import PlacedBuilder

_EXTREMES: dict[type[tosa.ReductionOp], type[tosa.ExtremeOp]] = {
    tosa.ReduceMaxOp: tosa.MaximumOp,
    tosa.ReduceMinOp: tosa.MinimumOp,
}
_BRICK = 16
"""The number of neighbours that a kernel over the dimension in front of them reads at once from slow memory."""
_FEW = 4096
"""For so many integers the kernel of REDUCE_MAX costs more than reading halves from slow memory."""


@dataclass(frozen=True)
class MaximaOfHalves(Pass):
    """Reduce 8- and 16-bit integers by the larger ones of two halves, of the half that remains, and so on.

    ::

        i8 (N) ── reduce_max

        i8 (N) ┬─ slice (N / 2) ─┐
               └─ slice (N / 2) ── maximum (N / 2) ┬─ slice (N / 4) ─┐
                                                   └─ slice (N / 4) ── maximum (N / 4) ┄ (1)

    An NPU reduces one window at a time, but computes MAXIMUM of many elements at once, whose operands may be slices.
    The dimensions that are reduced and those behind them become one, in which a half is a row of neighbours. An odd
    element of a level is compared in the end. The largest integer does not depend on the order.

    Many integers in a slow memory stay with REDUCE_MAX if 16 or more neighbours are reduced apart: it reads a row once.
    """

    name = "maxima-of-halves"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every REDUCE_MAX and REDUCE_MIN in program order."""
        return visit_each((op for op in module.walk() if isinstance(op, tosa.ReductionOp)), self._visit)

    def _visit(self, op: tosa.ReductionOp) -> bool | Refusal:
        """Return True for reduced halves, False for another op."""
        kind = _EXTREMES.get(type(op))
        if kind is None or element_type(op.input) not in (i8, i16):
            return False
        ops = _row(op)
        sizes, (first, last) = shape(op.input), (op.axis.value.data, ops[-1].axis.value.data)
        outer, count, inner = prod(sizes[:first]), prod(sizes[first : last + 1]), prod(sizes[last + 1 :])
        if self._is_slow(op.input) and inner >= _BRICK and prod(sizes) > _FEW:
            return refuse(op, "its many integers are in a slow memory, which it reads once")
        build = PlacedBuilder(ops[-1], *ops[:-1])
        value = build.reshape(op.input, (outer, count * inner))
        replace(ops[-1], build.reshape(_Rows(build, kind, inner).extreme(value), shape(ops[-1].output)))
        erase_dead(ops[:-1])
        return True

    def _is_slow(self, value: SSAValue) -> bool:
        """Return True if the NPU has a fast memory that does not hold a value."""
        is_given = isinstance(behind_reshapes(value).owner, Block)
        return self.npu.fast_bytes > 0 and (is_given or not self.npu.holds(shape(value)))


def _row(op: tosa.ReductionOp) -> list[tosa.ReductionOp]:
    """Return an op and those of its kind that reduce its result alone, each over the next dimension."""
    ops = [op]
    while (
        isinstance(user := only_user(ops[-1].output), type(op)) and user.axis.value.data == ops[-1].axis.value.data + 1
    ):
        ops.append(user)
    return ops


@dataclass(frozen=True)
class _Rows:
    """Rows of ``width`` integers, side by side in the last dimension."""

    build: PlacedBuilder
    kind: type[tosa.ExtremeOp]
    width: int

    def extreme(self, value: SSAValue) -> SSAValue:
        """Return one row with the largest or smallest integer of each column."""
        odd: list[SSAValue] = []
        while (count := shape(value)[1] // self.width) > 1:
            half = count // 2
            if count % 2:
                odd.append(self._part(value, 2 * half, 1))
            value = self._of_two(self._part(value, 0, half), self._part(value, half, half))
        for row in reversed(odd):
            value = self._of_two(value, row)
        return value

    def _part(self, value: SSAValue, start: int, count: int) -> SSAValue:
        return self.build.slice(value, (0, start * self.width), (shape(value)[0], count * self.width))

    def _of_two(self, one: SSAValue, other: SSAValue) -> SSAValue:
        element = element_type(one)
        wide = [self.build.rescale(value, 1.0, i32) for value in (one, other)]
        return self.build.rescale(self.build.add(self.kind(*wide)), 1.0, i8 if element == i8 else i16)
