"""Quantize, dequantize and requantize: RESCALE between integers, multiplication and CAST for floats."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.backends.tosa.litert_floats import quantize_as_litert, times_inverse
from qconvert.backends.tosa.lowering import RESCALED_LIMIT, Lowering, lowers
from qconvert.backends.tosa.options import HalfRounding
from qconvert.dialects import stablehlo, tosa
from qconvert.expansion.expander import is_unsigned, per_tensor, tosa_element
from qconvert.ir import (
    Storage,
    UniformQuantizedType,
    array_of,
    described,
    element_type,
    f32,
    held_once,
    i8,
    i32,
    is_litert,
    quantized,
    quantized_element,
    repeats,
    shape,
)
from qconvert.numerics import ZeroPoints
from qconvert.rewriting import INT32_LIMIT, Contraction, accumulator_bound, magnitude
from qconvert.support.errors import ConversionError

_EXACT_IN_F32 = 1 << 24
_INT32 = Storage.full(32, signed=True)


@lowers(stablehlo.UniformQuantizeOp)
def uniform_quantize(op: stablehlo.UniformQuantizeOp, lower: Lowering) -> SSAValue:
    """Lower to RESCALE of a quantized operand, or to a multiplication by ``1 / scale`` and CAST of floats.

    LiteRT's rounding of floats takes a comparison, too.
    """
    if quantized(op.operand) is not None:
        return _requantize(op, lower)
    return quantize_as_litert(op, lower) if is_litert(op) else quantize_floats(op, lower)


def _requantize(op: stablehlo.UniformQuantizeOp, lower: Lowering) -> SSAValue:
    """Lower to one RESCALE, with a multiplier for each slice if the operand has a scale for each slice."""
    source, element = quantized(op.operand), quantized(op.result)
    assert source is not None
    assert element is not None
    for axis in (source.quantization_dimension, element.quantization_dimension):
        if axis not in (None, len(shape(op.operand)) - 1):
            raise ConversionError(f"RESCALE needs scales along the last dimension, found dimension {axis}")
    if _is_shifted(op.operand, source, element):
        return lower.shift_left(lower[op.operand], int(np.log2(source.scales / element.scales)[0]))
    if element.is_per_axis and source.storage.width == element.storage.width == 32:
        return lower.rescale(lower[op.operand], source.scales / element.scales, i32)
    target = per_tensor(op.result)
    if is_unsigned(source) or is_unsigned(target):
        return _across_signs(op, lower)
    if source.storage.width == 32:
        centred = lower.centred(op.operand) if source.is_per_tensor else lower[op.operand]
        return lower.stored(centred, source.scales / target.scale, target)
    factor, largest = source.scale / target.scale, magnitude(source)
    is_byte = source.storage.width == target.storage.width == 8
    if is_byte and lower.rounding is HalfRounding.UP and largest * factor < RESCALED_LIMIT:
        made = lower.rescale(lower[op.operand], factor, i8, _zero_points(source, target))
        return lower.clamp(made, target.storage.minimum, target.storage.maximum)
    return lower.stored(lower.centred(op.operand), factor, target, largest)


def _is_shifted(value: SSAValue, source: UniformQuantizedType, target: UniformQuantizedType) -> bool:
    """Return True for an accumulator that a left shift takes to a finer scale in 32 bits, where RESCALE does not.

    RESCALE demands ``-2^(shift - 1) <= value < 2^(shift - 1)``, and the multiplier of a power of two is ``2^30``: the
    result must be below ``2^29``. Source: TOSA specification 1.0, ``apply_scale_32``.
    """
    op, factors = value.owner, np.atleast_1d(source.scales / target.scales)
    is_plain = all(each.storage == _INT32 and each.has_zero_zero_point for each in (source, target))
    if not is_plain or not isinstance(op, Contraction) or np.ptp(factors) or np.frexp(factors[0])[0] != 0.5:
        return False
    lhs, rhs, factor = quantized(op.lhs), quantized(op.rhs), float(factors[0])
    if lhs is None or rhs is None or factor < 1.0:
        return False
    bound = accumulator_bound(op, lhs, op.rhs, rhs, int(RESCALED_LIMIT / factor))
    return RESCALED_LIMIT <= bound * factor <= INT32_LIMIT


def _zero_points(source: UniformQuantizedType, target: UniformQuantizedType) -> ZeroPoints:
    return ZeroPoints(source.zero_point, target.zero_point)


def _across_signs(op: stablehlo.UniformQuantizeOp, lower: Lowering) -> SSAValue:
    """Lower to RESCALE between unsigned integers at the function's edge and signed integers inside.

    Both have the same scale. In 16 bits RESCALE supports half the range as the zero point of unsigned integers only,
    which is the distance of the two zero points.
    """
    source, target = per_tensor(op.operand), per_tensor(op.result)
    element = tosa_element(target)
    assert isinstance(element, IntegerType)
    distance, half = source.zero_point - target.zero_point, 1 << (source.storage.width - 1)
    is_moved = source.storage.width == target.storage.width == 16 and source.scale == target.scale
    ends = ZeroPoints(max(0, distance), max(0, -distance)) if is_moved and abs(distance) == half else None
    return lower.rescale(
        lower[op.operand],
        source.scale / target.scale,
        element,
        ends or _zero_points(source, target),
        input_unsigned=is_unsigned(source),
        output_unsigned=is_unsigned(target),
    )


def quantize_floats(op: stablehlo.UniformQuantizeOp, lower: Lowering) -> SSAValue:
    """Lower to ``round(clamp(x * (1 / scale)))`` plus the zero point; CAST rounds half to even."""
    target = per_tensor(op.result)
    storage, zero_point = target.storage, target.zero_point
    if not storage.is_full and max(-storage.minimum, storage.maximum) > _EXACT_IN_F32:
        raise ConversionError(f"f32 cannot hold the integers of {storage}", hint="Quantize to at most 24 bits")
    value = lower[op.operand]
    if element_type(value) != f32:
        found = f"qconvert writes quantizers of f32 for TOSA, found one of {described(element_type(value))}"
        raise ConversionError(found, hint="Export the model with floats of 32 bits")
    scaled = times_inverse(lower, value, target.scale)
    clamped = lower.clamp(scaled, storage.minimum - zero_point, storage.maximum - zero_point)
    if not zero_point:
        return lower.add(tosa.CastOp(clamped, tosa_element(target)))
    return lower.stored(lower.add(tosa.CastOp(clamped, i32)), 1.0, target)


@lowers(stablehlo.UniformDequantizeOp)
def uniform_dequantize(op: stablehlo.UniformDequantizeOp, lower: Lowering) -> SSAValue:
    """Lower to ``(q - zero_point) * scale`` in floats; the difference is exact."""
    return real(op.operand, lower)


def real(value: SSAValue, lower: Lowering) -> SSAValue:
    """Return the reals of a quantized value in f32; scales of blocks multiply a reshaped tensor."""
    source = quantized(value)
    if source is None:
        raise ConversionError(f"a quantized value is needed, found {value.type}")
    integers, axis = _castable(value, lower, whole=source.is_sub_channel), source.quantization_dimension
    split, sizes = shape(integers), tuple(len(source.scales) if i == axis else 1 for i in range(len(shape(value))))
    if source.is_sub_channel:
        split, sizes = source.split_blocks(split)
    found = lower.reshape(lower.add(tosa.CastOp(integers, f32)), split)
    if not source.has_zero_zero_point:
        found = lower.add(tosa.SubOp(found, lower.constant(source.zero_points.reshape(sizes), f32)))
    made = lower.multiply(found, lower.constant(source.scales.reshape(sizes), f32))
    return lower.reshape(made, shape(value)) if source.is_sub_channel else made


def _castable(value: SSAValue, lower: Lowering, *, whole: bool) -> SSAValue:
    """Return integers that CAST takes; a constant of 2 or 4 bits is held in 8 bits.

    The sizes of a constant that repeats its elements are 1 there, unless it is needed as a ``whole``.
    """
    held = lower.held(value)
    if held is not None and held.dtype.itemsize == 1 and quantized_element(value).storage.width < 8:
        needed = np.asarray(array_of(held), order="C") if whole and repeats(held) else held_once(held)
        return lower.constant(needed, i8)
    return lower.whole(value) if whole else lower[value]
