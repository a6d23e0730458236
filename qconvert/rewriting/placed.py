"""A builder of TOSA ops that stand in front of another op."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from qconvert.expansion.builder import TosaBuilder
from qconvert.ir import merged


class PlacedBuilder(TosaBuilder):
    """A builder whose ops go straight in front of ``op``. They stand for the source nodes of ``op`` and ``others``."""

    def __init__(self, op: Operation, *others: Operation) -> None:
        super().__init__()
        self.location = merged([*others, op])
        self._op = op

    def add(self, op: Operation) -> SSAValue:
        """Place an op and return its result."""
        block = self._op.parent
        assert block is not None
        block.insert_op_before(op, self._op)
        return super().add(op)
