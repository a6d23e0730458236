"""Ops whose positions or sizes are values; a shape that is a value must equal the shape of the result's type."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.movement import broadcast, index_along
from qconvert.interpreter.sliding import padded
from qconvert.ir import shape
from qconvert.support.errors import ConversionError


def _region(operand: Array, starts: Sequence[Array], sizes: Sequence[int]) -> tuple[slice, ...]:
    """Return slices of these sizes at computed indices, moved to lie inside the operand."""
    if any(start.ndim for start in starts):
        raise ConversionError("a slice in a computation on scalars starts at a different index for each element")
    firsts = [
        min(max(int(start), 0), extent - size) for start, extent, size in zip(starts, operand.shape, sizes, strict=True)
    ]
    return tuple(slice(first, first + size) for first, size in zip(firsts, sizes, strict=True))


@implements(stablehlo.DynamicSliceOp)
def dynamic_slice(op: stablehlo.DynamicSliceOp, operands: Sequence[Array]) -> Array:
    """Return a view."""
    operand, *starts = operands
    return operand[_region(operand, starts, stablehlo.as_tuple(op.slice_sizes))]


@implements(stablehlo.DynamicUpdateSliceOp)
def dynamic_update_slice(op: stablehlo.DynamicUpdateSliceOp, operands: Sequence[Array]) -> Array:
    """Return a copy with one slice replaced."""
    operand, update, *starts = operands
    result = operand.copy()
    result[_region(operand, starts, update.shape)] = update
    return result


def _check_given(given: Array, result: SSAValue) -> None:
    """Raise ConversionError unless a shape that is a value equals the result's shape."""
    if given.tolist() != list(shape(result)):
        raise ConversionError(f"the shape operand is {given.tolist()}, the result's shape is {list(shape(result))}")


@implements(stablehlo.DynamicBroadcastInDimOp)
def dynamic_broadcast_in_dim(op: stablehlo.DynamicBroadcastInDimOp, operands: Sequence[Array]) -> Array:
    """Return a view whose repeated elements share memory."""
    _check_given(operands[1], op.result)
    return broadcast(operands[0], stablehlo.as_tuple(op.broadcast_dimensions), shape(op.result))


@implements(stablehlo.DynamicReshapeOp)
def dynamic_reshape(op: stablehlo.DynamicReshapeOp, operands: Sequence[Array]) -> Array:
    """Return the same elements in another shape."""
    _check_given(operands[1], op.result)
    return operands[0].reshape(shape(op.result))


@implements(stablehlo.DynamicIotaOp)
def dynamic_iota(op: stablehlo.DynamicIotaOp, operands: Sequence[Array]) -> Array:
    """Return the index along one dimension."""
    _check_given(operands[0], op.output)
    return index_along(op, op.iota_dimension.value.data)


@implements(stablehlo.DynamicPadOp)
def dynamic_pad(op: stablehlo.DynamicPadOp, operands: Sequence[Array]) -> Array:
    """Add edges, cropped where negative, and gaps between neighbours."""
    operand, value, low, high, interior = operands
    if (interior < 0).any():
        raise ConversionError(f"interior padding must not be negative, found {interior.tolist()} (C3)")
    spread = [max(0, (size - 1) * (gap + 1) + 1) for size, gap in zip(operand.shape, interior.tolist(), strict=True)]
    _check_given(np.asarray(spread) + low + high, op.result)
    edges = list(zip(low.tolist(), high.tolist(), strict=True))
    return padded(operand, edges, [gap + 1 for gap in interior.tolist()], value)


@implements(stablehlo.GetDimensionSizeOp)
def get_dimension_size(op: stablehlo.GetDimensionSizeOp, operands: Sequence[Array]) -> Array:
    """Return the size in the operand's type."""
    return np.asarray(shape(op.operand)[op.dimension.value.data], np.int32)


@implements(stablehlo.RealDynamicSliceOp, stablehlo.DynamicGatherOp, stablehlo.DynamicConvOp)
def as_static(op: stablehlo.SizedOp, operands: Sequence[Array]) -> Array:
    """Evaluate the op that has the given lists as attributes."""
    given = len(operands) - op.LISTS
    static = op.static(operands[given:])
    try:
        _check_given(np.asarray(shape(static.results[0])), op.results[0])
        return evaluate_op(static, operands[:given])[0]
    finally:
        static.drop_all_references()


@implements(stablehlo.SetDimensionSizeOp)
def set_dimension_size(op: stablehlo.SetDimensionSizeOp, operands: Sequence[Array]) -> Array:
    """Return the operand; a size below the dimension's own would need a tensor with a bound."""
    operand, size = operands
    extent = operand.shape[op.dimension.value.data]
    if int(size) != extent:
        raise ConversionError(f"size {int(size)} for a dimension of size {extent}: bounded sizes are not supported")
    return operand
