"""Contractions of plain integers, such as those of activations that are quantized at run time.

TOSA multiplies signed integers of 8 bits, less zero points that are constants. The operands here are bytes, or bytes in
i32 less a zero point ``z`` that may be computed. With ``x'`` and ``z'`` for x and z, each less 128 if bytes are
unsigned, ``x - z = x' - z'``, and

    sum((x - z) * w) = sum(x' * w) - z' * sum(w)

holds for a ``z`` that all terms of a sum share. The right-hand side is a contraction in 8 bits without a zero point,
less a product in i32, whose ``sum(w)`` is a constant if the weights are. An element of the padding is 0 in ``x - z``:
SELECT puts ``z'`` there, because the padding value of PAD and of a convolution is a constant.

A difference of bytes that has no such form is an integer of 9 bits. It is the sum of two integers of 8 bits, and the
contraction the sum of two. All forms are exact in 32 bits for sums of up to 65,000 terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from qconvert.backends.tosa.conversion import narrowed, widened
from qconvert.backends.tosa.lowering import Lowering
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import constant_array
from qconvert.dialects.traits import MovesElements
from qconvert.expansion.expander import is_unsigned
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.implementation import Array
from qconvert.ir import (
    Storage,
    UniformQuantizedType,
    element_type,
    i1,
    i8,
    i32,
    is_float,
    mapped,
    quantized,
    shape,
    tensor_type,
)
from qconvert.rewriting import rebuilt
from qconvert.support.errors import ConversionError

Contraction: TypeAlias = stablehlo.ConvolutionOp | stablehlo.DotGeneralOp
Sums: TypeAlias = Callable[[Any, Lowering], SSAValue]
_LOW, _HIGH = -128, 127


class _Bytes(NamedTuple):
    """Signed bytes of TOSA, less a constant."""

    value: SSAValue
    zero_point: int = 0


class _Operand(NamedTuple):
    """Integers as the sum of their parts, less a computed zero point: signed bytes in the rank of the integers."""

    parts: tuple[_Bytes, ...]
    zero_point: SSAValue | None = None


def is_plain(op: Contraction) -> bool:
    """Return True if a contraction multiplies integers that are not quantized."""
    return not any(is_float(element_type(value)) or quantized(value) is not None for value in (op.lhs, op.rhs))


def integer_contraction(op: Contraction, lower: Lowering, sums: Sums) -> SSAValue:
    """Lower a contraction of plain integers; ``sums`` lowers one whose operands are quantized types of 8 bits.

    Raises ConversionError for operands that are neither bytes nor differences of bytes.
    """
    lhs, rhs = _activations(op, lower), _operand(op.rhs, lower)
    point, window = lhs.zero_point, dict[str, Attribute]()
    if point is not None and isinstance(op, stablehlo.ConvolutionOp):
        padded, padding = _padded(op, lower, lhs.parts[0].value, point)
        lhs, window = _Operand((_Bytes(padded),)), {"padding": stablehlo.padding_attribute(padding)}
    made = [_sums(op, lower, pair, window, sums) for pair in product(lhs.parts, rhs.parts)]
    total = made[0]
    for other in made[1:]:
        total = lower.add(tosa.AddOp(total, other))
    if point is not None:
        total = lower.add(tosa.SubOp(total, _correction(op, lower, point)))
    return narrowed(lower, total, element_type(op.result))


def _sums(
    op: Contraction,
    lower: Lowering,
    operands: tuple[_Bytes, _Bytes],
    properties: Mapping[str, Attribute],
    sums: Sums,
) -> SSAValue:
    """Lower the contraction of one part of each operand, as that of quantized values with these constants."""
    storage = Storage.full(8, signed=True)
    types = [UniformQuantizedType.per_tensor(storage, 1.0, part.zero_point) for part in operands]
    block = Block(arg_types=[tensor_type(type, shape(part.value)) for type, part in zip(types, operands, strict=True)])
    for argument, part in zip(block.args, operands, strict=True):
        lower.define(argument, part.value)
    return sums(rebuilt(op, block.args, None, properties), lower)


def _activations(op: Contraction, lower: Lowering) -> _Operand:
    """Return the left-hand side, less a zero point computed at run time if all terms of a sum share it."""
    found = None if _known(op.lhs) is not None else _difference(op.lhs, lower)
    if found is None or found.constant is not None or _is_dilated(op):
        return _operand(op.lhs, lower)
    if any(shape(found.zero_point)[axis] > 1 for axis in _shared_axes(op)):
        return _operand(op.lhs, lower)
    return _Operand((_Bytes(found.value),), found.zero_point)


def _operand(value: SSAValue, lower: Lowering) -> _Operand:
    """Return an operand as one part, or as two parts of 8 bits if the bytes' zero point is computed."""
    array = _known(value)
    if array is not None:
        return _Operand(_known_parts(array, lower))
    found = _difference(value, lower)
    if found is None:
        raise ConversionError(
            f"TOSA multiplies integers of 8 bits, found {value.type} that is not the difference of two bytes",
            hint="Use floats or quantized types",
        )
    if found.constant is not None:
        return _Operand((_Bytes(found.value, found.constant),))
    wide = lower[value]
    low, high = (lower.filled(bound, wide) for bound in (_LOW, _HIGH))
    first = lower.add(tosa.MinimumOp(lower.add(tosa.MaximumOp(wide, low)), high))
    rest = lower.add(tosa.SubOp(wide, first))
    return _Operand(tuple(_Bytes(lower.add(tosa.CastOp(part, i8))) for part in (first, rest)))


