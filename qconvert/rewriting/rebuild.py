"""Making an op again with other operands or types, and constants again in other quantized types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import numpy_dtype


def remade(
    op: Operation,
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute] | None = None,
    properties: Mapping[str, Attribute] | None = None,
) -> Operation:
    """A detached copy of ``op`` on other operands; its attributes, location and regions are copied.

    ``properties`` are laid over the op's own.
    """
    return type(op).create(
        operands=operands,
        result_types=op.result_types if result_types is None else result_types,
        properties={**op.properties, **(properties or {})},
        attributes=dict(op.attributes),
        location=op.location,
        regions=[region.clone() for region in op.regions],
    )


def constant_of(value: SSAValue) -> stablehlo.ConstantOp | None:
    """The constant that a value is, or None."""
    return value.owner if isinstance(value.owner, stablehlo.ConstantOp) else None


def shifted_constant(
    constant: stablehlo.ConstantOp, source: UniformQuantizedType, element: UniformQuantizedType
) -> stablehlo.ConstantOp:
    """A detached constant of the same real values in a type of the same scales: integers plus the zero points' change.

    The new integers must fit in the new storage. A splat stays one element.
    """
    array, dtype = constant.array, numpy_dtype(element)
    is_splat = source.is_per_tensor and array.size > 0 and not any(array.strides)
    work = array[(slice(0, 1),) * array.ndim] if is_splat else array
    # Sums wrap in the new type, and what fits in it at the end is right whatever wrapped on the way.
    moved = np.asarray(work.astype(dtype))
    shifts = element.zero_points - source.zero_points
    if shifts.any():
        moved = np.asarray(moved + element.broadcast(shifts, array.shape).astype(dtype))
    made = stablehlo.ConstantOp.of(np.broadcast_to(moved, array.shape) if is_splat else moved, element)
    made.attributes.update(constant.attributes)
    made.location = constant.location
    return made
