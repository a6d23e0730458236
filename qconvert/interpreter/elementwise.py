"""Elementwise ops: a table of numpy functions. Quantized operands are dequantized, and results quantized."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Operation

from qconvert import numerics
from qconvert.dialects import composite, stablehlo
from qconvert.interpreter.core import INT32, as_int32, dequantize, quantized_result
from qconvert.interpreter.implementation import Array, implements
from qconvert.ir import Tensor, UniformQuantizedType, numpy_dtype, storage_element, tensor
from qconvert.ir.dense_parsing import narrowed
from qconvert.support.errors import ConversionError


def logistic(x: Array) -> Array:
    one = x.dtype.type(1)
    return np.asarray(one / (one + np.exp(-x)))


def divide(a: Array, b: Array) -> Array:
    if a.dtype.kind in "iu":
        safe = np.where(b == 0, 1, b).astype(b.dtype)
        floor = a // safe
        # The absolute value of the lowest integer would overflow.
        truncated = floor + ((floor * safe != a) & ((a < 0) != (b < 0)))
        all_ones = np.asarray(-1).astype(a.dtype)
        return np.where(b == 0, all_ones, truncated).astype(a.dtype)
    return np.asarray(a / b)


def _power(base: Array, exponent: Array) -> Array:
    if base.dtype.kind != "i":
        return np.asarray(np.power(base, exponent))
    # A negative exponent gives 0, except for the bases 1 and -1.
    reciprocal = np.where(base == 1, 1, np.where(base == -1, 1 - 2 * (exponent & 1), 0))
    return np.where(exponent < 0, reciprocal, np.power(base, np.maximum(exponent, 0))).astype(base.dtype)


def _logical(bitwise: Callable[..., Any], logical: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *operands: (logical if operands[0].dtype == np.bool_ else bitwise)(*operands)


def _multiply(a: Array, b: Array) -> Array:
    if a.dtype.kind == "c":
        return numerics.complex_product(a, b)
    return np.asarray(a & b if a.dtype == np.bool_ else a * b)


def _angle(y: Array, x: Array) -> Array:
    """Return the angle of two numbers; of complex ones as StableHLO's interpreter defines it."""
    if y.dtype.kind != "c":
        return np.asarray(np.arctan2(y, x))
    return np.asarray(-1j * np.log((x + 1j * y) / np.sqrt(x * x + y * y)))


def _remainder(a: Array, b: Array) -> Array:
    if a.dtype.kind == "c":
        raise ConversionError("complex numbers have no remainder")
    if a.dtype.kind in "iu":
        return np.where(b == 0, a, np.fmod(a, np.where(b == 0, 1, b).astype(b.dtype)))
    return np.asarray(np.fmod(a, b))


def _arithmetic_shift(a: Array, b: Array) -> Array:
    """Repeat the highest bit, of integers without a sign as well, as StableHLO's interpreter does."""
    places = np.minimum(b.view(f"u{b.itemsize}"), 8 * a.itemsize - 1).astype(f"i{a.itemsize}")
    return np.right_shift(a.view(f"i{a.itemsize}"), places).view(a.dtype)


