"""``legalize-quant-to-math``: quantized types become plain integers and floats; one file for each op family.

A rule takes one op and its operands, which are storage integers by then where the op's own are quantized, and builds
what gives the same storage integers as our interpreter makes of the op, bit by bit. Integers are computed in where that
can be said to give the same: contractions, sums of one scale, products that were tried out, requantizations that only
move zero points; all else is dequantize, float op, quantize.
"""

from __future__ import annotations

from qconvert.passes.rescaling.legalize_quant_to_math.driver import NO_QUANTIZED_TYPES, LegalizeQuantToMath

__all__ = ["NO_QUANTIZED_TYPES", "LegalizeQuantToMath"]
