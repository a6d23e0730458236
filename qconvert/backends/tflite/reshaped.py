"""Reshapes that stand for the same node of the source as an op beside them: its operator may do them itself."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import element_type, node_names
from qconvert.rewriting import only_user


def before(value: SSAValue, op: Operation) -> Iterator[SSAValue]:
    """Yield an operand and what the node's reshapes make it from."""
    yield value
    if isinstance(value.owner, stablehlo.ReshapeOp) and _is_of(value.owner, op):
        yield from before(value.owner.operand, op)


def behind(value: SSAValue, op: Operation) -> Iterator[SSAValue]:
    """Yield what the node's reshapes make of a result."""
    user = only_user(value)
    if isinstance(user, stablehlo.ReshapeOp) and _is_of(user, op):
        yield user.result
        yield from behind(user.result, op)


def _is_of(reshape: stablehlo.ReshapeOp, op: Operation) -> bool:
    """Return True for a reshape that stands for the same nodes as ``op`` and keeps the element type."""
    is_alike = element_type(reshape.operand) == element_type(reshape.result)
    return is_alike and node_names(reshape.location) == node_names(op.location)
