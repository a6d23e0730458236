"""Ops that move elements. A quantized value keeps its integers, because scale and zero point stay the same."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tosa.lowering import Lowering, lowering_of, lowers
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import constant_array
from qconvert.dialects.traits import Elementwise
from qconvert.expansion.expander import tosa_element
from qconvert.ir import element_type, shape
from qconvert.support.errors import ConversionError


@lowers(stablehlo.ReshapeOp)
def reshape(op: stablehlo.ReshapeOp, lower: Lowering) -> SSAValue:
    """Lower to RESHAPE."""
    return lower.reshape(lower.whole(op.operand), shape(op.result))


@lowers(stablehlo.BroadcastInDimOp)
def broadcast_in_dim(op: stablehlo.BroadcastInDimOp, lower: Lowering) -> SSAValue:
    """Lower to RESHAPE to the result's rank, and to TILE unless elementwise ops broadcast the result themselves.

    Neighbouring dimensions that are both repeated, or both not repeated, are merged for TILE.
    """
    target, sizes = shape(op.result), [1] * len(shape(op.result))
    for axis, size in zip(stablehlo.as_tuple(op.broadcast_dimensions), shape(op.operand), strict=True):
        sizes[axis] = size
    if all(_repeats(use.operation) for use in op.result.uses):
        return lower.reshape(lower.whole(op.operand), sizes)
    merged, multiples = [1], [1]
    for wide, narrow in zip(target, sizes, strict=True):
        repeated = wide // narrow
        if (repeated > 1 and merged[-1] == 1) or (repeated == 1 and multiples[-1] == 1):
            merged[-1], multiples[-1] = merged[-1] * narrow, multiples[-1] * repeated
        elif narrow > 1 or repeated > 1:
            merged.append(narrow)
            multiples.append(repeated)
    value = lower.reshape(lower.whole(op.operand), merged)
    if set(multiples) != {1}:
        value = lower.add(tosa.TileOp(value, lower.shape(multiples)))
    return lower.reshape(value, target)


def _repeats(user: Operation) -> bool:
    """Return True if an op is elementwise and broadcasts an operand to another one, which has all elements."""
    is_elementwise = user.has_trait(Elementwise) and lowering_of(user) is not None
    repeated = [
        isinstance(value.owner, stablehlo.BroadcastInDimOp | stablehlo.ConstantOp) or not shape(value)
        for value in user.operands
    ]
    return is_elementwise and not all(repeated)


@lowers(stablehlo.ConcatenateOp)
def concatenate(op: stablehlo.ConcatenateOp, lower: Lowering) -> SSAValue:
    """Lower to CONCAT of storage integers at the result's scale."""
    values = [lower.in_type(value, element_type(op.result)) for value in op.inputs]
    return lower.add(tosa.ConcatOp(values, op.dimension.value.data))


@lowers(stablehlo.ReverseOp)
def reverse(op: stablehlo.ReverseOp, lower: Lowering) -> SSAValue:
    """Lower to one REVERSE for each dimension."""
    value = lower.whole(op.operand)
    for axis in stablehlo.as_tuple(op.dimensions):
        value = lower.add(tosa.ReverseOp(value, axis))
    return value


@lowers(stablehlo.PadOp)
def pad(op: stablehlo.PadOp, lower: Lowering) -> SSAValue:
    """Lower to PAD with a constant storage integer; a negative padding is a SLICE of what PAD gives."""
    low, high = stablehlo.as_tuple(op.edge_padding_low), stablehlo.as_tuple(op.edge_padding_high)
    fill = constant_array(op.padding_value)
    if fill is None:
        raise ConversionError("TOSA pads with a constant, found a value that is computed")
    if any(stablehlo.as_tuple(op.interior_padding)):
        raise ConversionError("TOSA pads edges only, not between elements")
    if element_type(op.padding_value) != element_type(op.operand):
        raise ConversionError("TOSA cannot pad with a value of another quantized type")
    pads = [max(0, size) for pair in zip(low, high, strict=True) for size in pair]
    value = lower.whole(op.operand)
    if any(pads):
        value = lower.add(tosa.PadOp(value, lower.shape(pads), lower.constant(fill.reshape(1), element_type(value))))
    return lower.slice(value, [max(0, -size) for size in low], shape(op.result))


@lowers(stablehlo.BitcastConvertOp)
def bitcast_convert(op: stablehlo.BitcastConvertOp, lower: Lowering) -> SSAValue:
    """Return the same integers for another scale."""
    source, target = tosa_element(element_type(op.operand)), tosa_element(element_type(op.result))
    if source != target:
        raise ConversionError(f"TOSA cannot reinterpret the bits of {source} as {target}")
    return lower[op.operand]


@lowers(stablehlo.TransposeOp)
def transpose(op: stablehlo.TransposeOp, lower: Lowering) -> SSAValue:
    """Lower to TRANSPOSE."""
    return lower.transpose(lower[op.operand], stablehlo.permutation_of(op))


@lowers(stablehlo.IotaOp)
def iota(op: stablehlo.IotaOp, lower: Lowering) -> SSAValue:
    """Lower to a constant."""
    sizes, axis = shape(op.output), op.iota_dimension.value.data
    count = np.arange(sizes[axis]).reshape([-1 if i == axis else 1 for i in range(len(sizes))])
    return lower.constant(np.broadcast_to(count, sizes), tosa_element(element_type(op.output)))
