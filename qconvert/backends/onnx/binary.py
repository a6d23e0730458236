"""Shifts of bits: BitShift takes integers without a sign, of which onnxruntime has kernels of 8, 32 and 64 bits."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto
from xdsl.dialects.builtin import IntegerType, Signedness

from qconvert.backends.onnx.builder import onnx_type
from qconvert.backends.onnx.elementwise import aligned
from qconvert.backends.onnx.lowering import ComputedTensor, Tensor, Writer, emits
from qconvert.backends.onnx.tosa.fixed_point import parameter
from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo.elementwise import BinaryOp
from qconvert.ir import element_type, integer_type

_LEFT = (stablehlo.ShiftLeftOp,)
_WIDE = 64


@emits(stablehlo.ShiftLeftOp, stablehlo.ShiftRightLogicalOp)
def logical_shift(op: BinaryOp, write: Writer) -> Tensor:
    """Shift the bits."""
    return _shifted_bits(op, write)


def _shifted_bits(op: BinaryOp, write: Writer) -> ComputedTensor:
    """Write BitShift of the bits in 64 bits; 0 where a shift is as wide as the integer."""
    element = element_type(op.result)
    assert isinstance(element, IntegerType)
    names, layout, repeated = aligned([op.lhs, op.rhs], write)
    value, places = (_bits(name, element, write) for name in names)
    direction = "LEFT" if isinstance(op, _LEFT) else "RIGHT"
    shifted = write.node("BitShift", [value, _at_most(places, _WIDE - 1, write)], direction=direction)
    is_inside = write.node("Less", [places, _number(element.width.data, write)])
    made = write.node("Where", [is_inside, _as_integers(shifted, write), _as_integers(_number(0, write), write)])
    return ComputedTensor(write.node("Cast", [made], to=onnx_type(element)), layout, repeated=repeated)


@emits(stablehlo.ShiftRightArithmeticOp)
def arithmetic_shift(op: BinaryOp, write: Writer) -> Tensor:
    """Write BitShift of the integers plus 2^63, less 2^63 shifted alike; 63 places are as good as more.

    The highest bit of integers without a sign is taken as their sign, as StableHLO's interpreter does.
    """
    element = element_type(op.result)
    assert isinstance(element, IntegerType)
    (value, places), layout, repeated = aligned([op.lhs, op.rhs], write)
    if element.signedness.data is Signedness.UNSIGNED:
        value = write.node("Cast", [value], to=onnx_type(integer_type(element.width.data, signed=True)))
    wide = write.node("Cast", [write.node("Cast", [value], to=TensorProto.INT64)], to=TensorProto.UINT64)
    limited, middle = _at_most(_bits(places, element, write), _WIDE - 1, write), _number(1 << (_WIDE - 1), write)
    sides = (write.node("Add", [wide, middle]), middle)
    shifted = [write.node("BitShift", [side, limited], direction="RIGHT") for side in sides]
    made = _as_integers(write.node("Sub", shifted), write)
    return ComputedTensor(write.node("Cast", [made], to=onnx_type(element)), layout, repeated=repeated)


def _bits(name: str, element: IntegerType, write: Writer) -> str:
    """Write the bits of integers as 64-bit integers without a sign."""
    own = write.node("Cast", [name], to=onnx_type(integer_type(element.width.data, signed=False)))
    return write.node("Cast", [own], to=TensorProto.UINT64)


def _number(value: int, write: Writer) -> str:
    return parameter(value, np.uint64, write)


def _at_most(name: str, most: int, write: Writer) -> str:
    return write.node("Min", [name, _number(most, write)])


def _as_integers(name: str, write: Writer) -> str:
    return write.node("Cast", [name], to=TensorProto.INT64)
