"""Error bounds of elementwise ops with two operands of up to 16 bits, which have too many inputs to try.

``A`` and ``B`` are the operands' integers less their zero points, ``s`` their scales, ``t`` the result's scale, all of
them float32 numbers. ``r`` is the real result in LSB, ``(A * s_A + B * s_B) / t`` or ``A * B * s_A * s_B / t``. All
errors below are in LSB of the result.

TOSA: the operands of a sum are rescaled to the scale ``c = 2 * max(s) / 2^14``. A multiplier in [2^30, 2^31) has a
relative error of at most 2^-31. The operand of the larger scale is multiplied by 2^13 exactly. The other one is at
most 2^29 on that scale: its error is at most 1/2 from its rounding and 1/4 from its multiplier, times ``c / t``. A
product ``A * B`` of more than 31 bits is shifted right by ``k`` bits, with an error of at most
``1/2 * 2^k * s_A * s_B / t``. The last multiplier adds ``2^-31 * |r|``.

Reference: float32 rounds with a relative error of at most ``u = 2^-24``. Dequantize rounds ``A * s_A`` and ``B * s_B``,
the op and the division by ``t`` round once each. A sum has an error of at most
``u * (|A| s_A + |B| s_B) / t + 2u * |r|``, a product one of ``4u * |r|``. StableHLO adds the zero point before it
rounds, with an error of at most ``u * (|r| + |zero point|)``. A factor of 1.001 covers the products of errors.

Both round to the nearest integer. The integers differ only if ``r`` is closer to a tie than the sum of the errors, and
by 1 LSB if this sum is below 1/2. ``|r|`` is limited by the result's integers: beyond them both saturate.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from qconvert.backends.tosa.elementwise import HEADROOM, product_error
from qconvert.dialects import stablehlo
from qconvert.dialects.traits import KeepsMultiples
from qconvert.ir import UniformQuantizedType, element_type, f32
from qconvert.rewriting import common_scale, magnitude, rounds_as_stablehlo, spare_bits_in_tosa

_UNIT = 2.0**-24
_MULTIPLIER = 2.0**-31
_PRODUCTS_OF_ERRORS = 1.001


def error_bound(op: Operation) -> float | None:
    """Return the largest distance from a tie, in LSB, at which TOSA's integers of an op may differ from its reference.

    Return None for an op that is no sum, product or extremum of float32 values with one scale each and up to 16 bits.
    """
    elements = [element_type(value) for value in (*op.operands, *op.results)]
    known = [part for part in elements if isinstance(part, UniformQuantizedType) and _is_bounded(part)]
    is_product, is_sum = isinstance(op, stablehlo.MultiplyOp), op.has_trait(KeepsMultiples)
    if not isinstance(op, stablehlo.BinaryOp) or not (is_product or is_sum) or len(known) < len(elements):
        return None
    *operands, result = known
    largest = magnitude(result) + 1.0
    integers = product_error(operands, result) if is_product else _sum_error(operands, result)
    floats = 4 * largest
    if is_sum:
        floats = 2 * largest + sum(magnitude(part) * part.scale for part in operands) / result.scale
    if rounds_as_stablehlo(op, result):
        floats += largest + abs(result.zero_point)
    return _PRODUCTS_OF_ERRORS * (integers + _MULTIPLIER * largest + _UNIT * floats)


def _is_bounded(element: UniformQuantizedType) -> bool:
    return element.is_per_tensor and element.storage.width <= 16 and element.expressed_type == f32


def _sum_error(operands: Sequence[UniformQuantizedType], result: UniformQuantizedType) -> float:
    """Return the error of the operand with the smaller scale on the common scale; 0 if the scales are equal."""
    if len({operand.scale for operand in operands}) == 1:
        return 0.0
    return 0.75 * common_scale(operands, spare_bits_in_tosa(operands), headroom=HEADROOM) / result.scale
