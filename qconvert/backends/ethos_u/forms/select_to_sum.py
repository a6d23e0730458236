"""SELECT between a value and its product with a slope, by sign, as a sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.backends.ethos_u.forms.signed_parts import SignedParts
from qconvert.backends.ethos_u.forms.steps import Chain, Step, behind_reshapes, chain_of, step_of
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import parameter_array
from qconvert.ir import element_type, i8, i32, integer_range, shape
from qconvert.numerics import ZeroPoints
from qconvert.rewriting import Pass, PassResult, Refusal, erase_dead, only_user, refuse, replace, visit_each
from qconvert.rewriting.placed import PlacedBuilder


@dataclass(frozen=True)
class SelectToSum(Pass):
    """Add what is above 0 to the product of what is below 0 and its slope, for 8-bit integers.

    ::

        i8 ── rescale * 1 ── x;  select(greater_equal(x, 0), rescale x, rescale (x * slope)) ── rescale (z) ── i8

        maximum(x, 0) ── rescale (z) ── i8 ────────┐
        minimum(x, 0) ── mul slope ── rescale (z) ── add (less z both) ── rescale (z) ── i8

    SELECT and GREATER_EQUAL are kernels of their own, which not all NPUs have. One of the two parts of ``x`` is 0, and
    so is its RESCALE, because RESCALE gives 0 for 0 if it has no zero points. The other part alone is the result. So
    each part may be clamped to the result's 8 bits before the sum. NPUs that do not rescale the operands of MAXIMUM
    multiply by 1, and rescale that product.
    """

    name = "select-to-sum"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every SELECT in program order."""
        found = (op for op in module.walk() if isinstance(op, tosa.SelectOp))
        result = visit_each(found, lambda op: _visit(op, self.npu))
        if result.changed:
            erase_dead(list(module.walk()))
        return result


class _Parts(NamedTuple):
    """The 8-bit integers whose sign selects, the two RESCALEs, the slopes, and the last RESCALE with its zero point."""

    source: SSAValue
    zero_point: int
    above: Step
    below: Step
    slope: SSAValue
    last: tosa.RescaleOp
    zero_out: int


def _visit(op: tosa.SelectOp, npu: Npu) -> bool | Refusal:
    """Return True for a rewritten op, False for one that does not select by the sign of 8-bit integers."""
    condition = op.input1.owner
    if not isinstance(condition, tosa.GreaterEqualOp) or _array(condition.input2).any():
        return False
    chain = chain_of(condition.input1)
    if len(chain.steps) != 1 or chain.steps[0].power != 0 or chain.unsigned or element_type(chain.source) != i8:
        return False
    parts = _parts(op, condition.input1, chain)
    if parts is None:
        return refuse(op, "it does not select a RESCALE of the integers or one of their product, to be 8-bit integers")
    make = SignedParts(PlacedBuilder(parts.last, op), parts.source, parts.zero_point, shape(condition.input1))
    replace(parts.last, _sum(make, parts, npu))
    return True


def _array(value: SSAValue) -> NDArray[Any]:
    """Return a constant; for a computed value, one that is not 0."""
    found = parameter_array(value)
    return np.ones(1, np.int8) if found is None else found


def _parts(op: tosa.SelectOp, wide: SSAValue, chain: Chain) -> _Parts | None:
    """Return the parts of a SELECT of i32 in one shape; None for another one."""
    if element_type(op.output) != i32 or shape(op.output) != shape(wide):
        return None
    last, above, below = only_user(op.output), op.input2.owner, op.input3.owner
    if not all(isinstance(found, tosa.RescaleOp) for found in (last, above, below)):
        return None
    assert isinstance(last, tosa.RescaleOp)
    assert isinstance(above, tosa.RescaleOp)
    assert isinstance(below, tosa.RescaleOp)
    product, steps = below.input.owner, [step_of(found) for found in (above, below, last)]
    if above.input is not wide or not isinstance(product, tosa.MulOp) or product.input1 is not wide:
        return None
    first, second, third = steps
    if first is None or second is None or third is None or third.power != 0 or third.gives != integer_range(i8):
        return None
    if any((*first.zero_points, *second.zero_points, third.zero_points.input)) or _array(product.shift).any():
        return None
    slope = _slope(product.input2)
    zero_points = chain.steps[0].zero_points
    if slope is None or zero_points.output:
        return None
    return _Parts(chain.source, zero_points.input, first, second, slope, last, third.zero_points.output)


def _slope(value: SSAValue) -> SSAValue | None:
    """Return slopes of i32 that are 8-bit integers less a zero point; None for others."""
    array = parameter_array(value)
    if array is not None:
        return None if _held(array) is None else value
    owner = behind_reshapes(value).owner
    step = step_of(owner) if isinstance(owner, tosa.RescaleOp) else None
    is_widened = step is not None and step.power == 0 and step.takes == integer_range(i8)
    return value if is_widened else None


def _held(slopes: NDArray[Any]) -> tuple[NDArray[np.int8], int] | None:
    """Return slopes as 8-bit integers and their zero point; None if they do not fit."""
    (low, high), (least, most) = integer_range(i8), (int(slopes.min()), int(slopes.max()))
    point = min(max(low - least, low), high)
    return ((slopes + point).astype(np.int8), point) if low <= least + point and most + point <= high else None


def _sum(make: SignedParts, parts: _Parts, npu: Npu) -> SSAValue:
    """Return the sum of both parts as the result's integers."""
    array, build, zero_points = parameter_array(parts.slope), make.build, ZeroPoints(parts.zero_out)
    slope = parts.slope
    found = None if array is None else _held(array)
    if found is not None:  # 8-bit integers are read in less time than wider ones
        held, point = found
        slope = build.rescale(build.constant(held, i8), 1.0, i32, ZeroPoints(point))
    above = make.above(parts.above, parts.zero_out, npu)
    below = make.last(build.multiply(make.below(), slope), parts.below, parts.zero_out)
    total = build.add(tosa.AddOp(*(build.rescale(part, 1.0, i32, zero_points) for part in (above, below))))
    return build.rescale(total, 1.0, i8, ZeroPoints(0, parts.zero_out))
