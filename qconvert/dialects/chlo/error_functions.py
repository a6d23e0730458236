"""The error function, its complement and its inverse.

In float32 ``erf`` is qconvert's composite, which stays whole for targets that have the function.
"""

from __future__ import annotations

import math

from xdsl.dialects.builtin import Float64Type
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition

from qconvert.dialects import composite
from qconvert.dialects.chlo.base import UnaryFunctionOp
from qconvert.dialects.composite.formula import Formula
from qconvert.dialects.stablehlo import (
    AbsOp,
    AddOp,
    ComparisonDirection,
    DivideOp,
    ExponentialOp,
    LogOp,
    LogPlusOneOp,
    MultiplyOp,
    NegateOp,
    RoundNearestEvenOp,
    SignOp,
    SqrtOp,
    SubtractOp,
)
from qconvert.ir import element_type
from qconvert.numerics import ERF_F64_NEAR
from qconvert.numerics import special_functions as table

_GRID = 16.0
"""x rounded to 1 / 16 has an exact square in float32 up to 256."""


def is_double(value: SSAValue) -> bool:
    """Return whether a value has elements of 64 bits."""
    return isinstance(element_type(value), Float64Type)


def complement(formula: Formula, size: SSAValue) -> SSAValue:
    """Write ``erfc`` of numbers from 0 on, with a small relative error also where it is tiny.

    ``exp(-x^2)`` is the product of ``exp(-h^2)``, whose square is exact, and of the rest ``exp((h - x) (h + x))``.
    """
    is_wide = is_double(size)
    limit, centre = table.ERFC_F64_RANGE if is_wide else table.ERFC_F32_RANGE
    x = formula.clamp(0.0, size, limit)
    place = formula(MultiplyOp, formula(DivideOp, x, formula(AddOp, x, centre)), 2 * (limit + centre) / limit)
    smooth = formula.chebyshev(table.ERFC_F64 if is_wide else table.ERFC_F32, formula(SubtractOp, place, 1.0))
    near = formula(MultiplyOp, formula(RoundNearestEvenOp, formula(MultiplyOp, x, _GRID)), 1 / _GRID)
    main = formula(ExponentialOp, formula(NegateOp, formula(MultiplyOp, near, near)))
    rest = formula(MultiplyOp, formula(SubtractOp, near, x), formula(AddOp, near, x))
    power = formula(MultiplyOp, main, formula(ExponentialOp, rest))
    return formula(MultiplyOp, power, formula(DivideOp, smooth, formula(AddOp, formula(AddOp, x, x), 1.0)))


def error_function(formula: Formula, x: SSAValue) -> SSAValue:
    """Write ``erf``: in float32 the composite, in float64 a polynomial below 1 and the complement from there on."""
    if not is_double(x):
        return formula(composite.ErfOp, x)
    size, square = formula(AbsOp, x), formula(MultiplyOp, x, x)
    near = formula(AddOp, x, formula(MultiplyOp, x, formula.polynomial(ERF_F64_NEAR, square)))
    far = formula(MultiplyOp, formula(SignOp, x), formula(SubtractOp, 1.0, complement(formula, size)))
    return formula.choose(size, ComparisonDirection.LT, 1.0, near, far)


@irdl_op_definition
class ErfOp(UnaryFunctionOp):
    """The Gauss error function."""

    name = "chlo.erf"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write the error function."""
        return error_function(formula, operands[0])


@irdl_op_definition
class ErfcOp(UnaryFunctionOp):
    """``1 - erf(x)``."""

    name = "chlo.erfc"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write with the complement of |x|."""
        (x,) = operands
        found = complement(formula, formula(AbsOp, x))
        return formula.choose(x, ComparisonDirection.LT, 0.0, formula(SubtractOp, 2.0, found), found)


@irdl_op_definition
class ErfInvOp(UnaryFunctionOp):
    """The inverse of the error function; infinite at -1 and 1."""

    name = "chlo.erf_inv"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write with two fits over ``-log(1 - x^2)``; in float64 a step of Halley's method follows."""
        (x,) = operands
        size = formula(AbsOp, x)
        found = self._start(formula, size)
        if is_double(x):
            found = self._improved(formula, size, found)
        bounded = formula.choose(size, ComparisonDirection.EQ, 1.0, math.inf, found)
        signed = formula(MultiplyOp, formula(SignOp, x), bounded)
        return formula.choose(size, ComparisonDirection.GT, 1.0, math.nan, signed)

    @staticmethod
    def _start(formula: Formula, size: SSAValue) -> SSAValue:
        """Return the inverse within 3e-8 of its size."""
        product = formula(MultiplyOp, formula(SubtractOp, 1.0, size), formula(AddOp, 1.0, size))
        w = formula(NegateOp, formula(LogPlusOneOp, formula(NegateOp, formula(MultiplyOp, size, size))))
        w = formula.choose(size, ComparisonDirection.LT, 0.5, w, formula(NegateOp, formula(LogOp, product)))
        w = formula.clamp(0.0, w, table.ERF_INV_LIMIT)
        split, limit = math.sqrt(table.ERF_INV_SPLIT), math.sqrt(table.ERF_INV_LIMIT)
        place = formula(SubtractOp, formula(MultiplyOp, w, 2 / table.ERF_INV_SPLIT), 1.0)
        near = formula.chebyshev(table.ERF_INV_NEAR, place)
        past = formula(SubtractOp, formula(SqrtOp, w), split)
        place = formula(SubtractOp, formula(MultiplyOp, past, 2 / (limit - split)), 1.0)
        far = formula.chebyshev(table.ERF_INV_FAR, place)
        return formula(MultiplyOp, size, formula.choose(w, ComparisonDirection.LT, table.ERF_INV_SPLIT, near, far))

    @staticmethod
    def _improved(formula: Formula, size: SSAValue, y: SSAValue) -> SSAValue:
        """Return the inverse after a step of Halley's method: ``y - r / (1 + y r)``, ``r = (erf(y) - x) / erf'(y)``.

        From 0.5 on the difference is that of the complements, where ``1 - x`` is exact.
        """
        low = formula(SubtractOp, error_function(formula, y), size)
        high = formula(SubtractOp, formula(SubtractOp, 1.0, size), complement(formula, y))
        difference = formula.choose(size, ComparisonDirection.LT, 0.5, low, high)
        slope = formula(
            MultiplyOp, formula(ExponentialOp, formula(NegateOp, formula(MultiplyOp, y, y))), 2 / math.sqrt(math.pi)
        )
        ratio = formula(DivideOp, difference, slope)
        step = formula(DivideOp, ratio, formula(AddOp, formula(MultiplyOp, y, ratio), 1.0))
        return formula(SubtractOp, y, step)
