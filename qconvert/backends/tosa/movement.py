"""Ops that move elements: a quantized one keeps its integers, for scale and zero point stay the same."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.backends.tosa.lowering import Lowering, constant_of, lowers, per_tensor, tosa_element
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo.base import as_tuple
from qconvert.dialects.stablehlo.movement import permutation_of
from qconvert.dialects.types import element_type, shape
from qconvert.errors import ConversionError


@lowers(stablehlo.ReshapeOp)
def reshape(op: stablehlo.ReshapeOp, lower: Lowering) -> SSAValue:
    """RESHAPE."""
    return lower.reshape(lower[op.operand], shape(op.result))


@lowers(stablehlo.BroadcastInDimOp)
def broadcast_in_dim(op: stablehlo.BroadcastInDimOp, lower: Lowering) -> SSAValue:
    """A RESHAPE to the result's rank, and a TILE."""
    target, sizes = shape(op.result), [1] * len(shape(op.result))
    for axis, size in zip(as_tuple(op.broadcast_dimensions), shape(op.operand), strict=True):
        sizes[axis] = size
    value = lower.reshape(lower[op.operand], sizes)
    multiples = [wide // narrow for wide, narrow in zip(target, sizes, strict=True)]
    return value if set(multiples) == {1} else lower.add(tosa.TileOp(value, lower.shape(multiples)))


@lowers(stablehlo.ConcatenateOp)
def concatenate(op: stablehlo.ConcatenateOp, lower: Lowering) -> SSAValue:
    """CONCAT of storage at the result's scale."""
    element = element_type(op.result)
    values = [
        lower[value] if element_type(value) == element else _rescaled(lower, value, op.result) for value in op.inputs
    ]
    return lower.add(tosa.ConcatOp(values, op.dimension.value.data))


def _rescaled(lower: Lowering, value: SSAValue, result: SSAValue) -> SSAValue:
    source, target = per_tensor(value), per_tensor(result)
    return lower.stored(lower.centred(value), source.scale / target.scale, target)


@lowers(stablehlo.SliceOp)
def slice_(op: stablehlo.SliceOp, lower: Lowering) -> SSAValue:
    """SLICE; strides have none."""
    starts, limits = as_tuple(op.start_indices), as_tuple(op.limit_indices)
    if any(step != 1 for step in as_tuple(op.strides)):
        raise ConversionError("a slice with strides has no lowering")
    sizes = [end - start for start, end in zip(starts, limits, strict=True)]
    return lower.add(tosa.SliceOp(lower[op.operand], lower.shape(starts), lower.shape(sizes)))


@lowers(stablehlo.PadOp)
def pad(op: stablehlo.PadOp, lower: Lowering) -> SSAValue:
    """PAD with a constant of the storage."""
    low, high = as_tuple(op.edge_padding_low), as_tuple(op.edge_padding_high)
    fill = constant_of(op.padding_value)
    if fill is None or any(as_tuple(op.interior_padding)) or min((*low, *high)) < 0:
        raise ConversionError("only edges added with a constant have a lowering")
    if element_type(op.padding_value) != element_type(op.operand):
        raise ConversionError("a pad with a value of another quantized type has no lowering")
    pads = [size for pair in zip(low, high, strict=True) for size in pair]
    held = lower[op.operand]
    return lower.add(tosa.PadOp(held, lower.shape(pads), lower.constant(fill.reshape(1), element_type(held))))


@lowers(stablehlo.BitcastConvertOp)
def bitcast_convert(op: stablehlo.BitcastConvertOp, lower: Lowering) -> SSAValue:
    """The same integers, read at another scale."""
    source, target = tosa_element(element_type(op.operand)), tosa_element(element_type(op.result))
    if source != target:
        raise ConversionError(f"the bits of {source} have no reading as {target}")
    return lower[op.operand]


@lowers(stablehlo.TransposeOp)
def transpose(op: stablehlo.TransposeOp, lower: Lowering) -> SSAValue:
    """TRANSPOSE."""
    return lower.transpose(lower[op.operand], permutation_of(op))
