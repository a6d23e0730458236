"""LiteRT's 16-bit LOGISTIC and TANH as sums of TABLEs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.tosa import (
    AddOp,
    ArithmeticRightShiftOp,
    CastOp,
    ConstOp,
    GatherOp,
    MulOp,
    TableOp,
)
from qconvert.dialects.tosa.quantization import i16, parameter_array
from qconvert.ir import element_type, i8, i32, integer_range, shape
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.numerics.interpolated_table import (
    Integers,
    logistic_16,
    scaled_for_sigmoid,
    sigmoid_entries,
    sigmoid_multiplier,
    tanh_16,
)
from qconvert.passes.lean_tosa.steps import Chain, Step, behind_reshapes, rescaled, reshaped
from qconvert.rewriting import Pass, PassResult, Refusal, builder_before, erase_dead, refuse, replace

_CODES = np.arange(-(1 << 15), 1 << 15)
_SAMPLES = slice(0, 1 << 16, 997)
_SPREAD = 0.02
"""The largest relative error of a guessed scale."""
_MOST_SHIFT = 26


class GatherToTables(Pass):
    """Compute LiteRT's 16-bit LOGISTIC and TANH by TABLEs that interpolate.

    ::

        cast ── add 2^15 ── gather of 65,536 results

              ┌ add ── rescale >> (s + k) ── table ┐
        mul m ┼ add ── rescale >> (s + k) ── table ┼ adds ── rescale
              ┊                                    ┊

    LiteRT scales an operand to ``v = (x * m + half) >> s`` and interpolates between 256 entries, of the magnitude, with
    9 bits (LOGISTIC) or 8 bits (TANH). A TABLE interpolates between 512 entries, of both signs, with 7 bits. The
    interpolation with ``k`` more bits is the sum of the TABLE's results for ``(v + j) >> k``, ``j`` from 0 to
    ``2^k - 1``: of these, the last ``v mod 2^k`` are one place further. One is subtracted from negative ones before the
    last rounding, as LiteRT rounds the magnitude. The multiplier is found from the results, all 65,536 are compared.

    A GATHER reads element by element from outside of the NPU, and Ethos-U55 and U65 have none.
    """

    name = "gather-to-tables"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every GATHER in program order."""
        visited = [_visit(op) for op in module.walk() if isinstance(op, GatherOp)]
        if True in visited:
            erase_dead(list(module.walk()))
        return PassResult(True in visited, tuple(refusal for refusal in visited if isinstance(refusal, Refusal)))


@dataclass(frozen=True)
class Kind:
    """A function.

    ``bits``: number of bits that its interpolation has beside those of a TABLE's.
    ``offset``, ``places``: what is added to the sum of the TABLEs before it is shifted to the right.
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


LOGISTIC, TANH = Kind(2, 1 << 24, 10, 0xFFFE), Kind(1, 0, 8, 0xFFFF)


@dataclass(frozen=True)
class Form:
    """A function of operands times ``multiplier / 2^shift``."""

    kind: Kind
    multiplier: int
    shift: int

    def addends(self) -> list[int]:
        """Return what is added to each product before the shift by ``shift + bits``, which rounds half up."""
        half = 1 << (self.shift - 1) if self.shift else 0
        rounding = 1 << (self.shift + self.kind.bits - 1)
        return [half + (j << self.shift) - rounding for j in range(1 << self.kind.bits)]

    def results(self) -> Integers:
        """Return the results of all 16-bit integers."""
        bits, entries = self.kind.bits, sigmoid_entries(self.kind.largest)
        scaled = scaled_for_sigmoid(_CODES, self.multiplier, self.shift)
        total = np.where(_CODES < 0, -1, 0) + self.kind.offset
        for j in range(1 << bits):
            place = np.clip((scaled + j) >> bits, -(1 << 15), (1 << 15) - 1)
            index, part = (place >> 7) + 256, place & 127
            total += entries[index] * 128 + (entries[index + 1] - entries[index]) * part
        return np.clip((total + (1 << (self.kind.places - 1))) >> self.kind.places, -(1 << 15), (1 << 15) - 1)


def _visit(op: GatherOp) -> bool | Refusal:
    """Return True for a rewritten op, False for one that gathers no results of 16-bit integers."""
    values = parameter_array(op.values)
    source = source_of(op.indices)
    if values is None or source is None or values.shape != (1, 1 << 16, 1) or element_type(op.values) != i16:
        return False
    form = found_form(values.astype(np.int16).tobytes())
    if form is None:
        return refuse(op, "the 65,536 results are not those of LiteRT's LOGISTIC or TANH")
    build = builder_before(op)
    replace(op, reshaped(build, _written(build, source, form), shape(op.output)))
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


def _written(build: OpBuilder, source: SSAValue, form: Form) -> SSAValue:
    """Return the function's ops."""
    ones = (1,) * len(shape(source))

    def constant(value: int) -> SSAValue:
        return build.add(ConstOp.of(np.full(ones, value, np.int32), i32))

    factor = build.add(ConstOp.of(np.full(ones, form.multiplier, np.int16), i16))
    product = build.add(MulOp(source, factor, build.add(ConstOp.of(np.zeros(1, np.int8), i8))))
    entries = build.add(ConstOp.of(sigmoid_entries(form.kind.largest).astype(np.int16), i16))
    total = build.add(ArithmeticRightShiftOp(product, constant(31)))
    for addend in form.addends():
        place = _shifted(build, build.add(AddOp(product, constant(addend))), form.shift + form.kind.bits)
        total = build.add(AddOp(total, build.add(TableOp(place, entries))))
    if form.kind.offset:
        total = build.add(AddOp(total, constant(form.kind.offset)))
    return _shifted(build, total, form.kind.places)


def _shifted(build: OpBuilder, value: SSAValue, places: int) -> SSAValue:
    """Return i32 integers shifted to the right, halves up, as 16-bit integers."""
    step = Step(1 << 30, 30 + places, ZeroPoints(), Rounding.SINGLE_ROUND, integer_range(i32), integer_range(i16))
    return rescaled(build, Chain(value, ()), step, shape(value), i16)
