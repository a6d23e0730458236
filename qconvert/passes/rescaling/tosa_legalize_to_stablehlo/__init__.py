"""``tosa-legalize-to-stablehlo``: TOSA's ops as ops of StableHLO that compute the same; one file for each family.

The pass ``expand-litert`` translates its expansions, which are TOSA's ops, by the same functions. ``tosa.rescale``
stays for the pass ``tosa-rescale-legalize-to-stablehlo``, except for integers of 48 bits.
"""

from __future__ import annotations

from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.driver import TosaLegalizeToStablehlo

__all__ = ["TosaLegalizeToStablehlo"]
