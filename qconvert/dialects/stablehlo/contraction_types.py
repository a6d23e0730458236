"""Which element types go together in a convolution or matrix product.

Source: StableHLO's specification, constraints of ``convolution`` and ``dot_general``, and its RFC on hybrid quantized
ops, which proposed those on quantized operands; numbers that differ between the two are given as ``C18, RFC C17``.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.dialects.stablehlo.base import check_expressed
from qconvert.ir.types import element_type, expressed, quantized


@dataclass(frozen=True)
class _Constraints:
    """The constraint on element types, by what is quantized: nothing, both operands, the right-hand side alone."""

    plain: str
    quantized: str
    hybrid: str

    def number(self, lhs: SSAValue, rhs: SSAValue) -> str:
        """The constraint that holds for two operands."""
        if quantized(rhs) is None:
            return self.plain
        return self.hybrid if quantized(lhs) is None else self.quantized


_CONSTRAINTS = {
    "stablehlo.convolution": _Constraints("C27", "C32", "C34"),
    "stablehlo.dot_general": _Constraints("C13", "C18, RFC C17", "C20, RFC C18"),
}


def check_contraction(name: str, lhs: SSAValue, rhs: SSAValue, result: SSAValue) -> None:
    """Check that operands and result stand for values of one type; integers may accumulate in wider ones.

    Raises VerifyException naming the constraint.
    """
    values = (lhs, rhs, result)
    if not isinstance(expressed(element_type(lhs)), IntegerType) or quantized(rhs) is not None:
        number = _CONSTRAINTS[name].number(lhs, rhs)
        check_expressed(f"{name.removeprefix('stablehlo.')} ({number})", values)
