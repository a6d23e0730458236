"""Broadcasts whose dimensions rise: targets repeat elements, and do not move dimensions while they repeat."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo.base import as_tuple, integers
from qconvert.dialects.stablehlo.movement import BroadcastInDimOp
from qconvert.ir import shape
from qconvert.rewriting import (
    Pass,
    PassResult,
    builder_before,
    constant_of,
    contract,
    rebuilt,
    replace,
    transposed_constant,
)


def _rises(op: BroadcastInDimOp) -> bool:
    dimensions = as_tuple(op.broadcast_dimensions)
    return dimensions == tuple(sorted(dimensions))


@contract("broadcasts whose dimensions rise", BroadcastInDimOp, remedy="Run the pass order-broadcasts first")
def RISING_BROADCASTS(op: BroadcastInDimOp) -> str | None:  # noqa: N802
    """Targets reshape the operand to the result's rank, which keeps the order of the dimensions."""
    return None if _rises(op) else f"found {list(as_tuple(op.broadcast_dimensions))}"


class OrderBroadcasts(Pass):
    """Transpose the operand of each broadcast whose dimensions do not rise.

    ::

        x ── broadcast_in_dim [2, 0]

        x ── transpose [1, 0] ── broadcast_in_dim [0, 2]

    A broadcast that repeats nothing becomes a transpose. Constants are laid out in the new order.
    """

    name = "order-broadcasts"
    ensures = (RISING_BROADCASTS,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every broadcast once."""
        unordered = [op for op in module.walk() if isinstance(op, BroadcastInDimOp) and not _rises(op)]
        for op in unordered:
            build = builder_before(op)
            dimensions = as_tuple(op.broadcast_dimensions)
            operand = _transposed(op.operand, sorted(range(len(dimensions)), key=dimensions.__getitem__), build)
            properties = {"broadcast_dimensions": integers(sorted(dimensions))}
            repeats = shape(operand) != shape(op.result)
            replace(op, build.add(rebuilt(op, [operand], properties=properties)) if repeats else operand)
        return PassResult(bool(unordered))


def _transposed(value: SSAValue, order: list[int], build: OpBuilder) -> SSAValue:
    known = constant_of(value)
    return build.transpose(value, order) if known is None else build.add(transposed_constant(known, order))
