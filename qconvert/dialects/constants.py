"""Constants behind values: found, read, and judged as the initial values of reductions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import Held, array_of, element_type, shape
from qconvert.support.errors import ConversionError


def is_constant(value: SSAValue) -> bool:
    """Return True for a constant or a broadcast constant. Nothing is read."""
    owner = value.owner
    if isinstance(owner, stablehlo.BroadcastInDimOp):
        return is_constant(owner.operand)
    return isinstance(owner, stablehlo.ConstantOp)


def constant_array(value: SSAValue) -> NDArray[Any] | None:
    """Return the elements of a constant or of a broadcast constant; None for a computed value."""
    held = constant_held(value)
    return None if held is None else array_of(held)


def constant_held(value: SSAValue) -> Held | None:
    """Return the elements of a constant, in memory or not, or of a broadcast constant; None for a computed value."""
    owner = value.owner
    if isinstance(owner, stablehlo.ConstantOp):
        return owner.held
    if isinstance(owner, stablehlo.BroadcastInDimOp):
        inner = constant_array(owner.operand)
        if inner is not None:
            rank = len(shape(value))
            return np.broadcast_to(aligned(inner, stablehlo.as_tuple(owner.broadcast_dimensions), rank), shape(value))
    return None


def aligned(array: NDArray[Any], dimensions: Sequence[int], rank: int) -> NDArray[Any]:
    """Return an array whose dimension ``i`` becomes dimension ``dimensions[i]`` of ``rank``; other sizes are 1."""
    sizes = dict(zip(dimensions, array.shape, strict=True))
    return array.transpose(np.argsort(dimensions)).reshape([sizes.get(axis, 1) for axis in range(rank)])


def check_initial(op: stablehlo.ReductionOp) -> None:
    """Raise ConversionError unless a reduction's initial value is neutral: neither TOSA nor TFLite can state one."""
    if not is_neutral(op):
        raise ConversionError(f"only a reduction from the neutral element can be written, found {_initial(op)}")


def is_neutral(op: stablehlo.ReductionOp) -> bool:
    """Return True if a reduction's initial value is the neutral element."""
    value = _initial(op)
    return value is not None and stablehlo.is_neutral(type(op.combiner), value, element_type(op.initials[0]))


def _initial(op: stablehlo.ReductionOp) -> float | None:
    initial = constant_array(op.initials[0])
    return None if initial is None else initial.reshape(-1)[0].item()
