"""The signature of a rule: the result of an op on operands that were not rescaled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.constants import aligned
from qconvert.dialects.tosa import ConstOp, RescaleOp
from qconvert.dialects.traits import Clamps, MovesElements
from qconvert.interpreter import evaluate_op
from qconvert.ir import element_type, numpy_dtype, shape
from qconvert.numerics import unrepeated
from qconvert.passes.rescaling.push_rescales.rescaling import requantized
from qconvert.passes.rescaling.push_rescales.scaled import Scaled, compact, one, unscaled
from qconvert.support.registry import Registry

Constants: TypeAlias = dict[SSAValue, NDArray[Any]]
"""Integers known at conversion. Dimensions along which they are broadcast have one element."""


@dataclass(slots=True)
class RuleContext:
    """The values known above an op, and the builder in front of it.

    If ``takes_rescaled`` is set, operands are the rescaled integers: as they were, or by one rescale that all further
    ops share (``requantized``) instead of several. ``joins`` are the reasons why the rule itself needed rescales.
    """

    build: OpBuilder
    known: dict[SSAValue, Scaled]
    constants: Constants
    widest: int
    requantized: dict[SSAValue, Scaled]
    takes_rescaled: bool = False
    joins: list[str] = field(default_factory=list)

    def scaled(self, value: SSAValue) -> Scaled:
        """Return an operand; raise ConversionError if it is not a signed integer."""
        known = self.known.get(value)
        if known is None:
            return self._constant(value) if value in self.constants else unscaled(self.build, value)
        if not self.takes_rescaled:
            return known
        if value not in self.requantized:
            several = rescales_behind(value) > 1 and not known.is_plain
            alone = requantized(self.build, known) if several else unscaled(self.build, value, known.limits)
            self.requantized[value] = alone
        return self.requantized[value]

    def _constant(self, value: SSAValue) -> Scaled:
        array, rank = np.asarray(self.constants[value], np.float64), len(shape(value))
        plain = unscaled(self.build, value)
        low, high = (one(float(end(array)), rank) for end in (np.min, np.max)) if array.size else (plain.low,) * 2
        return Scaled(plain.value, plain.unit, 0, low, high)


def rescales_behind(value: SSAValue) -> int:
    """Return the number of rescales whose integers a value holds, only moved and bounded since."""
    found, waiting = set(), [value]
    while waiting:
        owner = waiting.pop().owner
        if isinstance(owner, RescaleOp):
            found.add(owner)
        elif isinstance(owner, stablehlo.ConcatenateOp):
            waiting += owner.inputs
        elif isinstance(owner, Operation) and _keeps_rescales(owner):
            waiting.append(owner.operands[1 if isinstance(owner, stablehlo.ClampOp) else 0])
    return len(found)


def _keeps_rescales(op: Operation) -> bool:
    """Return whether an op only moves, bounds or pools its operand's integers, or takes the zero point off."""
    is_centring = isinstance(op, stablehlo.ConvertOp | stablehlo.SubtractOp)
    return (
        is_centring or op.has_trait(MovesElements) or op.has_trait(Clamps) or isinstance(op, stablehlo.ReduceWindowOp)
    )


Rule: TypeAlias = Callable[[Any, RuleContext], Scaled]
RULES: Registry[type[Operation], Rule] = Registry("push-rescales", __name__, ("op", "context"))
pushes = RULES.register
"""Registers a rule. A rule raises ConversionError with the reason if the op needs its operands' integers themselves."""


def constant(op: Operation, constants: Constants) -> NDArray[Any] | None:
    """Return the result of an op on constants, for the ops between a weight or bias and its use; else None."""
    if isinstance(op, stablehlo.ConstantOp | ConstOp):
        return _integers(op.results[0], op.array)
    if not op.operands or any(operand not in constants for operand in op.operands):
        return None
    first = constants[op.operands[0]]
    if isinstance(op, stablehlo.ConvertOp) and isinstance(element_type(op.result), IntegerType):
        return first.astype(numpy_dtype(element_type(op.result)))
    if isinstance(op, stablehlo.SubtractOp):
        return np.subtract(first, constants[op.operands[1]])
    if isinstance(op, stablehlo.BroadcastInDimOp):
        return aligned(first, stablehlo.as_tuple(op.broadcast_dimensions), len(shape(op.result)))
    if isinstance(op, RescaleOp):
        arrays = [np.broadcast_to(constants[operand], shape(operand)) for operand in op.operands]
        return np.asarray(compact(evaluate_op(op, arrays)[0]))
    return None


def _integers(value: SSAValue, array: NDArray[Any]) -> NDArray[Any] | None:
    if not isinstance(element_type(value), IntegerType) or array.dtype.kind != "i":
        return None
    return unrepeated(array)


def splat(array: NDArray[Any] | None) -> int | None:
    """Return the integer that all elements of an array have; None if they differ or there are none."""
    if array is None or not array.size:
        return None
    first = array.flat[0]
    return int(first) if (array == first).all() else None
