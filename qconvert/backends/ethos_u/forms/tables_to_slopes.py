"""TABLEs that are kernels of their own, as elementwise ops."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert import numerics
from qconvert.backends.ethos_u.forms.signed_parts import SignedParts
from qconvert.backends.ethos_u.forms.steps import SHIFTS, Integers, Step, is_alone
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import parameter_array
from qconvert.ir import element_type, i8, i32, integer_range, shape
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.rewriting import Pass, PassResult, Refusal, refuse, replace, visit_each
from qconvert.rewriting.placed import PlacedBuilder

_LOW, _HIGH = integer_range(i8)
_CODES = np.arange(_LOW, _HIGH + 1)


@dataclass(frozen=True)
class TablesToSlopes(Pass):
    """Compute a magnitude, a negative or what is above a zero point instead of looking it up.

    ::

        %x (a model's input) ── table, of abs(x - z) * factor

        %x ── rescale * 1 (zero point z) ── abs ── rescale * factor ── i8

    A TABLE is free behind a kernel that computes its operand for it alone. Behind others it is a kernel, which takes
    longer than ABS, SUB or MAXIMUM. The factor is the middle of those that give every entry of the TABLE, and all 256
    entries are compared with what the new ops give.
    """

    name = "tables-to-slopes"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every TABLE of 8-bit integers in program order."""
        found = [op for op in module.walk() if isinstance(op, tosa.TableOp) and element_type(op.input1) == i8]
        return visit_each(found, self._visit)

    def _visit(self, op: tosa.TableOp) -> bool | Refusal:
        """Return True for a rewritten TABLE, False for one that is computed in the kernel in front of it."""
        entries = parameter_array(op.table)
        if entries is None or not is_alone(op.input1):
            return False
        slopes = fitted(entries.astype(np.int8).tobytes())
        if slopes is None:
            return refuse(op, "it is no magnitude, no negative, and not 0 on one side and a multiple on the other")
        replace(
            op,
            _written(SignedParts(PlacedBuilder(op), op.input1, slopes.zero_point, shape(op.output)), slopes, self.npu),
        )
        return True


class Kind(Enum):
    """The change of integers less their zero point, before they are rescaled."""

    MAGNITUDE = auto()
    NEGATIVE = auto()
    WRAPPED = auto()
    """The negative, of which a CAST keeps the low 8 bits, as LiteRT's NEG does of 128."""
    ABOVE = auto()


class Slopes(NamedTuple):
    """A function of 8-bit integers; ``step`` rescales to the result without its zero point."""

    kind: Kind
    zero_point: int
    zero_out: int
    step: Step

    def __call__(self, codes: Integers) -> Integers:
        """Return the results."""
        values = codes - self.zero_point
        if self.kind is Kind.WRAPPED:
            return (-values).astype(np.int8)
        parts = {Kind.MAGNITUDE: np.abs(values), Kind.NEGATIVE: -values, Kind.ABOVE: np.maximum(values, 0)}
        return np.clip(self.step(parts[self.kind]) + self.zero_out, _LOW, _HIGH)


def _written(make: SignedParts, slopes: Slopes, npu: Npu) -> SSAValue:
    """Return the function in ops that NPUs rescale in one kernel."""
    if slopes.kind is Kind.ABOVE:
        return make.above(slopes.step, slopes.zero_out, npu)
    if slopes.kind is Kind.WRAPPED:
        return make.build.add(tosa.CastOp(make.build.add(tosa.SubOp(make.zero(), make.wide())), i8))
    is_magnitude = slopes.kind is Kind.MAGNITUDE
    op = tosa.AbsOp(make.wide()) if is_magnitude else tosa.SubOp(make.zero(), make.wide())
    return make.last(make.build.add(op), slopes.step, slopes.zero_out)


_ONE = Step(1 << 30, 30, ZeroPoints(), Rounding.SINGLE_ROUND, integer_range(i32), integer_range(i32))


@lru_cache(maxsize=512)
def fitted(table: bytes) -> Slopes | None:
    """Return the function that has the entries of a TABLE; None if none of the kinds has."""
    entries = np.frombuffer(table, np.int8).astype(np.int64)
    wrapped = Slopes(Kind.WRAPPED, int(entries[-_LOW]), 0, _ONE)
    if np.array_equal(wrapped(_CODES), entries):
        return wrapped
    for zero_point in _CODES.tolist():
        below, above = _factors(entries, zero_point, -1), _factors(entries, zero_point, 1)
        both = max(below[0], above[0]), min(below[1], above[1])
        minus = max(below[0], -above[1]), min(below[1], -above[0])
        for kind, (low, high) in ((Kind.MAGNITUDE, both), (Kind.NEGATIVE, minus), (Kind.ABOVE, above)):
            step = _step(low, high)
            if step is None or (kind is Kind.NEGATIVE and step.power != 0):
                continue
            found = Slopes(kind, zero_point, int(entries[zero_point - _LOW]), step)
            if np.array_equal(found(_CODES), entries):
                return found
    return None


def _factors(entries: NDArray[np.int64], zero_point: int, sign: int) -> tuple[float, float]:
    """Return the factors of distances from the zero point on one side that give the entries, as an interval."""
    side = sign * (_CODES - zero_point) > 0
    if not side.any():
        return -np.inf, np.inf
    distance, ends = np.abs(_CODES - zero_point)[side], entries[side]
    result = ends - entries[zero_point - _LOW]
    low = np.where(ends == _LOW, -np.inf, result - 0.5) / distance
    high = np.where(ends == _HIGH, np.inf, result + 0.5) / distance
    return float(low.max()), float(high.min())


def _step(low: float, high: float) -> Step | None:
    """Return a RESCALE by 1 or by the middle of an interval of factors; None if it has no positive ones."""
    middle = 1.0 if low <= 1.0 <= high else (max(low, 0.0) + high) / 2
    if not (low <= high and 0 < middle < np.inf):
        return None
    multiplier, shift = (int(array) for array in numerics.multiplier_and_shift(middle))
    if shift not in SHIFTS:
        return None
    return Step(multiplier, shift, ZeroPoints(), Rounding.SINGLE_ROUND, integer_range(i32), integer_range(i32))
