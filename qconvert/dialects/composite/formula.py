"""Float formulas as ops, for decompositions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder

Term: TypeAlias = SSAValue | float


class Formula(NamedTuple):
    """Float arithmetic on tensors of the type of ``like``; a number becomes a splat of that type."""

    build: OpBuilder
    like: SSAValue

    def __call__(self, kind: Callable[..., Operation], *terms: Term) -> SSAValue:
        """Emit one elementwise op of the given class."""
        return self.build.add(kind(*map(self._value, terms)))

    def _value(self, term: Term) -> SSAValue:
        return term if isinstance(term, SSAValue) else self.build.filled_like(term, self.like)

    def choose(
        self, value: SSAValue, direction: stablehlo.ComparisonDirection, bound: float, then: Term, otherwise: Term
    ) -> SSAValue:
        """Return ``then`` where ``value`` compares in ``direction`` with ``bound``, else ``otherwise``."""
        return self.select(self.compare(value, direction, bound), then, otherwise)

    def compare(self, value: SSAValue, direction: stablehlo.ComparisonDirection, bound: Term) -> SSAValue:
        """Return the booleans of a comparison."""
        return self.build.add(stablehlo.CompareOp(value, self._value(bound), direction))

    def select(self, holds: SSAValue, then: Term, otherwise: Term) -> SSAValue:
        """Return ``then`` where a boolean holds, else ``otherwise``."""
        return self.build.add(stablehlo.SelectOp(holds, self._value(then), self._value(otherwise)))

    def clamp(self, low: float, value: SSAValue, high: float) -> SSAValue:
        """Clamp ``value`` between two numbers."""
        return self.build.add(stablehlo.ClampOp(self._value(low), value, self._value(high)))

    def polynomial(self, coefficients: Sequence[float], value: SSAValue) -> SSAValue:
        """Return the polynomial with ascending coefficients, by Horner's rule."""
        total: Term = coefficients[-1]
        for coefficient in reversed(coefficients[:-1]):
            total = self(stablehlo.AddOp, self(stablehlo.MultiplyOp, total, value), coefficient)
        return self._value(total)

    def chebyshev(self, coefficients: Sequence[float], value: SSAValue) -> SSAValue:
        """Return the sum of Chebyshev polynomials with these coefficients, by Clenshaw's recurrence, on [-1, 1]."""
        twice = self(stablehlo.AddOp, value, value)
        last: Term = 0.0
        total: Term = coefficients[-1]
        for coefficient in reversed(coefficients[1:-1]):
            product = self(stablehlo.MultiplyOp, twice, total)
            last, total = total, self(stablehlo.AddOp, self(stablehlo.SubtractOp, product, last), coefficient)
        product = self(stablehlo.MultiplyOp, value, total)
        return self(stablehlo.AddOp, self(stablehlo.SubtractOp, product, last), coefficients[0])
