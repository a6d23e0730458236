"""Comparisons of floats behind quantized values, in integers.

A comparison of functions of one quantized value is a truth value for each of its integers. Where these change at most
once, the integers are compared with a number; otherwise the truth values of 8-bit integers are listed. For two 8-bit
integers the number to compare the second one with is listed for each first one, as float32 compares all 65,536 pairs.
Pairs of 16-bit integers are compared by their real values, which float32 takes for equal within 2^-23 of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tosa.fixed_point.fixed import FixedPoint
from qconvert.backends.tosa.fixed_point.functions import between, constant_like, listed
from qconvert.backends.tosa.fixed_point.values import own_element, real_constant
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo import ComparisonDirection as Direction
from qconvert.expansion.comparison import compared
from qconvert.interpreter.core import dequantize, evaluate_op
from qconvert.ir import element_type, f32, i32, numpy_dtype, quantized_element, shape, tensor

Truth = NDArray[np.bool_]
_LOW, _NOWHERE = -128, 128


def compared_in_integers(op: Operation, of: FixedPoint) -> SSAValue | None:
    """Return a comparison of floats in integers; None for another op and for floats without such a form."""
    if not isinstance(op, stablehlo.CompareOp) or element_type(op.lhs) != f32:
        return None
    found = {of.source(value) for value in (op.lhs, op.rhs) if real_constant(value) is None}
    if len(found) == 1:
        return _of_one(op, found.pop(), of)
    leaves = [own_element(value) for value in (op.lhs, op.rhs)]
    widths = [leaf.storage.width for leaf in leaves if leaf is not None]
    if len(widths) < 2 or None in map(of.interval, (op.lhs, op.rhs)):
        return None
    return _of_pairs(op, of) if set(widths) == {8} else _of_two(op, of)


def _of_one(op: stablehlo.CompareOp, source: SSAValue, of: FixedPoint) -> SSAValue | None:
    """Return the comparison of functions of one quantized value; None if it changes often on 16-bit integers."""
    element = own_element(source)
    constants = [array for array in map(real_constant, op.operands) if array is not None]
    if element is None or any(not array.size or (array != array.flat[0]).any() for array in constants):
        return None
    truth = _truth(op, source)
    held, lower = _integers(source), of.lower
    changes = np.flatnonzero(truth[1:] != truth[:-1])
    wide = lower.add(tosa.CastOp(lower[held], i32))
    if len(changes) <= 1:
        last = (int(changes[0]) if len(changes) else len(truth)) - len(truth) // 2
        limit = lower.filled(last, wide)
        above = lower.add(tosa.GreaterOp(wide, limit))
        return lower.add(tosa.LogicalNotOp(above)) if truth[0] else above
    if element.storage.width != 8:
        return None
    entry = lower.add(tosa.CastOp(lower.looked_up(lower[held], truth.astype(np.int8)), i32))
    return lower.add(tosa.GreaterOp(entry, lower.filled(0, entry)))


def _integers(source: SSAValue) -> SSAValue:
    assert isinstance(source.owner, Operation)
    return source.owner.operands[0]


def _truth(op: stablehlo.CompareOp, source: SSAValue) -> Truth:
    """Return the truth value of each integer of a quantized value, from the lowest on."""
    reals = _reals(source).reshape(-1, *(1 for _ in shape(source)[1:]))
    found: dict[SSAValue, NDArray[Any]] = {source: reals}
    chain = [inner for value in op.operands for inner in between(value, source)]
    for inner in (*dict.fromkeys(chain), op):
        operands = [found[v] if v in found else constant_like(v, reals) for v in inner.operands]
        (found[inner.results[0]],) = evaluate_op(inner, operands)
    return np.asarray(found[op.result].reshape(-1), np.bool_)


def _reals(source: SSAValue) -> NDArray[Any]:
    """Return the float32 number of each integer of a dequantized value."""
    held = _integers(source)
    dtype = numpy_dtype(quantized_element(held))
    half = 1 << (8 * dtype.itemsize - 1)
    codes = np.arange(-half, half).astype(dtype).reshape(-1, *(1 for _ in shape(held)[1:]))
    return dequantize(codes, tensor(held)).reshape(-1)


def _of_two(op: stablehlo.CompareOp, of: FixedPoint) -> SSAValue:
    """Return the comparison of two quantized values on one scale."""
    scale = max(of.unit(op.lhs), of.unit(op.rhs))
    sides = [of.at(value, scale).value for value in (op.lhs, op.rhs)]
    return compared(of.lower, op.comparison_direction.data, *sides)


def _of_pairs(op: stablehlo.CompareOp, of: FixedPoint) -> SSAValue | None:
    """Return the comparison of the second of two 8-bit integers with a number that is listed for each first one.

    None if the truth values of a row of pairs change more than once, or twice where equality is asked for.
    """
    truth = np.asarray(evaluate_op(op, [_reals(op.lhs)[:, None], _reals(op.rhs)[None, :]])[0], np.bool_)
    wide, direction = of.lower.add(tosa.CastOp(of.lower[_integers(op.rhs)], i32)), op.comparison_direction.data
    if direction in (Direction.EQ, Direction.NE):
        equal = truth == (direction is Direction.EQ)
        if equal.sum(axis=1).max() > 1:
            return None
        places = np.where(equal.any(axis=1), equal.argmax(axis=1) + _LOW, _NOWHERE)
        return compared(of.lower, direction, wide, _listed(of, _integers(op.lhs), places))
    falls = direction in (Direction.GT, Direction.GE)
    ordered = truth[:, ::-1] if falls else truth
    if (ordered[:, 1:] < ordered[:, :-1]).any():
        return None
    counts = truth.sum(axis=1)
    places = counts + _LOW if falls else -_LOW - 1 - counts
    limits = _listed(of, _integers(op.lhs), places)
    return of.lower.add(tosa.GreaterOp(limits, wide) if falls else tosa.GreaterOp(wide, limits))


def _listed(of: FixedPoint, held: SSAValue, places: NDArray[Any]) -> SSAValue:
    return listed(of.lower, held, places.astype(np.int32))
