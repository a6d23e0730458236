"""Requantizations ``q(dq(x))``, with clamps in between: the storage integers are clamped after the requantization."""

from __future__ import annotations

import math
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import quantized, quantized_element
from qconvert.passes.fusion.legalize_qdq_to_quantized_op.rules import (
    FUSIONS,
    Outcome,
    Reason,
    changes_axis,
    fuses,
    quantized_scalar,
    requantize,
)
from qconvert.rewriting import dequantized, splat


@fuses(stablehlo.UniformDequantizeOp)
def requantization(op: stablehlo.UniformDequantizeOp, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    """Rewrite ``q(dq(x))`` to ``x`` if the types agree, else to one requantization."""
    if changes_axis(op.operand, quantized_element(quantize.result)):
        return Reason("the scales of its operand and its result lie along different dimensions")
    return lambda build: requantize(build, op.operand, quantize)


class Bounds(NamedTuple):
    """A clamp of real values, merged from several clamps in a row."""

    low: float = -math.inf
    high: float = math.inf

    def then(self, low: float, high: float) -> Bounds:
        """Return this clamp followed by another one."""
        return Bounds(min(max(self.low, low), high), min(max(self.high, low), high))


def _own_bounds(op: Operation) -> tuple[SSAValue, float, float] | None:
    """Return the operand and the bounds of a clamping op; None if the op is not a clamp by constants."""
    if isinstance(op, stablehlo.ClampOp):
        low, high = splat(op.min), splat(op.max)
        return None if low is None or high is None else (op.operand, low, high)
    if isinstance(op, stablehlo.MaximumOp | stablehlo.MinimumOp):
        for value, bound in (tuple(op.operands), tuple(op.operands)[::-1]):
            limit = splat(bound)
            if limit is not None:
                is_lower = isinstance(op, stablehlo.MaximumOp)
                return (value, limit, math.inf) if is_lower else (value, -math.inf, limit)
    return None


def _clamp_chain(op: Operation) -> tuple[SSAValue, Bounds] | None:
    """Return the value below a chain of clamps, and the chain as one clamp.

    The value is quantized, or the result of a float op on dequantized values with which a quantize may fuse.
    """
    own = _own_bounds(op)
    if own is None:
        return None
    value, low, high = own
    source = dequantized(value)
    if source is not None:
        return source, Bounds().then(low, high)
    maker = value.owner
    below = _clamp_chain(maker) if isinstance(maker, Operation) else None
    if below is not None:
        return below[0], below[1].then(low, high)
    if not isinstance(maker, Operation) or type(maker) not in FUSIONS or not value.has_one_use():
        return None
    if any(dequantized(operand) is None for operand in maker.operands):
        return None
    return value, Bounds().then(low, high)


def clamp(op: Operation, quantize: stablehlo.UniformQuantizeOp) -> Outcome:
    """Rewrite ``q(clamp(dq(x)))`` to ``clamp(q(x))`` with rounded bounds, which is exact as rounding is monotonic.

    ``q(clamp(f(dq(x))))`` becomes ``clamp(q(f(dq(x))))`` if a quantize can fuse with ``f``.

    Returns None if the op is not a clamp by constants. It may then be an ordinary elementwise op.
    """
    chain = _clamp_chain(op)
    if chain is None:
        return None
    target = quantized(quantize.result)
    if target is None or not target.is_per_tensor:
        return Reason("the result of the clamp is not quantized per tensor")
    source, bounds = chain

    def rewrite(build: OpBuilder) -> SSAValue:
        value = requantize(build, source, quantize)
        low, high = quantized_scalar(bounds.low, quantize), quantized_scalar(bounds.high, quantize)
        if low <= target.storage.minimum and high >= target.storage.maximum:
            return value
        return build.clamp(value, low, high)

    return rewrite


fuses(stablehlo.ClampOp)(clamp)
