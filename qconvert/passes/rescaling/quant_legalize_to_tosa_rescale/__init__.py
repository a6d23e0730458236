"""``quant-legalize-to-tosa-rescale``: quantized ops as integer ops between ``tosa.rescale``; one file an op family.

A rule turns one op on quantized types into StableHLO on their storage integers. Scales become multipliers and shifts
of ``tosa.rescale``; where none is needed (movements, comparisons of one type, accumulators) the integers are used as
they are. What cannot be said with integers stays and has a reason.
"""

from __future__ import annotations

from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.driver import QuantLegalizeToTosaRescale

__all__ = ["QuantLegalizeToTosaRescale"]
