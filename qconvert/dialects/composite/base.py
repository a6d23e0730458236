"""What composites share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, traits_def

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.traits import ComputesReals


class CompositeOp(IRDLOperation, ABC):
    """An op with a name of its own that can be written in primitives."""

    traits = traits_def(ComputesReals())

    @abstractmethod
    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue | tuple[SSAValue, ...]:
        """Say the op in primitives on float ``operands`` (integers where it takes integers); returns the results."""
