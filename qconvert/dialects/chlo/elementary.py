"""Trigonometric and hyperbolic functions and their inverses, the square, the conjugate, and tests for infinities.

Each is written in functions that StableHLO has, in a form that keeps the relative error near a zero of the function:
``tests/dialects/test_chlo.py`` has the largest errors in units of the last place.
"""

from __future__ import annotations

import math

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition

from qconvert.dialects import stablehlo
from qconvert.dialects.chlo.base import UnaryFunctionOp
from qconvert.dialects.composite.formula import Formula
from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo import (
    AbsOp,
    AddOp,
    Atan2Op,
    ComparisonDirection,
    DivideOp,
    ExponentialMinusOneOp,
    ExponentialOp,
    LogOp,
    LogPlusOneOp,
    MultiplyOp,
    SignOp,
    SqrtOp,
    SubtractOp,
)
from qconvert.ir import element_type, i1

_LARGE = 2.0**28
"""From here on ``sqrt(x^2 + 1)`` and ``sqrt(x^2 - 1)`` are x in float64, and x^2 does not overflow below in float32."""

_GROWN = 20.0
"""From here on ``exp(-x)`` is too small to change ``exp(x)`` in float64."""


@irdl_op_definition
class AsinOp(UnaryFunctionOp):
    """``2 atan2(x, 1 + sqrt(1 - x^2))``."""

    name = "chlo.asin"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write with 1 - x^2 as a product, which does not cancel."""
        (x,) = operands
        product = formula(MultiplyOp, formula(SubtractOp, 1.0, x), formula(AddOp, 1.0, x))
        half = formula(Atan2Op, x, formula(AddOp, 1.0, formula(SqrtOp, product)))
        return formula(AddOp, half, half)


@irdl_op_definition
class AcosOp(UnaryFunctionOp):
    """``2 atan2(sqrt(1 - x), sqrt(1 + x))``."""

    name = "chlo.acos"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write with both roots exact to half a unit of the last place."""
        (x,) = operands
        roots = [formula(SqrtOp, formula(kind, 1.0, x)) for kind in (SubtractOp, AddOp)]
        half = formula(Atan2Op, *roots)
        return formula(AddOp, half, half)


@irdl_op_definition
class AtanOp(UnaryFunctionOp):
    """``atan2(x, 1)``."""

    name = "chlo.atan"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write with ``atan2``."""
        return formula(Atan2Op, operands[0], 1.0)


@irdl_op_definition
class TanOp(UnaryFunctionOp):
    """The tangent."""

    name = "chlo.tan"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write with StableHLO's own op."""
        return formula(stablehlo.TanOp, operands[0])


def _half_exponential(formula: Formula, size: SSAValue) -> SSAValue:
    """Write ``exp(size) / 2`` without overflow where the result is finite, from the square of ``exp(size / 2)``."""
    root = formula(ExponentialOp, formula(MultiplyOp, size, 0.5))
    return formula(MultiplyOp, formula(MultiplyOp, root, 0.5), root)


@irdl_op_definition
class SinhOp(UnaryFunctionOp):
    """``(exp(x) - exp(-x)) / 2``."""

    name = "chlo.sinh"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write with ``e = exp(|x|) - 1`` as ``(e + e / (e + 1)) / 2``; a large argument has the exponential alone."""
        (x,) = operands
        size = formula(AbsOp, x)
        less = formula(ExponentialMinusOneOp, size)
        near = formula(MultiplyOp, formula(AddOp, less, formula(DivideOp, less, formula(AddOp, less, 1.0))), 0.5)
        far = _half_exponential(formula, size)
        return formula(MultiplyOp, formula(SignOp, x), formula.choose(size, ComparisonDirection.LT, _GROWN, near, far))


@irdl_op_definition
class CoshOp(UnaryFunctionOp):
    """``(exp(x) + exp(-x)) / 2``."""

    name = "chlo.cosh"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write with one exponential and its reciprocal; a large argument has the exponential alone."""
        size = formula(AbsOp, operands[0])
        grown = formula(ExponentialOp, size)
        near = formula(MultiplyOp, formula(AddOp, grown, formula(DivideOp, 1.0, grown)), 0.5)
        return formula.choose(size, ComparisonDirection.LT, _GROWN, near, _half_exponential(formula, size))


