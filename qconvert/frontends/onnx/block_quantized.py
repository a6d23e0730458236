"""onnxruntime's operators on weights of 2, 4 and 8 bits with scales of blocks.

They become the dequantize of a constant with blocks, and a product or a gather of floats.
Source: com.microsoft MatMulNBits-1 and GatherBlockQuantized-1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.frontends.onnx.blocks import Weight, cut_to, with_full_blocks
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.contraction import matrix_product
from qconvert.frontends.onnx.movement import gathered
from qconvert.frontends.onnx.quantization import MICROSOFT, blocked_type
from qconvert.frontends.onnx.small_float import converted
from qconvert.ir import Storage, element_type, f32, integer_type, shape, storage_element
from qconvert.support.errors import ConversionError

Array = NDArray[Any]

_SIZES_HINT = "Give each input the size that the operator's definition asks for"
_BYTE = integer_type(8, signed=False)
_NIBBLES = (integer_type(4, signed=True), integer_type(4, signed=False))


def _weight(ctx: NodeContext, index: int) -> Array:
    """Return a constant input of any size; raises ConversionError if it is computed."""
    array = stablehlo.elements_of(ctx.carried(index))
    if array is None:
        raise ConversionError(f"input {index}, the weights, is computed at run time", hint="Use a constant")
    return array


def _unpacked(array: Array, bits: int, count: int) -> Array:
    """Return the first ``count`` integers along the last dimension of bytes; the lowest bits of a byte come first."""
    if array.dtype != np.uint8 or bits not in (2, 4, 8):
        raise ConversionError(f"weights of {array.dtype} with {bits} bits", hint="Use uint8 with 2, 4 or 8 bits")
    flat = (
        array.reshape(-1)
        if bits == 8
        else numerics.unpacked(array.reshape(-1), bits, array.size * 8 // bits, signed=False)
    )
    rows = flat.reshape(*array.shape[:-1], -1)
    if rows.shape[-1] < count:
        raise ConversionError(f"{rows.shape[-1]} integers along a dimension of {count}", hint=_SIZES_HINT)
    return np.asarray(rows[..., :count])


def _dequantized(ctx: NodeContext, weight: Weight, storage: Storage, axis: int, block_size: int) -> SSAValue:
    """Return the dequantize of a constant with blocks along an axis; the last block may be shorter."""
    sizes = weight.integers.shape
    positive = weight._replace(integers=with_full_blocks(weight.integers, axis, block_size)).positive(storage)
    type = blocked_type(positive.integers.shape, positive.scales, positive.zero_points, storage, (axis, block_size))
    real = ctx.build.add(stablehlo.UniformDequantizeOp(ctx.constant(positive.integers, type), type.expressed_type))
    return cut_to(ctx, real, sizes)


@onnx_op("MatMulNBits", domain=MICROSOFT)
def matmul_n_bits(ctx: NodeContext) -> SSAValue:
    """Return ``A`` times the dequantized weights, whose blocks are along the dimension that is summed, plus a bias.

    onnxruntime computes float16 in float32, weights and bias included, and rounds the result. ``accuracy_level`` allows
    a kernel to quantize ``A``; here and by default it is a float.
    """
    ctx.ignore("accuracy_level")
    inner, outer, bits = ctx.integer("K", 0), ctx.integer("N", 0), ctx.integer("bits", 4)
    block_size = ctx.integer("block_size", 0)
    if ctx.integer("weight_prepacked", 0) or ctx.has(4):
        raise ConversionError("weights in the order of an execution provider, or of g_idx, are not supported")
    if inner < 1 or outer < 1 or block_size < 1:
        raise ConversionError(f"K={inner}, N={outer} and block_size={block_size}")
    given, packed = ctx.require_float(ctx.input(0)), _weight(ctx, 1)
    count = -(-inner // block_size)
    if packed.size * 8 != outer * count * block_size * bits or _weight(ctx, 2).size != outer * count:
        sizes_found = f"{packed.size} bytes and {_weight(ctx, 2).size} scales"
        raise ConversionError(f"{sizes_found} for {outer} rows of {count} blocks of {block_size}")
    rows = _unpacked(packed.reshape(outer, -1), bits, inner)
    zero_points = _zero_points(ctx, bits, (outer, count))
    # transposed as integers: blocks of columns
    element, value = element_type(given), converted(ctx, given, f32)
    scales = _weight(ctx, 2).reshape(outer, count).T.astype(np.float32)
    storage = Storage.full(bits, signed=False)
    real = _dequantized(ctx, Weight(rows.T, scales, zero_points.T), storage, 0, block_size)
    product = matrix_product(ctx, value, real, stablehlo.DotGeneralOp)
    if ctx.has(5):
        bias = converted(ctx, ctx.input(5), f32)
        product = ctx.emit(stablehlo.AddOp(product, ctx.broadcast(bias, shape(product))))
    return converted(ctx, product, element)


def _zero_points(ctx: NodeContext, bits: int, sizes: tuple[int, int]) -> Array:
    """Return the zero points: packed as the weights are, or floats; by default the middle of the range."""
    if not ctx.has(3):
        return np.full(sizes, 1 << (bits - 1), np.uint8)
    stored = _weight(ctx, 3)
    row = -(-sizes[1] * bits // 8) if stored.dtype == np.uint8 else sizes[1]
    if stored.size != sizes[0] * row:
        problem = f"{stored.size} zero points of {stored.dtype} where {sizes[0]} rows of {row} are needed"
        raise ConversionError(problem, hint=_SIZES_HINT)
    if stored.dtype == np.uint8:
        return _unpacked(stored.reshape(sizes[0], -1), bits, sizes[1])
    numbers = stored.reshape(sizes).astype(np.float64)
    if (numbers != np.clip(numerics.round_half_even(numbers), 0, (1 << bits) - 1)).any():
        raise ConversionError("a zero point is no integer of the weights' type", hint="Use zero points of uint8")
    return numbers.astype(np.uint8)


@onnx_op("GatherBlockQuantized", domain=MICROSOFT)
def gather_block_quantized(ctx: NodeContext) -> SSAValue:
    """Return slices of dequantized weights; without an out-of-range index it is Gather of their dequantize."""
    bits, block_size = ctx.integer("bits", 4), ctx.integer("block_size", 128)
    data, scales = _weight(ctx, 0), _weight(ctx, 2)
    element = storage_element(element_type(ctx.carried(0)))
    is_packed = element == _BYTE
    if block_size < 1 or element not in (_BYTE, *_NIBBLES):
        raise ConversionError(f"weights of {element} in blocks of {block_size}", hint="Use integers of 2, 4 or 8 bits")
    integers = _unpacked(data, bits, data.shape[-1] * 8 // bits) if is_packed else data
    storage = Storage.full(bits if is_packed else 4, signed=element == _NIBBLES[0])
    zero_points = np.full(scales.shape, 1 << (bits - 1) if is_packed else 0, integers.dtype)
    if ctx.has(3):
        stored = _weight(ctx, 3)
        packed = tuple(-(-size * bits // 8) for size in scales.shape[-1:])
        if stored.shape != ((*scales.shape[:-1], *packed) if is_packed else scales.shape):
            problem = f"zero points of shape {list(stored.shape)} for scales of shape {list(scales.shape)}"
            raise ConversionError(problem, hint=_SIZES_HINT)
        zero_points = _unpacked(stored, bits, scales.shape[-1]) if is_packed else stored
    axis = ctx.axis(ctx.integer("quantize_axis", 1), integers.ndim)
    weight = Weight(integers, scales, zero_points)
    real = _dequantized(ctx, weight, storage, axis, block_size)
    place = ctx.axis(ctx.integer("gather_axis", 0), integers.ndim)
    return gathered(ctx, real, place)
