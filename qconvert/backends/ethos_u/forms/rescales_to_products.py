"""RESCALEs of 32-bit integers that are kernels of their own, as products."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import SSAValue

from qconvert.backends.ethos_u.forms.steps import Step, behind_reshapes, step_of
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects.tosa import ArithmeticRightShiftOp, LogicalLeftShiftOp, MulOp, RescaleOp
from qconvert.dialects.tosa.quantization import is_set
from qconvert.ir import element_type, i32, integer_range, shape
from qconvert.numerics import Rounding
from qconvert.numerics.rescale import DOUBLE_ROUND_SHIFT
from qconvert.rewriting import Pass, PassResult, Refusal, only_user, refuse, replace, visit_each
from qconvert.rewriting.placed import PlacedBuilder

_BITS_BY_ONE = 29
"""RESCALE by 1, whose shift is 30, takes integers of so many bits and a sign."""


@dataclass(frozen=True)
class RescalesToProducts(Pass):
    """Multiply by a constant where a RESCALE of a product or of shifted integers would be a kernel of its own.

    ::

        mul %x, %y (i32) ── rescale * m >> s (zero point z) ── i8

        mul %x, %y (i32) ── mul m >> s ── rescale * 1 (zero point z) ── i8

    NPUs have no multiplier behind a product of 32-bit integers, and none behind a shift. A RESCALE there is a pooling
    of its own, which costs three times as much as a product; the NPU may even compute that in one go with the op
    before. Behind a product of narrower integers, which RESCALEs by 1 widen, they have one.

    MUL rounds halves up, as RESCALE does once. Of a square, which is not negative, a RESCALE that rounds twice is
    ``((v * m + 2^30) + 2^(s - 1)) >> s``, and so ``(((v * m + 2^30) >> 31) + 2^(s - 32)) >> (s - 31)``: a product, and
    a shift that rounds. The product must fit into 32 bits, and into 30 bits in front of a RESCALE by 1: a RESCALE with
    a shift of ``s`` takes integers of ``s`` bits.
    """

    name = "rescales-to-products"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every RESCALE of 32-bit integers in program order."""
        if not self.npu.products_for_rescales:
            return PassResult(changed=False)
        found = (op for op in module.walk() if isinstance(op, RescaleOp) and element_type(op.input) == i32)
        return visit_each(found, _visit)


def _visit(op: RescaleOp) -> bool | Refusal:
    """Return True for a rewritten op, False for one that other ops take in."""
    value = behind_reshapes(op.input)
    source = value.owner
    is_alone = isinstance(source, MulOp) and element_type(source.input1) == i32 and not _is_narrow(source)
    if not is_alone and not isinstance(source, ArithmeticRightShiftOp | LogicalLeftShiftOp):
        return False
    step = step_of(op)
    if step is None or is_set(op.output_unsigned):
        return refuse(op, "a product has one factor, and signed integers")
    if step.multiplier.bit_count() == 1 and only_user(op.input) is op:
        return False
    reason = _obstacle(step, of_square=isinstance(source, MulOp) and source.input1 is source.input2)
    if reason is not None:
        return refuse(op, reason)
    build, element = PlacedBuilder(op), element_type(op.output)
    assert isinstance(element, IntegerType)
    product = _product(build, op.input, step)
    replace(op, product if element == i32 else build.rescale(product, 1.0, element, step.zero_points))
    return True


def _obstacle(step: Step, *, of_square: bool) -> str | None:
    """Return why a RESCALE is no product, or None."""
    if step.rounding is Rounding.INEXACT_ROUND:
        return "its rounding is not defined"
    if step.rounds_twice and not of_square:
        return "it rounds twice, in the direction of the sign"
    return None if _fits(step) else "its product may have too many bits"


def _fits(step: Step) -> bool:
    """Return True if the product fits into 32 bits, or into those that RESCALE by 1 takes."""
    if step.gives == integer_range(i32):
        return step.multiplier <= 1 << step.shift
    largest = (1 << min(31, step.shift - 1)) - 1
    return (largest * step.multiplier + (1 << (step.shift - 1))) >> step.shift < 1 << _BITS_BY_ONE


def _is_narrow(op: MulOp) -> bool:
    """Return True if RESCALEs by 1 widen both operands, so that an NPU reads the narrower integers."""
    sources = [behind_reshapes(operand).owner for operand in (op.input1, op.input2)]
    steps = [step_of(source) if isinstance(source, RescaleOp) else None for source in sources]
    return all(step is not None and step.power == 0 for step in steps)


def _product(build: PlacedBuilder, value: SSAValue, step: Step) -> SSAValue:
    """Return the rescaled integers without a zero point."""
    factor = build.constant(np.full((1,) * len(shape(value)), step.multiplier, np.int32), i32)
    if not step.rounds_twice:
        return build.multiply(value, factor, step.shift)
    return build.shift_right(
        build.multiply(value, factor, DOUBLE_ROUND_SHIFT), step.shift - DOUBLE_ROUND_SHIFT, rounds=True
    )
