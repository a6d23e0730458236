"""Forms of integer operations that onnxruntime computes in other ways than StableHLO: integers wrap around.

onnxruntime 1.31 adds and multiplies along dimensions, and raises to powers, in float64, and saturates. Its Max, Min,
Clip and Sign of int64 compare the low halves of numbers as if they had a sign. It ends the process where the lowest
integer is divided by -1, and refuses to divide by 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute, SSAValue

from qconvert.backends.onnx.builder import onnx_type
from qconvert.backends.onnx.lowering import Writer
from qconvert.ir import i64, numpy_dtype, windows_of

_WIDE = 64
_LONGEST_SUM = 1 << 21
"""The most integers of 32 bits whose sum float64 holds exactly."""
COMBINERS = {"ReduceMax": "Max", "ReduceMin": "Min", "ReduceProd": "Mul", "ReduceSum": "Add"}
"""The operator of two values for each reduction."""


def _width(element: Attribute) -> int:
    """Return the bits of an integer type; 0 for other types and booleans."""
    return element.width.data if isinstance(element, IntegerType) and element.width.data > 1 else 0


def _is_signed(element: Attribute) -> bool:
    return isinstance(element, IntegerType) and element.signedness.data is not Signedness.UNSIGNED


def combined(kind: str, names: Sequence[str], element: Attribute, write: Writer) -> str:
    """Write an operator of two values; Max and Min of int64 as Less and Where."""
    if kind not in ("Max", "Min") or _width(element) != _WIDE or not _is_signed(element):
        return write.node(kind, names)
    is_less = write.node("Less", names)
    return write.node("Where", [is_less, *(names if kind == "Min" else reversed(names))])


def sign_of(name: str, element: Attribute, write: Writer) -> str:
    """Write Sign; of int64 whether a number is above 0, less whether it is below."""
    if _width(element) != _WIDE:
        return write.node("Sign", [name])
    zero = _constant(0, element, write)
    sides = [write.node("Less", pair) for pair in ([zero, name], [name, zero])]
    return write.node("Sub", [in_64_bits(side, write) for side in sides])


def reduced_in_halves(kind: str, element: Attribute) -> bool:
    """Return True if a reduction of integers must combine them two by two."""
    return bool(_width(element)) and (kind == "ReduceProd" or _width(element) == _WIDE)


def in_halves(
    kind: str, name: str, element: Attribute, sizes: Sequence[int], axes: Sequence[int], write: Writer
) -> str:
    """Write a reduction that keeps size 1: the halves of each dimension are combined until one slice is left."""
    for axis in axes:
        size, rest = sizes[axis], list[str]()
        while size > 1:
            half = size // 2
            if size % 2:
                rest.append(_part(name, axis, size - 1, size, write))
            parts = [_part(name, axis, start, start + half, write) for start in (0, half)]
            name, size = combined(COMBINERS[kind], parts, element, write), half
        for other in rest:
            name = combined(COMBINERS[kind], [name, other], element, write)
    return name


def _part(name: str, axis: int, start: int, end: int, write: Writer) -> str:
    lists = (write.integers(values, role) for values, role in (([start], "starts"), ([end], "ends"), ([axis], "axes")))
    return write.node("Slice", [name, *lists])


def summed_in_64_bits(kind: str, element: Attribute, count: int) -> bool:
    """Return True for a sum of 32-bit integers whose 64-bit sum onnxruntime computes exactly."""
    return kind == "ReduceSum" and _width(element) == _WIDE // 2 and count <= _LONGEST_SUM


def in_64_bits(name: str, write: Writer) -> str:
    """Write a Cast to int64."""
    return write.node("Cast", [name], to=onnx_type(i64))


def _constant(value: int, element: Attribute, write: Writer) -> str:
    array = np.asarray(value).astype(numpy_dtype(element))
    return write.once(("integer", value, array.dtype), array, "number")


def divided(names: Sequence[str], divisor: SSAValue, element: Attribute, write: Writer) -> str:
    """Write Div; by 0 all bits of the quotient are ones, the lowest integer divided by -1 stays."""
    if _never(divisor, 0, write):
        return _divided_by_others(names, divisor, element, write)
    is_zero, safe = _replaced(names[1], 0, element, write)
    made = _divided_by_others([names[0], safe], divisor, element, write)
    return write.node("Where", [is_zero, _constant(-1, element, write), made])


def _divided_by_others(names: Sequence[str], divisor: SSAValue, element: Attribute, write: Writer) -> str:
    """Write Div by numbers other than 0; narrow integers are promoted, so that only 32 and 64 bits overflow."""
    if not _is_signed(element) or _width(element) < _WIDE // 2 or _never(divisor, -1, write):
        return write.node("Div", names)
    is_negation, safe = _replaced(names[1], -1, element, write)
    quotient = write.node("Div", [names[0], safe])
    return write.node("Where", [is_negation, write.node("Neg", [names[0]]), quotient])


def remainder_of(names: Sequence[str], rest: Any, divisor: SSAValue, element: Attribute, write: Writer) -> str:
    """Write a remainder by the function ``rest`` of dividend and divisor; by 0 it is the dividend."""
    if _never(divisor, 0, write):
        return str(rest(names))
    is_zero, safe = _replaced(names[1], 0, element, write)
    return write.node("Where", [is_zero, names[0], rest([names[0], safe])])


def _replaced(name: str, number: int, element: Attribute, write: Writer) -> tuple[str, str]:
    """Write which elements are a number, and 1 in place of these."""
    is_number = write.node("Equal", [name, _constant(number, element, write)])
    return is_number, write.node("Where", [is_number, _constant(1, element, write), name])


def _never(value: SSAValue, number: int, write: Writer) -> bool:
    """Return True if a value is a constant without a number."""
    known = write.known(value)
    return known is not None and all((piece != number).all() for piece in windows_of(known.held))


def power_of(name: str, exponent: int, element: Attribute, write: Writer) -> str:
    """Write a power of integers as products of squares."""
    made = ""
    while exponent:
        if exponent % 2:
            made = write.node("Mul", [made, name]) if made else name
        exponent //= 2
        if exponent:
            name = write.node("Mul", [name, name])
    return made or write.node("Add", [write.node("Sub", [name, name]), _constant(1, element, write)])


def computed_power(name: str, exponent: str, element: Attribute, write: Writer) -> str:
    """Write a power with a step for each bit of the exponent; a negative one gives 0, of 1 and -1 a sign."""
    zero, one, two = (_constant(value, element, write) for value in (0, 1, 2))
    is_even, bits = write.node("Equal", [_parity(exponent, element, write), zero]), _width(element)
    base, left, made = name, exponent, one
    for step in range(bits - _is_signed(element)):
        is_odd = write.node("Greater", [_parity(left, element, write), zero])
        made = write.node("Where", [is_odd, write.node("Mul", [made, base]), made])
        if step < bits - _is_signed(element) - 1:
            base, left = write.node("Mul", [base, base]), write.node("Div", [left, two])
    if not _is_signed(element):
        return made
    minus = _constant(-1, element, write)
    of_minus = write.node("Where", [is_even, one, minus])
    of_others = write.node("Where", [write.node("Equal", [name, minus]), of_minus, zero])
    inverse = write.node("Where", [write.node("Equal", [name, one]), one, of_others])
    return write.node("Where", [write.node("Less", [exponent, zero]), inverse, made])


def _parity(name: str, element: Attribute, write: Writer) -> str:
    """Write the remainder by 2 without a sign."""
    return write.node("Mod", [name, _constant(2, element, write)])