def _known_parts(array: NDArray[np.int64], lower: Lowering) -> tuple[_Bytes, ...]:
    """Return constants as one part if they span at most 256 integers, else as two.

    Raises ConversionError for constants of more than 9 bits.
    """
    low, high = int(array.min(initial=0)), int(array.max(initial=0))
    offset = max(0, _LOW - low) - max(0, high - _HIGH)
    if all(_LOW <= bound <= _HIGH for bound in (low + offset, high + offset, offset)):
        return (_Bytes(lower.constant(array + offset, i8), offset),)
    first = array.clip(_LOW, _HIGH)
    rest = array - first
    if rest.min() < _LOW or rest.max() > _HIGH:
        raise ConversionError(f"TOSA multiplies integers of 8 bits, found constants from {low} to {high}")
    return _Bytes(lower.constant(first, i8)), _Bytes(lower.constant(rest, i8))


def _known(value: SSAValue) -> NDArray[np.int64] | None:
    """Return the integers of a constant, also moved, converted or less another constant; None for other values."""
    array = _elements(value)
    return None if array is None else array.astype(np.int64)


def _elements(value: SSAValue) -> Array | None:
    array, owner = constant_array(value), value.owner
    if array is not None or not isinstance(owner, Operation) or len(owner.results) != 1:
        return array
    if not owner.has_trait(MovesElements) and not isinstance(owner, stablehlo.ConvertOp | stablehlo.SubtractOp):
        return None
    operands = [_elements(operand) for operand in owner.operands]
    known = [each for each in operands if each is not None]
    return evaluate_op(owner, known)[0] if len(known) == len(operands) else None


class _Difference(NamedTuple):
    """Signed bytes and their zero point: signed bytes in the same rank, with size 1 where they are repeated."""

    value: SSAValue
    zero_point: SSAValue

    @property
    def constant(self) -> int | None:
        """The zero point if it is one constant."""
        owner = self.zero_point.owner
        return int(owner.array.item()) if isinstance(owner, tosa.ConstOp) and owner.array.size == 1 else None


