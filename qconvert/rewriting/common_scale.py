"""Operands of several scales on one scale in 32 bits, with spare bits for their fractions.

Two numbers of spare bits are in use. A sum of two 8-bit operands fits 32 bits with 20 spare bits in both.

* StableHLO's own pass and TOSA's guide keep 15 bits of a 16-bit operand, which its zero point may reduce
  (:func:`spare_bits`). ``quant-legalize-to-tosa-rescale`` follows them, so that its text equals theirs.
* The TOSA backend keeps 14 bits (:func:`spare_bits_in_tosa`): a sum of two 16-bit operands fits 32 bits with any zero
  point.
"""

from __future__ import annotations

from collections.abc import Sequence

from qconvert.ir.quant import UniformQuantizedType
from qconvert.rewriting.accumulation import magnitude
from qconvert.support.errors import ConversionError

_BITS_8, _BITS_16, _BITS_16_IN_TOSA = 20, 15, 14
_ZERO_POINT_BITS = 2


def spare_bits(elements: Sequence[UniformQuantizedType]) -> int:
    """Return the left shift of operands in the guide; a 16-bit zero point costs two bits."""
    if all(element.storage.width <= 8 for element in elements):
        return _BITS_8
    return _BITS_16 - _ZERO_POINT_BITS * any(magnitude(element) > 1 << 15 for element in elements)


def spare_bits_in_tosa(elements: Sequence[UniformQuantizedType]) -> int:
    """Return the left shift of operands in the TOSA backend.

    Raises ConversionError for operands wider than 16 bits.
    """
    widest = max(element.storage.width for element in elements)
    if widest > 16:
        raise ConversionError(f"operands of {widest} bits leave no bits for a common scale")
    return _BITS_8 if widest <= 8 else _BITS_16_IN_TOSA


def common_scale(elements: Sequence[UniformQuantizedType], bits: int, *, headroom: float = 1.0) -> float:
    """Return the scale on which operands, shifted left by ``bits``, meet: ``headroom`` times their largest scale."""
    return headroom * max(element.scale for element in elements) / (1 << bits)
