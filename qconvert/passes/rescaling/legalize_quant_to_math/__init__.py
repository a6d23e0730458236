"""``legalize-quant-to-math``: quantized types become plain integers and floats; one file for each op family.

A rule takes one op and its operands, as storage integers if they are quantized. It builds ops that give the same
storage integers as our interpreter, bit by bit. It computes in integers if that is known to give the same result:
contractions, sums with one scale, products that were tried exhaustively, and requantizations that only move zero
points. All other ops become dequantize, float op, quantize.
"""

from __future__ import annotations

from qconvert.passes.rescaling.legalize_quant_to_math.driver import NO_QUANTIZED_TYPES, LegalizeQuantToMath

__all__ = ["NO_QUANTIZED_TYPES", "LegalizeQuantToMath"]
