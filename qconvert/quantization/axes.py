"""Which dimension of a port is the one that a target names."""

from __future__ import annotations

from xdsl.ir import BlockArgument, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.quant_region import RegionOp
from qconvert.dialects.types import shape
from qconvert.quantization.target import NamedAxis, PortRef, Side


def axis_at(region: RegionOp, place: PortRef, axis: int | NamedAxis | None) -> int | None:
    """The dimension of a port, None where it has no such dimension: then one scale serves the whole value."""
    value = region.inputs[place.index] if place.side is Side.INPUT else region.outputs[place.index]
    if axis is None or isinstance(axis, int):
        return axis if axis is not None and axis < len(shape(value)) else None
    return output_feature(region, place.index) if place.side is Side.INPUT else None


def output_feature(region: RegionOp, index: int) -> int | None:
    """The output feature dimension of the input that is a contraction's weights, also behind a transpose."""
    for op in region.body.block.ops:
        found = _weights(op)
        if found is not None:
            value, dimension = _before_transposes(*found)
            if isinstance(value, BlockArgument) and value.index == index:
                return dimension
    return None


def _weights(op: object) -> tuple[SSAValue, int] | None:
    if isinstance(op, stablehlo.ConvolutionOp):
        return op.rhs, op.numbers.kernel_output_feature
    if isinstance(op, stablehlo.DotGeneralOp):
        free = op.numbers.rhs_free(len(shape(op.rhs)))
        return (op.rhs, free[-1]) if free else None
    return None


def _before_transposes(value: SSAValue, dimension: int) -> tuple[SSAValue, int]:
    while isinstance(value.owner, stablehlo.TransposeOp):
        dimension = stablehlo.permutation_of(value.owner)[dimension]
        value = value.owner.operand
    return value, dimension
