"""Functions with two slopes as the larger or the smaller of two products."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

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
from qconvert.ir import EVERY_NPU, Npu, element_type, i8, i32, integer_range, shape
from qconvert.numerics import Rounding, ZeroPoints
from qconvert.passes.lean_tosa.steps import (
    Chain,
    Integers,
    Step,
    rescaled,
    step_of,
)
from qconvert.rewriting import Pass, PassResult, Refusal, builder_before, erase_dead, refuse
from qconvert.rewriting import replace as replace_op

_ONE = Step(1 << 30, 30, ZeroPoints(), Rounding.SINGLE_ROUND, integer_range(i16), integer_range(i32))
_CODES = np.arange(-(1 << 15), 1 << 15)


class SelectToExtreme(Pass):
    """Take the larger or the smaller of two rescaled values where SELECT takes the same one by the sign of a value.

    ::

        i16 ── cast ── x;  select(greater_equal(x, 0), x, rescale x)

        maximum(rescale i16 * 1, rescale i16)

    The RESCALEs are read straight from the 16-bit integers. SELECT and GREATER_EQUAL are kernels of their own, which
    not all NPUs have. All 65,536 integers are tried with MAXIMUM, then with MINIMUM. A RESCALE may be negated: then
    it was one for a negative slope.

    An NPU that has no free RESCALE in front of MAXIMUM gets products by 1, behind which it has one.
    """

    name = "select-to-extreme"

    def __init__(self, npu: Npu = EVERY_NPU) -> None:
        self.npu = npu

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every SELECT in program order."""
        visited = [_visit(op, self.npu) for op in module.walk() if isinstance(op, SelectOp)]
        if True in visited:
            erase_dead(list(module.walk()))
        return PassResult(True in visited, tuple(refusal for refusal in visited if isinstance(refusal, Refusal)))


@dataclass(frozen=True)
class Slope:
    """A selected value: the 16-bit integers rescaled by a step, or 0 without one."""

    step: Step | None
    negated: bool = False

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
    make = _rescaled if npu.rescales_operands else _multiplied
    source = wide.owner.input
    replace_op(op, build.add(kind(make(build, source, above, first=True), make(build, source, below, first=False))))
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
    return None if step is None or step.zero_points != ZeroPoints() else Slope(step)


@lru_cache(maxsize=512)
def extreme(above: Slope, below: Slope) -> type[MaximumOp | MinimumOp] | None:
    """Return the op that takes ``above`` for integers from 0 on and ``below`` for all others; None for neither."""
    one, other = above(_CODES), below(_CODES)
    expected = np.where(_CODES >= 0, one, other)
    if np.array_equal(np.maximum(one, other), expected):
        return MaximumOp
    return MinimumOp if np.array_equal(np.minimum(one, other), expected) else None


def _rescaled(build: OpBuilder, source: SSAValue, slope: Slope, *, first: bool) -> SSAValue:
    """Return a selected value as a RESCALE of the 16-bit integers."""
    del first
    if slope.step is None:
        return _zero(build, source)
    return _signed(build, rescaled(build, Chain(source, ()), slope.step, shape(source)), slope)


def _multiplied(build: OpBuilder, source: SSAValue, slope: Slope, *, first: bool) -> SSAValue:
    """Return a selected value as a product by 1, and a RESCALE behind it that NPUs fuse with it alone.

    Each value has a product of its own: the order of its operands keeps equal ones from becoming one.
    """
    if slope.step is None:
        return _zero(build, source)
    one = build.add(ConstOp.of(np.ones((1,) * len(shape(source)), np.int16), i16))
    factors = (source, one) if first else (one, source)
    product = build.add(MulOp(*factors, build.add(ConstOp.of(np.zeros(1, np.int8), i8))))
    if slope.step != _ONE:
        product = rescaled(build, Chain(product, ()), slope.step, shape(source))
    return _signed(build, product, slope)


def _signed(build: OpBuilder, value: SSAValue, slope: Slope) -> SSAValue:
    return build.add(SubOp(_zero(build, value), value)) if slope.negated else value


def _zero(build: OpBuilder, like: SSAValue) -> SSAValue:
    return build.add(ConstOp.of(np.zeros((1,) * len(shape(like)), np.int32), i32))
