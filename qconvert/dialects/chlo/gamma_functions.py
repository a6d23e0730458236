"""The gamma function's logarithm and its derivatives, the Hurwitz zeta function, and a Bessel function.

Poles give what XLA gives: infinity for ``lgamma`` and for even powers of ``zeta``, NaN for ``digamma``.
"""

from __future__ import annotations

import math

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition

from qconvert.dialects.chlo.base import BinaryFunctionOp, UnaryFunctionOp
from qconvert.dialects.chlo.error_functions import is_double
from qconvert.dialects.composite.formula import Formula
from qconvert.dialects.stablehlo import (
    AbsOp,
    AddOp,
    AndOp,
    ComparisonDirection,
    CosineOp,
    DivideOp,
    ExponentialOp,
    FloorOp,
    LogOp,
    MultiplyOp,
    NegateOp,
    PowerOp,
    RemainderOp,
    SignOp,
    SineOp,
    SqrtOp,
    SubtractOp,
)
from qconvert.numerics import special_functions as table

_EQ, _GE, _GT, _LE, _LT, _NE = (
    ComparisonDirection.EQ,
    ComparisonDirection.GE,
    ComparisonDirection.GT,
    ComparisonDirection.LE,
    ComparisonDirection.LT,
    ComparisonDirection.NE,
)


def _is_pole(formula: Formula, x: SSAValue) -> SSAValue:
    """Return whether x is 0 or a negative integer."""
    whole = formula.compare(x, _EQ, formula(FloorOp, x))
    return formula(AndOp, formula.compare(x, _LE, 0.0), whole)


def log_gamma(formula: Formula, x: SSAValue) -> SSAValue:
    """Write ``log |gamma(x)|`` by Lanczos' sum, below 0.5 by Euler's reflection ``pi / (sin(pi x) gamma(1 - x))``."""
    z = formula.choose(x, _LT, 0.5, formula(NegateOp, x), formula(SubtractOp, x, 1.0))
    first, *others = table.LANCZOS
    total = formula(AddOp, formula(DivideOp, others[0], formula(AddOp, z, 1.0)), first)
    for i, coefficient in enumerate(others[1:], 2):
        total = formula(AddOp, total, formula(DivideOp, coefficient, formula(AddOp, z, float(i))))
    logarithm = formula(LogOp, formula(AddOp, z, table.LANCZOS_SHIFT))
    # (z + 1/2) log t - t, where t is z + 1/2 + 7
    power = formula(MultiplyOp, formula(AddOp, z, 0.5), formula(SubtractOp, logarithm, 1.0))
    rest = formula(AddOp, formula(LogOp, total), 0.5 * math.log(2 * math.pi) + 0.5 - table.LANCZOS_SHIFT)
    found = formula(AddOp, power, rest)
    size = formula(AbsOp, x)
    part = formula(SubtractOp, size, formula(FloorOp, size))
    part = formula.choose(part, _GT, 0.5, formula(SubtractOp, 1.0, part), part)
    sine = formula(SineOp, formula(MultiplyOp, part, math.pi))
    reflected = formula(SubtractOp, formula(SubtractOp, math.log(math.pi), formula(LogOp, sine)), found)
    found = formula.choose(x, _LT, 0.5, reflected, found)
    return formula.choose(size, _EQ, math.inf, math.inf, found)


@irdl_op_definition
class LgammaOp(UnaryFunctionOp):
    """``log |gamma(x)|``."""

    name = "chlo.lgamma"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write by Lanczos' sum."""
        return log_gamma(formula, operands[0])


def digamma(formula: Formula, x: SSAValue) -> SSAValue:
    """Write the derivative of ``log gamma(x)`` by its asymptotic series (DLMF 5.11.2).

    Smaller arguments are moved to where the series holds by ``digamma(x + 1) = digamma(x) + 1 / x``; below 0.5 the
    reflection ``digamma(1 - x) - pi / tan(pi x)`` is used.
    """
    steps, terms = (12, 8) if is_double(x) else (6, 4)
    y = formula.choose(x, _LT, 0.5, formula(SubtractOp, 1.0, x), x)
    moved = formula(DivideOp, 1.0, y)
    for i in range(1, steps):
        moved = formula(AddOp, moved, formula(DivideOp, 1.0, formula(AddOp, y, float(i))))
    moved = formula.choose(y, _LT, float(steps), moved, 0.0)
    y = formula.choose(y, _LT, float(steps), formula(AddOp, y, float(steps)), y)
    inverse = formula(DivideOp, 1.0, formula(MultiplyOp, y, y))
    series = formula(MultiplyOp, inverse, formula.polynomial(table.DIGAMMA_SERIES[:terms], inverse))
    found = formula(SubtractOp, formula(LogOp, y), formula(DivideOp, 0.5, y))
    found = formula(SubtractOp, formula(SubtractOp, found, series), moved)
    nearest = formula(FloorOp, formula(AddOp, x, 0.5))
    angle = formula(MultiplyOp, formula(SubtractOp, x, nearest), math.pi)
    cotangent = formula(DivideOp, formula(MultiplyOp, formula(CosineOp, angle), math.pi), formula(SineOp, angle))
    found = formula.choose(x, _LT, 0.5, formula(SubtractOp, found, cotangent), found)
    return formula.select(_is_pole(formula, x), math.nan, found)