UNARY: dict[type[Operation], Callable[..., Any]] = {
    stablehlo.AbsOp: np.abs,
    stablehlo.CbrtOp: lambda x: np.power(x, x.dtype.type(1 / 3)) if x.dtype.kind == "c" else np.cbrt(x),
    stablehlo.CeilOp: np.ceil,
    stablehlo.CosineOp: np.cos,
    stablehlo.ExponentialOp: np.exp,
    stablehlo.ExponentialMinusOneOp: np.expm1,
    stablehlo.FloorOp: np.floor,
    stablehlo.LogOp: np.log,
    stablehlo.LogPlusOneOp: np.log1p,
    stablehlo.LogisticOp: logistic,
    stablehlo.NegateOp: np.negative,
    stablehlo.NotOp: _logical(np.invert, np.logical_not),
    stablehlo.RoundNearestEvenOp: numerics.round_half_even,
    stablehlo.RoundNearestAfzOp: numerics.round_half_away,
    stablehlo.RsqrtOp: lambda x: x.dtype.type(1) / np.sqrt(x),
    stablehlo.SignOp: np.sign,
    stablehlo.SineOp: np.sin,
    stablehlo.SqrtOp: np.sqrt,
    stablehlo.TanOp: np.tan,
    stablehlo.TanhOp: np.tanh,
}
BINARY: dict[type[Operation], Callable[..., Any]] = {
    stablehlo.AddOp: lambda a, b: a | b if a.dtype == np.bool_ else a + b,
    stablehlo.AndOp: _logical(np.bitwise_and, np.logical_and),
    stablehlo.Atan2Op: _angle,
    stablehlo.DivideOp: divide,
    stablehlo.MaximumOp: np.maximum,
    stablehlo.MinimumOp: np.minimum,
    stablehlo.MultiplyOp: _multiply,
    stablehlo.OrOp: _logical(np.bitwise_or, np.logical_or),
    stablehlo.PowerOp: _power,
    stablehlo.RemainderOp: _remainder,
    stablehlo.ShiftLeftOp: np.left_shift,
    stablehlo.ShiftRightArithmeticOp: _arithmetic_shift,
    stablehlo.ShiftRightLogicalOp: lambda a, b: (a.view(f"u{a.itemsize}") >> b.view(f"u{b.itemsize}")).view(a.dtype),
    stablehlo.SubtractOp: np.subtract,
    stablehlo.XorOp: _logical(np.bitwise_xor, np.logical_xor),
    composite.SquaredDifferenceOp: lambda a, b: (a - b) * (a - b),
}


def through_float(op: Operation, operands: Sequence[Array], function: Callable[..., Any]) -> Array:
    """Dequantize the operands, apply ``function`` in the expressed type, quantize to the first result's type."""
    reals = [dequantize(array, tensor(value)) for array, value in zip(operands, op.operands, strict=True)]
    return quantized_result(op, np.asarray(function(*reals)))


_IN_FLOAT = {
    kind: function
    for kind, function in (UNARY | BINARY).items()
    if kind not in (stablehlo.AddOp, stablehlo.MaximumOp, stablehlo.MinimumOp)
}


@implements(*_IN_FLOAT)
def elementwise(op: Operation, operands: Sequence[Array]) -> Array:
    """Apply the op's function; to complex numbers in double precision, as StableHLO's interpreter does."""
    if operands[0].dtype == np.complex64 and (type(op) in UNARY or type(op) in (stablehlo.Atan2Op, stablehlo.PowerOp)):
        operands = [array.astype(np.complex128) for array in operands]
    return through_float(op, operands, _IN_FLOAT[type(op)])


def _by_order(op: Operation, operands: Sequence[Array], function: Callable[..., Any]) -> Array:
    """Compare storage integers if there is one type, because scales are positive; else compare in float."""
    elements = {tensor(value).element_type for value in (*op.operands, *op.results)}
    return np.asarray(function(*operands)) if len(elements) == 1 else through_float(op, operands, function)


@implements(stablehlo.MaximumOp, stablehlo.MinimumOp)
def extreme(op: Operation, operands: Sequence[Array]) -> Array:
    """Return the maximum or minimum."""
    return _by_order(op, operands, BINARY[type(op)])


@implements(stablehlo.AddOp)
def add(op: Operation, operands: Sequence[Array]) -> Array:
    """Add integers if all types are one 32-bit type with zero point 0 (a bias), else in float."""
    if adds_integers(op):
        return _exact_sum(operands[0], operands[1])
    return through_float(op, operands, BINARY[stablehlo.AddOp])


def adds_integers(op: Operation) -> bool:
    """Return True if a quantized ``add`` adds integers: all types are one full 32-bit type with zero point 0."""
    element = tensor(op.results[0]).element_type
    if not isinstance(element, UniformQuantizedType) or len({v.type for v in (*op.operands, *op.results)}) > 1:
        return False
    return element.storage.width == 32 and element.storage.is_full and element.has_zero_zero_point


def _exact_sum(a: Array, b: Array) -> Array:
    """Return the sum of 32-bit integers.

    Raises ConversionError if a sum exceeds 32 bits.
    """
    highest = int(a.max(initial=0)) + int(b.max(initial=0))
    lowest = int(a.min(initial=0)) + int(b.min(initial=0))
    if INT32.min <= lowest and highest <= INT32.max:
        return np.asarray(a + b)
    return as_int32(np.asarray(a.astype(np.int64) + b))


