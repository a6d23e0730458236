"""LiteRT's 16-bit LOGISTIC and TANH as sums of TABLEs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, SSAValue

from qconvert.backends.ethos_u.forms.steps import Chain, Step, behind_reshapes, rescaled, reshaped
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.tosa import (
    AddOp,
    CastOp,
    ConcatOp,
    ConstOp,
    ConstShapeOp,
    GatherOp,
    SliceOp,
    TableOp,
)
from qconvert.dialects.tosa.quantization import i16, parameter_array
from qconvert.ir import element_type, i32, integer_range, shape
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.numerics.interpolated_table import (
    STEP_BITS,
    Integers,
    logistic_16,
    scaled_for_sigmoid,
    sigmoid_entries,
    sigmoid_multiplier,
    tanh_16,
)
from qconvert.rewriting import Pass, PassResult, Refusal, builder_before, erase_dead, refuse, replace, visit_each

_CODES = np.arange(-(1 << 15), 1 << 15)
_INTS, _WORDS = integer_range(i16), integer_range(i32)
_SAMPLES = slice(0, 1 << 16, 997)
_SPREAD = 0.02
"""The largest relative error of a guessed scale."""
_MOST_SHIFT = 26
_MOST_PIECES = 64


@dataclass(frozen=True)
class GatherToTables(Pass):
    """Compute LiteRT's 16-bit LOGISTIC and TANH by TABLEs that interpolate.

    ::

        cast ── add 2^15 ── gather of 65,536 results

        rescale * m ── add ── rescale >> (s + k) ── table ┐
        rescale * m ── add ── rescale >> (s + k) ── table ┼ adds ── rescale, DOUBLE_ROUND
                                                          ┊

    LiteRT scales an operand to ``v = (x * m + half) >> s`` and interpolates between 256 entries, of the magnitude, with
    9 bits (LOGISTIC) or 8 bits (TANH). A TABLE interpolates between 512 entries, of both signs, with 7 bits. The
    interpolation with ``k`` more bits is the sum of the TABLE's results for ``(v + j) >> k``, ``j`` from 0 to
    ``2^k - 1``: of these, the last ``v mod 2^k`` are one place further. Where all ``v`` are even, as for many scales
    that are powers of two, pairs of these TABLEs are equal, and one of each pair is enough.

    LiteRT rounds the magnitude, so halves go away from zero. So do they in a RESCALE with DOUBLE_ROUND, which adds 2^30
    more to a product from 0 on and 2^30 less to a negative one, if the multiplier is ``2^30 - 1``: the one in 2^30 that
    is missing keeps all other sums on their side. LOGISTIC's half is added behind it. The multiplier ``m`` is found
    from the results, all 65,536 are compared.

    A GATHER reads element by element from outside of the NPU, and Ethos-U55 and U65 have none.

    The i32 results need twice the operand's bytes. If the NPU has little fast memory, the function is computed piece by
    piece, so that they stay in there. All operands of a kernel are in one memory, so a piece of a model's input, which
    is in the slow one, is copied first.
    """

    name = "gather-to-tables"

    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every GATHER in program order."""
        found = (op for op in module.walk() if isinstance(op, GatherOp))
        result = visit_each(found, lambda op: _visit(op, self.npu))
        if result.changed:
            erase_dead(list(module.walk()))
        return result


class Kind(NamedTuple):
    """A function.

    ``bits``: number of bits that its interpolation has beside those of a TABLE's.
    ``offset``: what is added to the rounded sum of the TABLEs.
    ``places``: the number of places that the sum is shifted to the right.
    ``largest``: 65536 times the sigmoid beyond LiteRT's table.
    """

    bits: int
    offset: int
    places: int
    largest: int

    def of(self, codes: Integers, scale: float) -> Integers:
        """Return LiteRT's results."""
        return logistic_16(codes, scale) if self.offset else tanh_16(codes, scale)

    def multiplier(self, scale: float) -> tuple[int, int]:
        """Return the multiplier and the shift of operands at a scale."""
        return sigmoid_multiplier(scale, 0 if self.offset else 1)


LOGISTIC, TANH = Kind(2, 1 << 14, 10, 0xFFFE), Kind(1, 0, 8, 0xFFFF)


