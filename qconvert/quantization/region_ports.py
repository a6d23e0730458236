"""The ports of a region by their places: values, specs, types, and the dimensions that a target names."""

from __future__ import annotations

from xdsl.ir import BlockArgument, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.quant_region import PortSpec, RegionOp
from qconvert.ir import UniformQuantizedType, shape
from qconvert.quantization.signature import (
    NamedAxis,
    PortRef,
    PortType,
    Side,
    Signature,
    by_place,
)


def port_value(region: RegionOp, place: PortRef) -> SSAValue:
    """Return the value that a port takes or makes."""
    return (region.inputs if place.side is Side.INPUT else region.outputs)[place.index]


def port_specs(region: RegionOp) -> dict[PortRef, PortSpec]:
    """Return the spec of each port."""
    return by_place(*region.specs)


def port_types(signature: Signature, region: RegionOp) -> dict[PortRef, PortType] | None:
    """Return the type that a signature gives each port of a region; None if the numbers of ports do not fit."""
    return signature.types(len(region.inputs), len(region.outputs))


def uniform_ports(region: RegionOp) -> dict[PortRef, UniformQuantizedType]:
    """Return the parameters of the ports that have some."""
    return {place: spec for place, spec in port_specs(region).items() if isinstance(spec, UniformQuantizedType)}


def axis_at(region: RegionOp, place: PortRef, axis: int | NamedAxis | None) -> int | None:
    """Return the dimension of a port; None if there is no such dimension, so that one scale serves the whole value."""
    if axis is None or isinstance(axis, int):
        return axis if axis is not None and axis < len(shape(port_value(region, place))) else None
    return output_feature(region, place.index) if place.side is Side.INPUT else None


def output_feature(region: RegionOp, index: int) -> int | None:
    """Return the output feature dimension of an input if it is a contraction's weights, also behind a transpose.

    Else None.
    """
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
