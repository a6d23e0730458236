"""The order in which an op that quantizes rounds and adds the zero point.

StableHLO adds the zero point to the quotient and rounds the sum. ONNX rounds the quotient and adds the zero point. The
two orders differ on exact ties if the zero point is odd, and agree if it is 0.
"""

from __future__ import annotations

from xdsl.ir import Operation

from qconvert.ir import ArithmeticFamily, UniformQuantizedType, family


def rounds_as_onnx(op: Operation, element: UniformQuantizedType | None) -> bool:
    """Return whether an op rounds to a type before it adds the zero point, and that can make a difference."""
    return element is not None and not element.has_zero_zero_point and family(op) is ArithmeticFamily.ONNX


def rounds_as_stablehlo(op: Operation, element: UniformQuantizedType) -> bool:
    """Return whether an op adds the zero point of a type before it rounds, and that can make a difference."""
    return not element.has_zero_zero_point and family(op) is ArithmeticFamily.STABLEHLO