class Form(NamedTuple):
    """A function of operands times ``multiplier / 2^shift``."""

    kind: Kind
    multiplier: int
    shift: int

    @property
    def halvings(self) -> int:
        """The number of times that the TABLEs can be halved, because the last bits of each scaled operand are 0."""
        bits = np.bitwise_or.reduce(scaled_for_sigmoid(_CODES, self.multiplier, self.shift))
        return next((bit for bit in range(self.kind.bits) if bits >> bit & 1), self.kind.bits)

    def addends(self) -> list[int]:
        """Return what is added to each product before the shift by ``shift + bits``, which rounds half up."""
        half = 1 << (self.shift - 1) if self.shift else 0
        rounding = 1 << (self.shift + self.kind.bits - 1)
        return [half + (j << self.shift) - rounding for j in range(0, 1 << self.kind.bits, 1 << self.halvings)]

    def last(self) -> Step:
        """Return the step from the sum of the TABLEs to 16 bits, which rounds halves away from zero."""
        shift = 30 + self.kind.places - self.halvings
        return Step((1 << 30) - 1, shift, ZeroPoints(), Rounding.DOUBLE_ROUND, _WORDS, _INTS)

    def results(self) -> Integers:
        """Return the results of all 16-bit integers."""
        bits, entries = self.kind.bits, sigmoid_entries(self.kind.largest)
        total = np.zeros_like(_CODES)
        for addend in self.addends():
            rounded = _CODES * self.multiplier + addend + (1 << (self.shift + bits - 1))
            place = np.clip(rounded >> (self.shift + bits), *_INTS)
            index, part = (place >> STEP_BITS) + 256, place & (1 << STEP_BITS) - 1
            total += (entries[index] << STEP_BITS) + (entries[index + 1] - entries[index]) * part
        return np.clip(self.last()(total) + self.kind.offset, *_INTS)


def _visit(op: GatherOp, npu: Npu) -> bool | Refusal:
    """Return True for a rewritten op, False for one that gathers no results of 16-bit integers."""
    values = parameter_array(op.values)
    source = source_of(op.indices)
    if values is None or source is None or values.shape != (1, 1 << 16, 1) or element_type(op.values) != i16:
        return False
    form = found_form(values.astype(np.int16).tobytes())
    if form is None:
        return refuse(op, "the 65,536 results are not those of LiteRT's LOGISTIC or TANH")
    build = builder_before(op)
    made = _written(build, source, form, _layout(source, form, npu))
    replace(op, reshaped(build, made, shape(op.output)))
    return True


def source_of(indices: SSAValue) -> SSAValue | None:
    """Return the 16-bit integers that 2^15 is added to, else None."""
    owner = behind_reshapes(indices).owner
    if not isinstance(owner, AddOp):
        return None
    offset, cast = parameter_array(owner.input2), behind_reshapes(owner.input1).owner
    is_half = offset is not None and offset.size == 1 and offset.flat[0] == 1 << 15
    return cast.input if is_half and isinstance(cast, CastOp) and element_type(cast.input) == i16 else None


@lru_cache(maxsize=64)
def found_form(results: bytes) -> Form | None:
    """Return the form that gives 65,536 results, if there is one."""
    expected = np.frombuffer(results, np.int16).astype(np.int64)
    for kind in (LOGISTIC, TANH):
        for scale in _scales(kind, expected):
            if np.array_equal(kind.of(_CODES[_SAMPLES], scale), expected[_SAMPLES]):
                multiplier, shift = kind.multiplier(scale)
                form = Form(kind, multiplier, shift)
                if multiplier < 1 << 15 and shift <= _MOST_SHIFT and np.array_equal(form.results(), expected):
                    return form
    return None


def _scales(kind: Kind, expected: Integers) -> Iterator[float]:
    """Yield scales close to the one at which a function has these results: one for each multiplier."""
    share = (expected + (0 if kind.offset else 1 << 15)) / (1 << (15 if kind.offset else 16))
    steep = np.flatnonzero((share > 0.6) & (share < 0.9) & (_CODES > 0))
    if not steep.size:
        return
    at = steep[-1]
    guess = float(np.log(share[at] / (1 - share[at])) / _CODES[at]) / (1 if kind.offset else 2)
    if not 0 < guess < 1:
        return
    exponent = int(np.frexp(guess)[1])
    yield from (2.0**exponent, 2.0 ** (exponent - 1))
    multiplier, shift = kind.multiplier(guess)
    for step in range(int(multiplier * _SPREAD) + 2):
        for sign in (1, -1):
            yield float(np.ldexp((multiplier + sign * step + 0.5) / 12288.0, -shift))


