"""Conversions between plain element types."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert import numerics
from qconvert.backends.tosa.lowering import Lowering, lowers
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.constants import constant_array
from qconvert.dialects.stablehlo.constraints import bits
from qconvert.dialects.traits import KeepsMultiples, Steps
from qconvert.expansion.expander import is_unsigned, tosa_element
from qconvert.ir import described, element_type, f32, i1, i32, is_float, is_small_float, numpy_dtype, shape
from qconvert.support.errors import ConversionError


@lowers(stablehlo.ConvertOp)
def convert(op: stablehlo.ConvertOp, lower: Lowering) -> SSAValue:
    """Lower to CAST; f32 lies between floats of 8 bits and other types, and between the two types of 16 bits."""
    source, target = element_type(op.operand), element_type(op.result)
    for element in (source, target):
        if isinstance(element, IntegerType) and 1 < element.width.data < 8:
            raise ConversionError(f"TOSA's CAST does not support {described(element)}", hint="Use integers of 8 bits")
    value = lower[op.operand]
    if is_small_float(source) or is_small_float(target) or (is_float(source) and bits(source) == bits(target)):
        value, source = _cast(lower, _to_float(lower, value, source), f32), f32
    if target == i1:
        value = value if is_float(source) else _cast(lower, value, i32)
        return lower.add(tosa.LogicalNotOp(lower.add(tosa.EqualOp(value, _zero(lower, value)))))
    if is_float(target):
        value = _to_float(lower, value, source)
    elif is_float(source):
        value = _to_integer(lower, value if _is_whole(op.operand) else _whole(lower, value), target)
    elif is_unsigned(source) and bits(target) > bits(source):
        value = _unsigned(lower, value)
    return _cast(lower, value, tosa_element(target))


def _to_float(lower: Lowering, value: SSAValue, source: Attribute) -> SSAValue:
    """Return numbers in a type that CAST turns into floats: i32 for booleans and unsigned integers."""
    if is_unsigned(source):
        return _unsigned(lower, value)
    return _cast(lower, value, i32) if source == i1 else value


_DEPTH = 6
"""The number of ops behind a value that are looked at."""


def _is_whole(value: SSAValue, depth: int = _DEPTH) -> bool:
    """Return True if all elements of a float value are known to be whole numbers: rounded ones, and sums of these."""
    array, owner = constant_array(value), value.owner
    if array is not None:
        return bool((array == np.trunc(array)).all())
    if not isinstance(owner, Operation) or not depth:
        return False
    is_sum = owner.has_trait(KeepsMultiples) and all(_is_whole(operand, depth - 1) for operand in owner.operands)
    return is_sum or owner.has_trait(Steps)


def _whole(lower: Lowering, value: SSAValue) -> SSAValue:
    """Return floats without their fractions: CEIL below 0, else FLOOR; CAST would round half to even."""
    is_below = lower.add(tosa.GreaterOp(_zero(lower, value), value))
    return lower.add(tosa.SelectOp(is_below, lower.add(tosa.CeilOp(value)), lower.add(tosa.FloorOp(value))))


def _to_integer(lower: Lowering, whole: SSAValue, target: Attribute) -> SSAValue:
    """Return whole floats in a type that CAST turns into integers of the target's range.

    CAST to unsigned integers needs numbers in i32, because CAST saturates in the range of signed integers.
    """
    if not is_unsigned(target):
        return whole
    largest = numerics.largest_finite(numpy_dtype(element_type(whole)))
    return _cast(lower, lower.clamp(whole, 0.0, min(2.0 ** bits(target) - 1, largest)), i32)


def widened(lower: Lowering, value: SSAValue) -> SSAValue:
    """Return the numbers of an IR value as TOSA computes with them: plain integers below 32 bits in i32."""
    element = element_type(value)
    if not isinstance(element, IntegerType) or element == i1:
        return lower[value]
    return _unsigned(lower, lower[value]) if is_unsigned(element) else _cast(lower, lower[value], i32)


def narrowed(lower: Lowering, value: SSAValue, element: Attribute) -> SSAValue:
    """Return numbers that :func:`widened` gave, or an op on them, in an element type; integers wrap."""
    return _cast(lower, value, tosa_element(element))


def check_order(value: SSAValue) -> None:
    """Raise ConversionError for plain unsigned integers, which TOSA would order as signed ones."""
    if is_unsigned(element_type(value)):
        raise ConversionError(f"TOSA does not order {element_type(value)}", hint="Convert it to i32 before")


def _unsigned(lower: Lowering, value: SSAValue) -> SSAValue:
    """Return unsigned integers, whose bits TOSA holds as signed ones, in i32."""
    mask = np.full((1,) * len(shape(value)), 2 ** bits(element_type(value)) - 1, np.int32)
    return lower.add(tosa.BitwiseAndOp(_cast(lower, value, i32), lower.constant(mask, i32)))


def _cast(lower: Lowering, value: SSAValue, element: Attribute) -> SSAValue:
    """Return a value in another element type; a value that has the type already is returned unchanged."""
    return value if element_type(value) == element else lower.add(tosa.CastOp(value, element))


def _zero(lower: Lowering, value: SSAValue) -> SSAValue:
    return lower.filled(0, value, element_type(value))
