"""``quant-legalize-to-tosa-rescale``: quantized ops as integer ops between ``tosa.rescale``; one file an op family.

A rule turns one op on quantized types into StableHLO ops on their storage integers. Scales become multipliers and
shifts of ``tosa.rescale``. Movements, comparisons of one type and accumulators use the integers directly. An op that
integers cannot express stays, with a reason.
"""

from __future__ import annotations

from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.driver import QuantLegalizeToTosaRescale

__all__ = ["QuantLegalizeToTosaRescale"]
