"""Functions with two slopes as the larger or the smaller of two products."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import SSAValue

from qconvert.backends.ethos_u.forms.steps import (
    Chain,
    Integers,
    Step,
    rescaled,
    step_of,
)
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.tosa import (
    CastOp,
    ConstOp,
    GreaterEqualOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    RescaleOp,
    SelectOp,
    SubOp,
)
from qconvert.dialects.tosa.quantization import i16, parameter_array
from qconvert.ir import element_type, i8, i32, integer_range, shape
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.rewriting import Pass, PassResult, Refusal, builder_before, erase_dead, only_user, refuse, visit_each
from qconvert.rewriting import replace as replace_op

_ONE = Step(1 << 30, 30, ZeroPoints(), Rounding.SINGLE_ROUND, integer_range(i16), integer_range(i32))
_CODES = np.arange(-(1 << 15), 1 << 15)


class SelectToExtreme(Pass):
    """Take the larger or the smaller of two rescaled values where SELECT takes the same one by the sign of a value.

    ::

        i16 ── cast ── x;  select(greater_equal(x, 0), x, rescale x)

        maximum(i16 ── rescale * 1 ── i32, i16 ── rescale ── i16 ── rescale * 1 ── i32)

    SELECT and GREATER_EQUAL are kernels of their own, which not all NPUs have. All 65,536 integers are tried with
    MAXIMUM, then with MINIMUM. A RESCALE may be negated: then it was one for a negative slope. It becomes a product by
    -1 with the RESCALE behind it, unless that rounds a tie to another integer. A 0 is an i16, because NPUs compute
    MAXIMUM of 32-bit integers five times as long.

    NPUs compute MAXIMUM of 16-bit integers, and the RESCALEs by 1 around it are free. Any other RESCALE in front of it
    is free on some NPUs, two of them only if they give i32; for the other NPUs, each one becomes a product by 1 with a
    RESCALE behind it, which is free. The clamps to 16 bits change no result if the only user gives the same for the
    clamped values, because ``max(clamp(a), clamp(b))`` is ``clamp(max(a, b))``. If it does not, or if the RESCALE of
    a negated one stays, the RESCALEs give i32.
    """

    name = "select-to-extreme"

    def __init__(self, npu: Npu = EVERY_NPU) -> None:
        self.npu = npu

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every SELECT in program order."""
        found = (op for op in module.walk() if isinstance(op, SelectOp))
        result = visit_each(found, lambda op: _visit(op, self.npu))
        if result.changed:
            erase_dead(list(module.walk()))
        return result


@dataclass(frozen=True)
class Slope:
    """A selected value: the 16-bit integers rescaled by a step, or 0 without one."""

    step: Step | None
    negated: bool = False

    @cached_property
    def is_odd(self) -> bool:
        """True if the step gives negated integers the negated results."""
        return self.step is None or np.array_equal(self.step(-_CODES), -self.step(_CODES))

    def __call__(self, codes: Integers) -> Integers:
        """Return the values of 16-bit integers."""
        values = np.zeros_like(codes) if self.step is None else self.step(codes)
        return -values if self.negated else values


def _visit(op: SelectOp, npu: Npu) -> bool | Refusal:
    """Return True for a rewritten op, False for one that does not select by the sign of 16-bit integers."""
    condition = op.input1.owner
    if not isinstance(condition, GreaterEqualOp) or not _is_zero(condition.input2):
        return False
    wide = condition.input1
    if not isinstance(wide.owner, CastOp) or element_type(wide.owner.input) != i16:
        return False
    above, below = (_slope(value, wide) for value in (op.input2, op.input3))
    if above is None or below is None:
        return refuse(op, "each selected value must be 0 or a RESCALE of the integers whose sign selects")
    kind = extreme(above, below)
    if kind is None:
        return refuse(op, "neither MAXIMUM nor MINIMUM gives the selected value for each integer")
    build = builder_before(op)
    may_clamp = _may_clamp(op, above, below)
    make = _Maker(build, wide.owner.input, npu.rescales_operands, may_clamp, _ONE in (above.step, below.step))
    replace_op(op, build.add(kind(make(above, first=True), make(below, first=False))))
    return True


