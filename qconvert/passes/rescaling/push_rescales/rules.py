"""What a rule is: what an op becomes of operands that were not rescaled."""

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
from qconvert.dialects.stablehlo.base import as_tuple
from qconvert.dialects.tosa import ConstOp, RescaleOp
from qconvert.dialects.traits import Clamps, MovesElements
from qconvert.interpreter import evaluate_op
from qconvert.ir.types import element_type, numpy_dtype, shape
from qconvert.numerics import unrepeated
from qconvert.passes.rescaling.push_rescales.rescaling import requantized
from qconvert.passes.rescaling.push_rescales.scaled import Scaled, as_it_was, compact, one
from qconvert.support.registry import Registry

Constants: TypeAlias = dict[SSAValue, NDArray[Any]]
"""Integers known at conversion, with one element along each dimension that they are broadcast along."""


@dataclass(slots=True)
class Site:
    """Where a rule works: what is known of the values above the op, and what it builds in front of it.

    With ``unscaled`` operands are the integers themselves, rescaled as they were, or where several rescales would be
    needed by one, which all further ops share (``requantized``). ``joins`` are why the rule itself needed rescales.
    """

    build: OpBuilder
    known: dict[SSAValue, Scaled]
    constants: Constants
    widest: int
    requantized: dict[SSAValue, Scaled]
    unscaled: bool = False
    joins: list[str] = field(default_factory=list)

    def scaled(self, value: SSAValue) -> Scaled:
        """An operand; raises ConversionError where it is no signed integer."""
        known = self.known.get(value)
        if known is None:
            return self._constant(value) if value in self.constants else as_it_was(self.build, value)
        if not self.unscaled:
            return known
        if value not in self.requantized:
            several = rescales_behind(value) > 1 and not known.is_as_was
            alone = requantized(self.build, known) if several else as_it_was(self.build, value, known.limits)
            self.requantized[value] = alone
        return self.requantized[value]

    def _constant(self, value: SSAValue) -> Scaled:
        array, rank = np.asarray(self.constants[value], np.float64), len(shape(value))
        plain = as_it_was(self.build, value)
        low, high = (one(float(end(array)), rank) for end in (np.min, np.max)) if array.size else (plain.low,) * 2
        return Scaled(plain.value, plain.unit, 0, low, high)


def rescales_behind(value: SSAValue) -> int:
    """How many rescales a value's integers come from that were only moved and bounded since."""
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


Rule: TypeAlias = Callable[[Any, Site], Scaled]
RULES: Registry[type[Operation], Rule] = Registry("push-rescales", __name__, ("op", "site"))
pushes = RULES.register
"""Registers a rule; it raises ConversionError with the reason where the op needs its operands' integers themselves."""


def constant(op: Operation, constants: Constants) -> NDArray[Any] | None:
    """What an op on constants gives, or None; only the ops between a weight or bias and its use are computed."""
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
        sizes = [1] * len(shape(op.result))
        for axis, size in zip(as_tuple(op.broadcast_dimensions), first.shape, strict=True):
            sizes[axis] = size
        return first.reshape(sizes)
    if isinstance(op, RescaleOp):
        arrays = [np.broadcast_to(constants[operand], shape(operand)) for operand in op.operands]
        return np.asarray(compact(evaluate_op(op, arrays)[0]))
    return None


def _integers(value: SSAValue, array: NDArray[Any]) -> NDArray[Any] | None:
    if not isinstance(element_type(value), IntegerType) or array.dtype.kind != "i":
        return None
    return unrepeated(array)


def splat(array: NDArray[Any] | None) -> int | None:
    """The one integer of an array, or None where there are several or none."""
    if array is None or not array.size:
        return None
    first = array.flat[0]
    return int(first) if (array == first).all() else None
