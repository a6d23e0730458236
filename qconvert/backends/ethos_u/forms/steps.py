"""RESCALEs of one multiplier as functions of integers, for proofs over all inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.tosa import ConstOp, ConstShapeOp, DataLayoutOp, RescaleOp, ReshapeOp, TableOp
from qconvert.dialects.tosa.quantization import is_set
from qconvert.expansion.builder import TosaBuilder
from qconvert.ir import element_type, i32, integer_range, shape
from qconvert.numerics import Rounding, ZeroPoints, rescale_and_clamp
from qconvert.numerics.rescale import DOUBLE_ROUND_SHIFT
from qconvert.rewriting.rescales import rescale_parameters

Integers = NDArray[np.int64]
SHIFTS = range(2, 63)
"""The shifts that RESCALE takes."""


@dataclass(frozen=True)
class Step:
    """A RESCALE with one 32-bit multiplier, without its shape; ``takes`` and ``gives`` are ranges of integers."""

    multiplier: int
    shift: int
    zero_points: ZeroPoints
    rounding: Rounding
    takes: tuple[int, int]
    gives: tuple[int, int]

    def __call__(self, values: Integers) -> Integers:
        """Return the rescaled integers."""
        return rescale_and_clamp(values, self.multiplier, self.shift, self.zero_points, self.gives, self.rounding)

    @property
    def power(self) -> int | None:
        """The binary logarithm of the factor, if it is 1 or more and a power of two; else None."""
        power = self.multiplier.bit_length() - 1 - self.shift
        return power if self.multiplier.bit_count() == 1 and power >= 0 else None

    @property
    def rounds_twice(self) -> bool:
        """True if DOUBLE_ROUND makes a difference."""
        return self.rounding is Rounding.DOUBLE_ROUND and self.shift > DOUBLE_ROUND_SHIFT

    def every_input(self) -> Integers:
        """Return all integers that the step takes."""
        return np.arange(self.takes[0], self.takes[1] + 1)


class Chain(NamedTuple):
    """A value and the RESCALEs behind it, through i32 and across reshapes; no step if the value is not rescaled."""

    source: SSAValue
    steps: tuple[Step, ...]
    unsigned: bool = False
    """True if the first step reads its integers without a sign."""


def step_of(op: RescaleOp) -> Step | None:
    """Return the step of a RESCALE; None if it has several multipliers, 16-bit ones, or computed parameters."""
    found = rescale_parameters(op)
    if found is None or found.multiplier.size != 1 or not is_set(op.scale32):
        return None
    takes = _range(element_type(op.input), unsigned=is_set(op.input_unsigned))
    gives = _range(element_type(op.output), unsigned=is_set(op.output_unsigned))
    [multiplier], [shift] = found.multiplier.tolist(), found.shift.tolist()
    zero_points = ZeroPoints(found.input_zp, found.output_zp)
    return Step(multiplier, shift, zero_points, op.rounding_mode.data, takes, gives)


def _range(element: Attribute, *, unsigned: bool) -> tuple[int, int]:
    assert isinstance(element, IntegerType)
    return integer_range(element, unsigned=unsigned)


def chain_of(value: SSAValue) -> Chain:
    """Follow a value of i32 back through RESCALEs to the first value of another type, or to one of another op."""
    steps: list[Step] = []
    unsigned = False
    while element_type(value) == i32:
        owner = value.owner
        if isinstance(owner, ReshapeOp):
            value = owner.input1
            continue
        step = step_of(owner) if isinstance(owner, RescaleOp) else None
        if step is None or not isinstance(owner, RescaleOp):
            break
        steps.insert(0, step)
        unsigned, value = is_set(owner.input_unsigned), owner.input
    return Chain(value, tuple(steps), unsigned)


def merged(steps: tuple[Step, ...]) -> Step | None:
    """Return one step that rounds once, for steps of which all but the last multiply by powers of two; else None."""
    last, power = steps[-1], 0
    for first, second in pairwise(steps):
        if first.power is None or first.zero_points.output or second.zero_points.input:
            return None
        power += first.power
    if last.shift - power not in SHIFTS:
        return None
    zero_points = ZeroPoints(steps[0].zero_points.input, last.zero_points.output)
    single = replace(last, rounding=Rounding.SINGLE_ROUND, zero_points=zero_points)
    return replace(single, shift=last.shift - power, takes=steps[0].takes)


def rescaled(
    build: OpBuilder | TosaBuilder, chain: Chain, step: Step, sizes: tuple[int, ...], element: IntegerType = i32
) -> SSAValue:
    """Return a chain's value in another shape, rescaled by one step, to i32 by default."""

    def constant(array: NDArray[Any], element: Attribute) -> SSAValue:
        return build.add(ConstOp.of(array, element))

    value = reshaped(build, chain.source, sizes)
    factor = np.asarray([step.multiplier], np.int32), np.asarray([step.shift], np.int8)
    made = RescaleOp.by(
        value, factor, element, step.zero_points, constant, rounding=step.rounding, input_unsigned=chain.unsigned
    )
    return build.add(made)


def reshaped(build: OpBuilder | TosaBuilder, value: SSAValue, sizes: tuple[int, ...]) -> SSAValue:
    """Return a value in another shape; a value of that shape is returned as it is."""
    if shape(value) == sizes:
        return value
    return build.add(ReshapeOp(value, build.add(ConstShapeOp(sizes))))


def behind_reshapes(value: SSAValue) -> SSAValue:
    """Return the value that reshapes were made of."""
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.input1
    return value


def readers_of(value: SSAValue) -> Iterator[Operation]:
    """Yield the ops that read a value, directly or in another shape."""
    for use in value.uses:
        if isinstance(use.operation, ReshapeOp):
            yield from readers_of(use.operation.output)
        else:
            yield use.operation


def is_alone(value: SSAValue) -> bool:
    """Return True if no kernel computes a value for one reader, so that it computes no TABLE and no CLAMP of it."""
    source = behind_reshapes(value)
    return isinstance(source.owner, Block | DataLayoutOp | TableOp) or len(list(readers_of(source))) > 1
