"""Sums over several dimensions as additions of halves."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as replace_fields
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import SSAValue

from qconvert.backends.ethos_u.forms.sums import Sum, visit_sums
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import parameter_array
from qconvert.expansion.builder import i16
from qconvert.ir import element_type, i32, integer_range, shape
from qconvert.rewriting import Pass, PassResult, erase_dead, replace
from qconvert.rewriting.placed import PlacedBuilder

_MOST_NARROW = integer_range(i16)[1]


@dataclass(frozen=True)
class SumsToAdditions(Pass):
    """Sum 8- and 16-bit integers over several dimensions by adding halves of the rows, if an NPU adds faster.

    ::

        i8 ── rescale (zero point z) ── i32 ── reduce_sum H ── reduce_sum W ── rescale

        i8 ┬─ slice ── rescale (zero point z) ─┐
           └─ slice ── rescale (zero point z) ── add ── rescale ── i16 ┬─ slice ── rescale ─┐
                                                                       └─ slice ── rescale ── add ┄ rescale

    An addition reads two slices and has the RESCALEs around it for free, and needs no weights. Partial sums have 16
    bits while they fit, and 32 bits then. The odd row of a level is added in the end; the sum of an 8-bit row and 0 has
    16 bits. Each form sums the same terms, and no partial sum leaves 32 bits, so that the order does not matter.
    """

    name = "sums-to-additions"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every REDUCE_SUM of integers that another one continues."""
        return visit_sums(module, _rewrite) if self.npu.adds_sums else PassResult(changed=False)


def _rewrite(found: Sum) -> bool:
    """Add the rows of several channels; return False for one row, or one channel, whose sum no NPU transposes."""
    if 1 in (found.sizes[-1], prod(found.kernel)):
        return False
    *others, last = found.ops
    build = PlacedBuilder(last, *others)
    value = build.reshape(found.source.input, found.sizes)
    element = element_type(value)
    assert isinstance(element, IntegerType)
    most = ((1 << element.width.data) - 1) << found.power
    total = _Rows(value, most, is_given=True)
    for axis in (1, 2):
        total = _Adder(build, found.source, axis).total(total)
    replace(last, build.reshape(total.value, shape(last.output)))
    erase_dead([found.source, *others])
    return True


@dataclass(frozen=True)
class _Rows:
    """Rows or columns of integers.

    ``most``: the largest magnitude. ``is_given``: they have the zero point of the sum's operand, else they are partial
    sums.
    """

    value: SSAValue
    most: int
    is_given: bool = False


class _Adder(NamedTuple):
    """Adds along an axis; ``source`` widens the given integers."""

    build: PlacedBuilder
    source: tosa.RescaleOp
    axis: int

    def total(self, rows: _Rows) -> _Rows:
        """Return the sum of all rows, of i32 if there are several."""
        odd: list[_Rows] = []
        while (count := shape(rows.value)[self.axis]) > 1:
            rows, half = self._narrowed(rows), count // 2
            if count % 2:
                odd.append(self._part(rows, 2 * half, 1))
            rows = self._sum(self._part(rows, 0, half), self._part(rows, half, half))
        for row in reversed(odd):
            rows = self._narrowed(rows)
            is_narrower = element_type(row.value) != element_type(rows.value)
            rows = self._sum(rows, self._narrowed(self._sum(row, self._zero(row))) if is_narrower else row)
        return rows

    def _part(self, rows: _Rows, start: int, count: int) -> _Rows:
        starts, sizes = [0, 0, 0, 0], list(shape(rows.value))
        starts[self.axis], sizes[self.axis] = start, count
        return replace_fields(rows, value=self.build.slice(rows.value, starts, sizes))

    def _zero(self, rows: _Rows) -> _Rows:
        """Return 0 as a row of the same kind; with it, the type of a row changes in an addition, not in a RESCALE."""
        element = element_type(rows.value)
        zero = parameter_array(self.source.input_zp) if rows.is_given else None
        return _Rows(self.build.filled(0 if zero is None else int(zero[0]), rows.value, element), 0, rows.is_given)

    def _sum(self, one: _Rows, other: _Rows) -> _Rows:
        return _Rows(self.build.add(tosa.AddOp(self._wide(one), self._wide(other))), one.most + other.most)

    def _wide(self, rows: _Rows) -> SSAValue:
        """Return rows as i32."""
        if rows.is_given:
            return self.build.add(tosa.RescaleOp((rows.value, *self.source.operands[1:]), i32))
        return rows.value if element_type(rows.value) == i32 else self.build.rescale(rows.value, 1.0, i32)

    def _narrowed(self, rows: _Rows) -> _Rows:
        """Return partial sums as i16 if they fit."""
        if element_type(rows.value) != i32 or rows.most > _MOST_NARROW:
            return rows
        return replace_fields(rows, value=self.build.rescale(rows.value, 1.0, i16))