@irdl_op_definition
class DigammaOp(UnaryFunctionOp):
    """The derivative of ``log gamma(x)``."""

    name = "chlo.digamma"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write by the asymptotic series."""
        return digamma(formula, operands[0])


def hurwitz_zeta(formula: Formula, s: SSAValue, q: SSAValue) -> SSAValue:
    """Write ``sum (q + n)^-s`` by the Euler-Maclaurin formula (DLMF 25.11.5)."""
    power = formula(NegateOp, s)
    total = formula(PowerOp, q, power)
    for i in range(1, 10):
        total = formula(AddOp, total, formula(PowerOp, formula(AddOp, q, float(i)), power))
    a = formula(AddOp, q, 10.0)
    last = formula(PowerOp, a, power)
    tail = formula(DivideOp, formula(MultiplyOp, last, a), formula(SubtractOp, s, 1.0))
    inverse = formula(DivideOp, 1.0, a)
    factor = formula(MultiplyOp, s, inverse)
    series = formula(MultiplyOp, factor, table.ZETA_SERIES[0])
    for j, coefficient in enumerate(table.ZETA_SERIES[1:], 1):
        for step in (2 * j - 1, 2 * j):
            factor = formula(MultiplyOp, factor, formula(MultiplyOp, formula(AddOp, s, float(step)), inverse))
        series = formula(AddOp, series, formula(MultiplyOp, factor, coefficient))
    ending = formula(MultiplyOp, last, formula(AddOp, series, 0.5))
    found = formula(AddOp, formula(AddOp, total, tail), ending)
    whole = formula.compare(s, _EQ, formula(FloorOp, s))
    below = formula.compare(q, _LE, 0.0)
    found = formula.select(below, formula.select(whole, found, math.nan), found)
    even = formula.compare(formula(RemainderOp, s, 2.0), _EQ, 0.0)
    pole = formula.select(formula(AndOp, whole, even), math.inf, math.nan)
    found = formula.select(_is_pole(formula, q), pole, found)
    found = formula.choose(s, _LT, 1.0, math.nan, found)
    return formula.choose(s, _EQ, 1.0, math.inf, found)


@irdl_op_definition
class ZetaOp(BinaryFunctionOp):
    """The Hurwitz zeta function of a power and an offset."""

    name = "chlo.zeta"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write by the Euler-Maclaurin formula."""
        power, offset = operands
        return hurwitz_zeta(formula, power, offset)


@irdl_op_definition
class PolygammaOp(BinaryFunctionOp):
    """The derivative of order ``lhs`` of ``digamma``."""

    name = "chlo.polygamma"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write as ``(-1)^(n + 1) n! zeta(n + 1, x)``; NaN for a negative or broken order."""
        n, x = operands
        order = formula(AddOp, n, 1.0)
        size = formula(MultiplyOp, formula(ExponentialOp, log_gamma(formula, order)), hurwitz_zeta(formula, order, x))
        even = formula.compare(formula(RemainderOp, n, 2.0), _EQ, 0.0)
        found = formula.select(even, formula(NegateOp, size), size)
        found = formula.choose(n, _EQ, 0.0, digamma(formula, x), found)
        broken = formula.compare(n, _NE, formula(FloorOp, n))
        return formula.choose(n, _LT, 0.0, math.nan, formula.select(broken, math.nan, found))


@irdl_op_definition
class BesselI1eOp(UnaryFunctionOp):
    """``exp(-|x|) I1(x)``, the modified Bessel function of order 1 scaled."""

    name = "chlo.bessel_i1e"

    def written(self, formula: Formula, *operands: SSAValue) -> SSAValue:
        """Write by two fits, one up to 8."""
        (x,) = operands
        is_wide = is_double(x)
        size = formula(AbsOp, x)
        small = formula.clamp(0.0, size, 8.0)
        place = formula(SubtractOp, formula(MultiplyOp, small, 0.25), 1.0)
        fit = formula.chebyshev(table.BESSEL_I1E_NEAR_F64 if is_wide else table.BESSEL_I1E_NEAR_F32, place)
        large = formula(SubtractOp, formula(DivideOp, 16.0, formula.choose(size, _GE, 8.0, size, 8.0)), 1.0)
        far = formula.chebyshev(table.BESSEL_I1E_FAR_F64 if is_wide else table.BESSEL_I1E_FAR_F32, large)
        far = formula(MultiplyOp, formula(SignOp, x), formula(DivideOp, far, formula(SqrtOp, size)))
        return formula.choose(size, _GT, 8.0, far, formula(MultiplyOp, x, fit))
