"""The tensors of any rank around the matrix product of FULLY_CONNECTED."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from qconvert.backends.tflite.accumulated import Accumulated
from qconvert.backends.tflite.graph import Options
from qconvert.backends.tflite.reshaped import before, behind
from qconvert.ir import shape
from qconvert.support.errors import ConversionError


class Rows(NamedTuple):
    """Operand of FULLY_CONNECTED, the ops that it computes, and its option to keep all dimensions but the last."""

    operand: SSAValue
    found: Accumulated
    keeps_dims: bool

    @classmethod
    def of(cls, op: Operation, found: Accumulated) -> Rows:
        """Take the reshapes around a matrix product that stand for the same node of the source into the operator.

        The operator flattens its operand into rows itself; reshapes of other nodes stay operators of their own.
        """
        operand, outputs = op.operands[0], shape(found.value)[-1]
        depth, results = shape(operand)[-1], tuple(behind(found.value, op))
        operands = tuple(before(operand, op))
        for last in range(len(results), -1, -1):
            returned = replace(found, values=(*found.values, *results[:last]))
            sizes = shape(returned.value)
            if len(sizes) == 2:
                return cls(operands[-1], returned, keeps_dims=False)
            for given in reversed(operands):
                if shape(given)[-1] == depth and sizes == (*shape(given)[:-1], outputs):
                    return cls(given, returned, keeps_dims=True)
        raise ConversionError(f"its result has the shape {shape(found.value)}, which is no matrix of rows")

    @property
    def options(self) -> Options:
        """Return the operator's options."""
        fields = {"FusedActivationFunction": self.found.activation, "KeepNumDims": self.keeps_dims}
        return Options("FullyConnectedOptions", fields)
