"""The ``check`` ops, and the custom calls that stand for them; a wrong value ends the evaluation.

Source: StableHLO, tests/CheckOps.td; a float custom call ``@check.eq`` allows 1e-4, as StableHLO's interpreter does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from qconvert.dialects import check
from qconvert.interpreter.implementation import Array, implements
from qconvert.ir import place
from qconvert.support.errors import CheckFailedError

Agrees: TypeAlias = Callable[[Array, Array], NDArray[np.bool_]]


@implements(check.ExpectEqOp)
def expect_eq(op: check.ExpectEqOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Check that two values are equal."""
    return require(op, op.name, operands[0], operands[1], equal)


@implements(check.ExpectEqConstOp)
def expect_eq_const(op: check.ExpectEqConstOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Check that a value equals a constant."""
    return require(op, op.name, operands[0], op.value.array, equal)


@implements(check.ExpectAlmostEqOp)
def expect_almost_eq(op: check.ExpectAlmostEqOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Check that two values differ by at most the tolerance."""
    return require(op, op.name, operands[0], operands[1], within(op.largest_difference))


@implements(check.ExpectAlmostEqConstOp)
def expect_almost_eq_const(op: check.ExpectAlmostEqConstOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Check that a value differs from a constant by at most the tolerance."""
    return require(op, op.name, operands[0], op.value.array, within(op.largest_difference))


@implements(check.ExpectCloseOp)
def expect_close(op: check.ExpectCloseOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Check that the number of floats between two values is in the allowed range."""
    low = 0 if op.min_ulp_difference is None else op.min_ulp_difference.value.data
    return require(op, op.name, operands[0], operands[1], ulps(low, op.max_ulp_difference.value.data))


def equal(actual: Array, expected: Array) -> NDArray[np.bool_]:
    """Return True where elements are equal; NaN is equal to NaN."""
    both_nan = np.not_equal(actual, actual) & np.not_equal(expected, expected)  # only NaN differs from itself
    return np.asarray((actual == expected) | both_nan)


def within(tolerance: float) -> Agrees:
    """Return a check that elements differ by at most ``tolerance``; elements that are not finite must be equal."""

    def agrees(actual: Array, expected: Array) -> NDArray[np.bool_]:
        apart = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
        return np.asarray(equal(actual, expected) | (apart <= tolerance))

    return agrees


def ulps(low: int, high: int) -> Agrees:
    """Return a check that elements are ``low`` to ``high`` floats apart; elements that are not finite must be equal."""

    def agrees(actual: Array, expected: Array) -> NDArray[np.bool_]:
        apart = np.abs(_ordered(actual) - _ordered(expected))
        finite = np.isfinite(actual.astype(np.float64)) & np.isfinite(expected.astype(np.float64))
        return np.asarray(np.where(finite, (low <= apart) & (apart <= high), equal(actual, expected)))

    return agrees


def _ordered(array: Array) -> NDArray[np.float64 | np.int64]:
    """Return the positions of floats in their order; both zeros have position 0."""
    bits = array.view(np.dtype(f"i{array.itemsize}")).astype(np.int64)
    lowest = np.int64(-1) << (8 * array.itemsize - 1)
    return np.asarray(np.where(bits < 0, lowest - bits, bits))


def _by_part(agrees: Agrees, actual: Array, expected: Array) -> NDArray[np.bool_]:
    """Return True where elements agree, both parts of complex numbers."""
    if actual.dtype.kind != "c":
        return agrees(actual, expected)
    return agrees(actual.real, expected.real) & agrees(actual.imag, expected.imag)


def require(op: Operation, what: str, actual: Array, expected: Array, agrees: Agrees) -> tuple[Array, ...]:
    """Return no results.

    Raises CheckFailedError with the number of wrong elements and the first of them.
    """
    wrong = ~np.asarray(_by_part(agrees, actual, expected))
    if not wrong.any():
        return ()
    index = np.unravel_index(int(wrong.argmax()), wrong.shape)
    first = f"[{', '.join(str(int(i)) for i in index)}]"
    found = f"{int(wrong.sum())} of {wrong.size} elements differ, first at {first}: "
    raise CheckFailedError(f"{found}{actual[index]}, expected {expected[index]}", op=what, file=place(op))
