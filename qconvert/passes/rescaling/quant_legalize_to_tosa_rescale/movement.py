"""Movements of storage integers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import UniformQuantizedType
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.rules import Rewrite, lowers, on_integers, quantized_types
from qconvert.support.errors import ConversionError


def _parameters(element: UniformQuantizedType) -> tuple[object, ...]:
    """Return the parameters that a movement keeps; the quantization dimension may move."""
    return element.storage, element.data.scales, element.data.zero_points


@lowers(
    stablehlo.BroadcastInDimOp,
    stablehlo.ConcatenateOp,
    stablehlo.PadOp,
    stablehlo.ReshapeOp,
    stablehlo.ReverseOp,
    stablehlo.SliceOp,
    stablehlo.TransposeOp,
)
def move(op: Operation) -> Rewrite:
    """Return the same movement of integers with one scale and zero point."""
    return _moved(op, op.operands)


@lowers(stablehlo.GatherOp)
def gather(op: stablehlo.GatherOp) -> Rewrite:
    """Return the same gather; its indices are integers already."""
    return _moved(op, op.operands[:1])


def _moved(op: Operation, operands: Sequence[SSAValue]) -> Rewrite:
    if len({_parameters(element) for element in quantized_types((*operands, op.results[0]))}) > 1:
        raise ConversionError("operands and result differ in their quantization")
    return on_integers(op)
