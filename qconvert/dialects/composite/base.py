"""What composites share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, traits_def

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.traits import ComputesReals, Layer, NotIn


class CompositeOp(IRDLOperation, ABC):
    """An op with a name of its own that can be written in primitives."""

    traits = traits_def(
        ComputesReals(),
        NotIn("its dimensions have meanings of their own", Layer.SINK),
        NotIn("decompose-composites comes first", Layer.RESCALE, Layer.PUSH),
    )

    @abstractmethod
    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue | tuple[SSAValue, ...]:
        """Say the op in primitives on float ``operands`` (integers where it takes integers); returns the results."""