@irdl_op_definition
class AsinhOp(UnaryFunctionOp):
    """``sign(x) log(|x| + sqrt(x^2 + 1))``."""

    name = "chlo.asinh"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write as ``log1p(a + a^2 / (1 + sqrt(a^2 + 1)))`` of ``a = |x|``; a large argument as ``log(a) + log(2)``."""
        (x,) = operands
        size = formula(AbsOp, x)
        square = formula(MultiplyOp, size, size)
        root = formula(AddOp, 1.0, formula(SqrtOp, formula(AddOp, square, 1.0)))
        near = formula(LogPlusOneOp, formula(AddOp, size, formula(DivideOp, square, root)))
        far = formula(AddOp, formula(LogOp, size), math.log(2))
        return formula(MultiplyOp, formula(SignOp, x), formula.choose(size, ComparisonDirection.LT, _LARGE, near, far))


@irdl_op_definition
class AcoshOp(UnaryFunctionOp):
    """``log(x + sqrt(x^2 - 1))``; NaN below 1."""

    name = "chlo.acosh"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write as ``log1p(t + sqrt(t (t + 2)))`` of ``t = x - 1``; a large argument as ``log(x) + log(2)``."""
        (x,) = operands
        above = formula(SubtractOp, x, 1.0)
        root = formula(SqrtOp, formula(MultiplyOp, above, formula(AddOp, above, 2.0)))
        near = formula(LogPlusOneOp, formula(AddOp, above, root))
        far = formula(AddOp, formula(LogOp, x), math.log(2))
        return formula.choose(x, ComparisonDirection.LT, _LARGE, near, far)


@irdl_op_definition
class AtanhOp(UnaryFunctionOp):
    """``(log1p(x) - log1p(-x)) / 2``."""

    name = "chlo.atanh"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write with two logarithms, whose signs differ."""
        (x,) = operands
        below = formula(LogPlusOneOp, formula(MultiplyOp, x, -1.0))
        return formula(MultiplyOp, formula(SubtractOp, formula(LogPlusOneOp, x), below), 0.5)


@irdl_op_definition
class SquareOp(UnaryFunctionOp):
    """``x * x``."""

    name = "chlo.square"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write as a product."""
        (x,) = operands
        return formula(MultiplyOp, x, x)


@irdl_op_definition
class ConjOp(UnaryFunctionOp):
    """The complex conjugate; a real number is its own."""

    name = "chlo.conj"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Return the real operand."""
        del formula
        return operands[0]


class InfinityTestOp(UnaryFunctionOp):
    """The base of tests for infinities, with booleans as results."""

    def __init__(self, operand: SSAValue) -> None:
        super().__init__(operand, i1)

    def verify_elements(self) -> None:
        """Check that the result has booleans."""
        check(element_type(self.result) == i1, self.name, "a result of type {}", self.result.type)


@irdl_op_definition
class IsInfOp(InfinityTestOp):
    """``|x| == inf``."""

    name = "chlo.is_inf"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Compare the absolute value."""
        return formula.compare(formula(AbsOp, operands[0]), ComparisonDirection.EQ, math.inf)


@irdl_op_definition
class IsPosInfOp(InfinityTestOp):
    """``x == inf``."""

    name = "chlo.is_pos_inf"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Compare with infinity."""
        return formula.compare(operands[0], ComparisonDirection.EQ, math.inf)


@irdl_op_definition
class IsNegInfOp(InfinityTestOp):
    """``x == -inf``."""

    name = "chlo.is_neg_inf"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Compare with negative infinity."""
        return formula.compare(operands[0], ComparisonDirection.EQ, -math.inf)
