"""Patterns of kernels in float ops, as data: the op that begins a kernel, and the ops that may follow.

A :class:`Pattern` finds a kernel among plain float ops. A :class:`Chain` makes one coarser kernel of existing regions.
A target lists its patterns and chains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Clamps
from qconvert.interpreter import evaluate_op
from qconvert.quantization.fusion.kernel_names import ops_with
from qconvert.quantization.names import resolved
from qconvert.rewriting import known_array, splat

Anchored: TypeAlias = Callable[[Any], bool]
"""Tests whether an op begins the kernel."""

Followed: TypeAlias = Callable[[Any, SSAValue], bool]
"""Tests whether a user of a value, the kernel's result so far, belongs to the kernel."""


def _any_op(_op: Operation) -> bool:
    return True


@dataclass(frozen=True)
class Step:
    """A further op of a kernel: the only user of the result so far.

    A step that is not ``required`` may be missing. With ``keeps_constants`` the op's constants are part of the kernel
    (the bounds of a clamp), else they are inputs of the region. A constant that ``is_bias`` becomes a vector along the
    last dimension, however it was repeated.
    """

    kinds: tuple[type[Operation], ...]
    accepts: Followed
    required: bool = False
    keeps_constants: bool = False
    is_bias: bool = False


@dataclass(frozen=True)
class Pattern:
    """A logical kernel: the ops that may begin it (``anchors``), their condition, and the steps behind.

    Inputs of the region are the anchor's operands in order, then the operands of each step from outside.
    """

    kernel: str
    anchors: tuple[type[Operation], ...]
    accepts: Anchored = _any_op
    steps: tuple[Step, ...] = ()
    keeps_constants: bool = False


@dataclass(frozen=True)
class Chain:
    """A coarser kernel: regions of the ``parts``, each the only user of the previous one."""

    kernel: str
    parts: tuple[str, ...]


def is_constant(value: SSAValue) -> bool:
    """Return whether a value is a constant, possibly behind a dequantize, a broadcast, or an argument of a region."""
    owner = resolved(value).owner
    if isinstance(owner, stablehlo.UniformDequantizeOp | stablehlo.BroadcastInDimOp):
        return is_constant(owner.operand)
    return isinstance(owner, stablehlo.ConstantOp)


def resolved_array(value: SSAValue) -> NDArray[Any] | None:
    """Return the elements of a constant that :func:`is_constant` finds; None for any other value."""
    owner = resolved(value).owner
    if isinstance(owner, stablehlo.BroadcastInDimOp):
        inner = resolved_array(owner.operand)
        return None if inner is None else evaluate_op(owner, [inner])[0]
    return known_array(resolved(value))


def others(op: Operation, value: SSAValue) -> tuple[SSAValue, ...]:
    """Return the operands of an op without a value."""
    return tuple(operand for operand in op.operands if operand is not value)


def by_constant(op: Operation, value: SSAValue) -> bool:
    """Return whether an op of two operands combines a value with a constant as its second operand."""
    return op.operands[0] is value and op.operands[1] is not value and is_constant(op.operands[1])


def clamps(op: Operation, value: SSAValue) -> bool:
    """Return whether an op bounds a value by numbers."""
    if isinstance(op, stablehlo.ClampOp) and op.operand is not value:
        return False
    bounds = others(op, value)
    return bool(bounds) and all(splat(bound) is not None for bound in bounds)


def is_clamp(op: Operation) -> bool:
    """Return whether an op bounds any value by numbers."""
    if isinstance(op, stablehlo.ClampOp):
        return clamps(op, op.operand)
    return any(clamps(op, value) for value in op.operands if splat(value) is None)


CLAMPS = tuple(ops_with(Clamps))

ACTIVATION = Step(CLAMPS, clamps, keeps_constants=True)
"""Bounds that a kernel applies to its result."""
