"""The base of composites."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, traits_def

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.traits import ComputesReals, Layer, NotIn


class CompositeOp(IRDLOperation, ABC):
    """An op with its own name that has a decomposition into primitives."""

    traits = traits_def(
        ComputesReals(),
        NotIn("each of its dimensions has a fixed meaning", Layer.SINK),
        NotIn("decompose-composites comes first", Layer.RESCALE, Layer.PUSH),
    )

    @abstractmethod
    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue | tuple[SSAValue, ...]:
        """Write the op in primitives on float ``operands``, or integers if the op takes them; return the results."""