def _difference(value: SSAValue, lower: Lowering) -> _Difference | None:
    """Return the bytes, moved at most, and the zero point whose difference a value is; None for other values."""
    owner, source = value.owner, value if _is_byte(element_type(value)) else _widened(value)
    if source is not None:
        zero = _LOW if is_unsigned(element_type(source)) else 0
        return _Difference(_signed(source, lower), lower.filled(zero, source, i8))
    if isinstance(owner, stablehlo.TransposeOp | stablehlo.ReshapeOp):
        found = _difference(owner.operand, lower)
        return None if found is None else _moved(owner, found, lower)
    return _less(owner, lower) if isinstance(owner, stablehlo.SubtractOp) else None


def _less(op: stablehlo.BinaryOp, lower: Lowering) -> _Difference | None:
    """Return the operands of a subtraction if they are widened bytes and a zero point of these, else None."""
    minuend = _widened(op.lhs)
    point = None if minuend is None else _zero_point(op.rhs, element_type(minuend), lower)
    return None if minuend is None or point is None else _Difference(_signed(minuend, lower), point)


def _moved(op: stablehlo.TransposeOp | stablehlo.ReshapeOp, found: _Difference, lower: Lowering) -> _Difference:
    """Return transposed or reshaped bytes with their zero point; several are repeated before they are reshaped."""
    value, point = found.value, found.zero_point
    if isinstance(op, stablehlo.TransposeOp):
        order = stablehlo.permutation_of(op)
        return _Difference(lower.transpose(value, order), lower.transpose(point, order))
    sizes, given = shape(op.result), shape(value)
    if prod(shape(point)) == 1:
        return _Difference(lower.reshape(value, sizes), lower.reshape(point, [1] * len(sizes)))
    counts = [size // own for size, own in zip(given, shape(point), strict=True)]
    repeated = lower.add(tosa.TileOp(point, lower.shape(counts)))
    return _Difference(lower.reshape(value, sizes), lower.reshape(repeated, sizes))


def _is_byte(element: Attribute) -> bool:
    return isinstance(element, IntegerType) and element.width.data == 8


def _widened(value: SSAValue) -> SSAValue | None:
    """Return the bytes that a value is in more bits, None for other values."""
    owner = value.owner
    return owner.operand if isinstance(owner, stablehlo.ConvertOp) and _is_byte(element_type(owner.operand)) else None


def _signed(value: SSAValue, lower: Lowering) -> SSAValue:
    """Return bytes of the IR as signed bytes: unsigned ones with the first bit inverted, which are 128 less."""
    held = lower.whole(value)
    if not is_unsigned(element_type(value)):
        return held
    if isinstance(held.owner, tosa.ConstOp):
        return lower.constant(mapped(held.owner.held, _less_half, np.dtype(np.int8)), i8)
    return lower.add(tosa.BitwiseXorOp(held, lower.filled(_LOW, held, i8)))


def _less_half(array: Array) -> NDArray[np.int8]:
    """Return unsigned bytes less 128."""
    return np.bitwise_xor(array.astype(np.int8), np.int8(_LOW))


def _zero_point(value: SSAValue, element: Attribute, lower: Lowering) -> SSAValue | None:
    """Return the zero point of bytes of a type as signed bytes with size 1 where it is repeated; None for others."""
    sizes, owner = list(shape(value)), value.owner
    if isinstance(owner, stablehlo.BroadcastInDimOp):
        sizes, value = [1] * len(sizes), owner.operand
        for axis, size in zip(stablehlo.as_tuple(owner.broadcast_dimensions), shape(value), strict=True):
            sizes[axis] = size
    array, found = _known(value), _widened(value)
    if array is not None:
        signed = array + (_LOW if is_unsigned(element) else 0)
        fits = bool(((signed >= _LOW) & (signed <= _HIGH)).all())
        return lower.constant(signed.reshape(sizes), i8) if fits else None
    if found is None or element_type(found) != element:
        return None
    return lower.reshape(_signed(found, lower), sizes)


def _shared_axes(op: Contraction) -> tuple[int, ...]:
    """Return the dimensions of the left-hand side that the terms of one sum are in."""
    if isinstance(op, stablehlo.DotGeneralOp):
        return op.numbers.lhs_contracting_dimensions
    return (op.numbers.input_feature, *op.numbers.input_spatial)


def _is_dilated(op: Contraction) -> bool:
    """Return True if zeros lie between an image's elements, where a computed zero point would have to be."""
    return isinstance(op, stablehlo.ConvolutionOp) and any(step != 1 for step in op.window.lhs_dilation)


def _padded(
    op: stablehlo.ConvolutionOp, lower: Lowering, image: SSAValue, point: SSAValue
) -> tuple[SSAValue, list[tuple[int, int]]]:
    """Return an image with its zero point as padding, and the negative paddings that remain.

    Elements behind the window's last position are not added.
    """
    window, edges, rest = op.window, [(0, 0)] * len(shape(image)), []
    for i, axis in enumerate(op.numbers.input_spatial):
        low, high = window.padding[i]
        reach = (shape(op.rhs)[op.numbers.kernel_spatial[i]] - 1) * window.rhs_dilation[i] + 1
        high -= (shape(image)[axis] + low + high - reach) % window.strides[i]
        edges[axis] = (max(0, low), max(0, high))
        rest.append((min(0, low), min(0, high)))
    if not any(map(any, edges)):
        return image, rest
    pads = lower.shape([size for pair in edges for size in pair])
    sizes = [size if any(pair) else 1 for size, pair in zip(shape(image), edges, strict=True)]
    inside = lower.constant(np.pad(np.ones(sizes, np.bool_), edges), i1)
    padded = lower.add(tosa.PadOp(image, pads, lower.zero_point(0, i8)))
    return lower.add(tosa.SelectOp(inside, padded, point)), rest


def _correction(op: Contraction, lower: Lowering, point: SSAValue) -> SSAValue:
    """Return the zero point times the sum of the weights of each result, in the result's rank."""
    rows, columns = lower.add(tosa.CastOp(point, i32)), _column_sums(op, lower)
    rank = len(shape(op.result))
    if isinstance(op, stablehlo.ConvolutionOp):
        rows = lower.reshape(rows, _sizes_at(rank, op.numbers.output_batch, prod(shape(rows))))
        columns = lower.reshape(columns, _sizes_at(rank, op.numbers.output_feature, prod(shape(columns))))
        return lower.multiply(rows, columns)
    numbers, sides = op.numbers, (len(shape(op.lhs)), len(shape(op.rhs)))
    frees = numbers.lhs_free(sides[0]), numbers.rhs_free(sides[1])
    rows = lower.transpose(rows, (*numbers.lhs_batching_dimensions, *frees[0], *numbers.lhs_contracting_dimensions))
    columns = lower.transpose(
        columns, (*numbers.rhs_batching_dimensions, *frees[1], *numbers.rhs_contracting_dimensions)
    )
    batch = len(numbers.lhs_batching_dimensions)
    rows = lower.reshape(rows, (*shape(rows)[: batch + len(frees[0])], *[1] * len(frees[1])))
    sizes = shape(columns)
    columns = lower.reshape(columns, (*sizes[:batch], *[1] * len(frees[0]), *sizes[batch : batch + len(frees[1])]))
    return lower.multiply(rows, columns)


def _sizes_at(rank: int, axis: int, size: int) -> list[int]:
    """Return a shape with one size along an axis and 1 along all others."""
    return [size if i == axis else 1 for i in range(rank)]


def _column_sums(op: Contraction, lower: Lowering) -> SSAValue:
    """Return the sums of the right-hand side in i32, with size 1 along the dimensions of the terms."""
    rank = len(shape(op.rhs))
    if isinstance(op, stablehlo.DotGeneralOp):
        axes = op.numbers.rhs_contracting_dimensions
    else:
        axes = tuple(axis for axis in range(rank) if axis != op.numbers.kernel_output_feature)
    array = _known(op.rhs)
    if array is not None:
        return lower.constant(array.sum(axis=axes, keepdims=True), i32)
    value = widened(lower, op.rhs)
    for axis in axes:
        value = lower.add(tosa.ReduceSumOp(value, axis))
    return value