class Layout(NamedTuple):
    """How the operand is read: in its shape or flat, as one piece or several of equal sizes, and from copies or not."""

    is_flat: bool
    pieces: int
    copies: bool


def _layout(source: SSAValue, form: Form, npu: Npu) -> Layout:
    """Return the layout in which the results of a form's TABLEs stay in the fast memory, if there is one."""
    count, tables = prod(shape(source)), len(form.addends())
    is_slow = isinstance(source, BlockArgument) or 4 * count > npu.fast_bytes
    if not npu.fast_bytes or tables == 1:
        return Layout(is_slow and npu.fast_bytes > 0, 1, copies=False)
    held, each = (0, 2) if is_slow else (2 * count, 0)
    largest = (npu.fast_bytes - held) // (each + 4 * (tables.bit_length() - 1))
    least = -(-count // largest)
    pieces = next((n for n in range(least, _MOST_PIECES + 1) if count % n == 0), 1)
    return Layout(is_slow or pieces > 1, pieces, copies=is_slow)


def _written(build: OpBuilder, source: SSAValue, form: Form, layout: Layout) -> SSAValue:
    """Return the function's results, flat if they are computed so."""
    size = prod(shape(source)) // layout.pieces
    rows = reshaped(build, source, (layout.pieces, size)) if layout.is_flat else source
    made = []
    for place in range(layout.pieces):
        piece = rows
        if layout.pieces > 1:
            start, sizes = (build.add(ConstShapeOp(values)) for values in ((place, 0), (1, size)))
            piece = build.add(SliceOp(rows, start, sizes))
        if layout.copies:
            piece = _added(build, piece, 0)
        made.append(_summed(build, piece, form))
    return build.add(ConcatOp(made, 0)) if layout.pieces > 1 else made[0]


def _summed(build: OpBuilder, source: SSAValue, form: Form) -> SSAValue:
    """Return the function's results as the sum of TABLEs."""
    entries = build.add(ConstOp.of(sigmoid_entries(form.kind.largest).astype(np.int16), i16))
    tables = []
    for addend in form.addends():
        product = rescaled(build, Chain(source, ()), _power(0, form.multiplier), shape(source))
        total = build.add(AddOp(product, _constant(build, addend, shape(source))))
        place = rescaled(build, Chain(total, ()), _down(form.shift + form.kind.bits), shape(source), i16)
        tables.append(build.add(TableOp(place, entries)))
    if len(tables) == 1:
        tables.append(build.add(ConstOp.of(np.zeros((1,) * len(shape(source)), np.int32), i32)))
    while len(tables) > 1:
        tables = [build.add(AddOp(*pair)) for pair in zip(tables[::2], tables[1::2], strict=True)]
    result = rescaled(build, Chain(tables[0], ()), form.last(), shape(source), i16)
    return _added(build, result, form.kind.offset) if form.kind.offset else result


def _added(build: OpBuilder, value: SSAValue, addend: int) -> SSAValue:
    """Return 16-bit integers plus a constant, which one kernel computes."""
    wide = rescaled(build, Chain(value, ()), _power(0), shape(value))
    total = build.add(AddOp(wide, _constant(build, addend, shape(value))))
    return rescaled(build, Chain(total, ()), _down(0), shape(value), i16)


def _down(places: int) -> Step:
    """Return the RESCALE from i32 to 16 bits that shifts to the right, halves up."""
    return Step(1 << 30, 30 + places, ZeroPoints(), Rounding.SINGLE_ROUND, _WORDS, _INTS)


def _power(places: int, factor: int = 1) -> Step:
    """Return the RESCALE from 16 bits to i32 by a factor of up to 15 bits, shifted to the left.

    The multiplier has all 31 bits, because RESCALE takes integers of fewer bits than the shift.
    """
    spare = 31 - factor.bit_length()
    return Step(factor << spare, spare - places, ZeroPoints(), Rounding.SINGLE_ROUND, _INTS, _WORDS)


def _constant(build: OpBuilder, value: int, sizes: tuple[int, ...]) -> SSAValue:
    """Return a constant of i32 as 16 bits and a RESCALE, which is free; its odd part fits in 16 bits."""
    places = (value & -value).bit_length() - 1 if value else 0
    constant = build.add(ConstOp.of(np.full((1,) * len(sizes), value >> places, np.int16), i16))
    return rescaled(build, Chain(constant, ()), _power(places), shape(constant))
