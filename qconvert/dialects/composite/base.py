"""What composites share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation

from qconvert.dialects.builder import OpBuilder


class CompositeOp(IRDLOperation, ABC):
    """An op with a name of its own that can be said in primitives.

    With quantized operands or result it means dequantize, compute in float, quantize.
    """

    @abstractmethod
    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue | tuple[SSAValue, ...]:
        """Say the op in primitives on float ``operands`` (integers where it takes integers); returns the results."""