_COMPARISONS: dict[stablehlo.ComparisonDirection, Callable[..., Any]] = {
    stablehlo.ComparisonDirection.EQ: np.equal,
    stablehlo.ComparisonDirection.NE: np.not_equal,
    stablehlo.ComparisonDirection.GE: np.greater_equal,
    stablehlo.ComparisonDirection.GT: np.greater,
    stablehlo.ComparisonDirection.LE: np.less_equal,
    stablehlo.ComparisonDirection.LT: np.less,
}


@implements(stablehlo.CompareOp)
def compare(op: stablehlo.CompareOp, operands: Sequence[Array]) -> Array:
    """Compare quantized operands by their real values; in total order -NaN < -0 < +0 < +NaN."""
    function, order = _COMPARISONS[op.comparison_direction.data], op.compare_type
    if order is None or order.data is not stablehlo.ComparisonType.TOTALORDER:
        return through_float(op, operands, function)
    return through_float(op, operands, lambda a, b: function(_order_key(a), _order_key(b)))


def _order_key(real: Array) -> Array:
    """Return integers in the total order of floats: the bits, inverted below the sign for negative floats."""
    bits = real.view(f"i{real.itemsize}")
    return np.asarray(np.where(bits < 0, bits ^ bits.dtype.type(np.iinfo(bits.dtype).max), bits))


@implements(stablehlo.SelectOp)
def select(op: stablehlo.SelectOp, operands: Sequence[Array]) -> Array:
    """Select element by element: storage integers if all values have one type, else in float."""
    pred, on_true, on_false = operands
    if len({tensor(value).element_type for value in (op.on_true, op.on_false, op.result)}) == 1:
        return np.where(pred, on_true, on_false)
    return through_float(op, operands, np.where)


@implements(stablehlo.ClampOp)
def clamp(op: stablehlo.ClampOp, operands: Sequence[Array]) -> Array:
    """Clamp to the bounds; the upper bound wins where they cross."""
    return _by_order(op, operands, lambda low, x, high: np.minimum(np.maximum(x, low), high))


@implements(stablehlo.ConvertOp)
def convert(op: Operation, operands: Sequence[Array]) -> Array:
    """Cast; float to integer truncates and saturates, a cast to i1 tests for non-zero."""
    return cast_elements(operands[0], tensor(op.results[0]))


def cast_elements(array: Array, type: Tensor) -> Array:
    """Return the elements of ``array`` in another type; integers wrap, floats saturate, complex numbers lose a part."""
    element, dtype = type.element_type, numpy_dtype(type.element_type)
    if dtype == np.bool_:
        return np.asarray(array != 0)
    if array.dtype.kind == "c" and dtype.kind != "c":
        array = array.real
    if not isinstance(element, IntegerType):
        return array.astype(dtype)
    if array.dtype.kind not in "iub":
        return _truncated(array, element).astype(dtype)
    return narrowed(array.astype(np.uint8), element) if element.width.data < 8 else array.astype(dtype)


def _truncated(array: Array, element: IntegerType) -> Array:
    """Return floats truncated to the integers that a type holds; NaN becomes 0."""
    width, is_unsigned = element.width.data, element.signedness.data is Signedness.UNSIGNED
    low, high = (0, 2**width - 1) if is_unsigned else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    # The largest 64-bit integers are not doubles: clip to the nearest double below.
    highest = np.nextafter(float(high), 0) if width == 64 else float(high)
    return np.asarray(np.trunc(np.clip(np.nan_to_num(array.astype(np.float64)), float(low), highest)))


@implements(stablehlo.BitcastConvertOp)
def bitcast_convert(op: Operation, operands: Sequence[Array]) -> Array:
    """Return the same bits as another type of the same width."""
    element = storage_element(tensor(op.results[0]).element_type)
    if isinstance(element, IntegerType) and 1 < element.width.data < 8:
        return narrowed(operands[0].view(np.uint8), element)
    return operands[0].view(numpy_dtype(element))