def _is_zero(value: SSAValue) -> bool:
    array = parameter_array(value)
    return array is not None and not array.any()


def _slope(value: SSAValue, wide: SSAValue) -> Slope | None:
    """Return a selected value as a function of the integers in ``wide``; None if it is another one."""
    if value is wide:
        return Slope(_ONE)
    if _is_zero(value):
        return Slope(None)
    owner = value.owner
    if isinstance(owner, SubOp) and _is_zero(owner.input1):
        inner = _slope(owner.input2, wide)
        return None if inner is None else replace(inner, negated=not inner.negated)
    step = step_of(owner) if isinstance(owner, RescaleOp) and owner.input is wide else None
    if step is None or step.zero_points != ZeroPoints():
        return None
    return Slope(_ONE if np.array_equal(step(_CODES), _CODES) else step)


@lru_cache(maxsize=512)
def extreme(above: Slope, below: Slope) -> type[MaximumOp | MinimumOp] | None:
    """Return the op that takes ``above`` for integers from 0 on and ``below`` for all others; None for neither."""
    one, other = above(_CODES), below(_CODES)
    expected = np.where(_CODES >= 0, one, other)
    if np.array_equal(np.maximum(one, other), expected):
        return MaximumOp
    return MinimumOp if np.array_equal(np.minimum(one, other), expected) else None


def _may_clamp(op: SelectOp, above: Slope, below: Slope) -> bool:
    """Return True if the selected values may be clamped to 16 bits, because the only user's results stay."""
    if any(slope.negated and not slope.is_odd for slope in (above, below)):
        return False
    values = np.where(_CODES >= 0, above(_CODES), below(_CODES))
    clamped = np.clip(values, _CODES[0], _CODES[-1])
    user = only_user(op.output)
    last = step_of(user) if isinstance(user, RescaleOp) else None
    return np.array_equal(values, clamped) or (last is not None and np.array_equal(last(values), last(clamped)))


class _Maker(NamedTuple):
    """Makes the operands of MAXIMUM and MINIMUM.

    ``rescales``: the NPU rescales the 16-bit integers in front of MAXIMUM; else a product by 1 is made, and a RESCALE
    behind it. ``may_clamp``: the values may be clamped to 16 bits. ``has_one``: one of the two values is not rescaled.
    """

    build: OpBuilder
    source: SSAValue
    rescales: bool
    may_clamp: bool
    has_one: bool

    def __call__(self, slope: Slope, *, first: bool) -> SSAValue:
        """Return a selected value. ``first`` orders a product's factors, so that equal products stay two ops."""
        if slope.step is None:
            return self._step(self._constant(0, i16), _ONE)
        if slope.negated and not slope.is_odd:
            return self.build.add(SubOp(self._constant(0, i32), self._plain(slope.step, first=first)))
        if slope.negated:
            return self._rescaled(self._product(-1, first=first), slope.step, narrow=self.may_clamp)
        return self._plain(slope.step, first=first)

    def _plain(self, step: Step, *, first: bool) -> SSAValue:
        is_narrow = self.may_clamp and (not self.rescales or self.has_one)
        is_free = self.rescales or (is_narrow and step == _ONE)
        return self._rescaled(self.source if is_free else self._product(1, first=first), step, narrow=is_narrow)

    def _rescaled(self, value: SSAValue, step: Step, *, narrow: bool) -> SSAValue:
        if narrow and not (value is self.source and step == _ONE):
            value, step = self._step(value, step, i16), _ONE
        return value if element_type(value) == i32 and step == _ONE else self._step(value, step)

    def _step(self, value: SSAValue, step: Step, element: IntegerType = i32) -> SSAValue:
        return rescaled(self.build, Chain(value, ()), step, shape(value), element)

    def _product(self, factor: int, *, first: bool) -> SSAValue:
        one = self._constant(factor, i16)
        factors = (self.source, one) if first else (one, self.source)
        return self.build.add(MulOp(*factors, self.build.add(ConstOp.of(np.zeros(1, np.int8), i8))))

    def _constant(self, value: int, element: IntegerType) -> SSAValue:
        sizes = (1,) * len(shape(self.source))
        return self.build.add(ConstOp.of(np.full(sizes, value, np.int16 if element == i16 else np.int32), element))
