"""``expand-litert``: ops that follow LiteRT's arithmetic as integer ops of StableHLO.

An op's expansion states its integers in TOSA's ops, which ``tosa_legalize_to_stablehlo`` translates. ``tosa.rescale``
stays.
"""

from __future__ import annotations

from qconvert.passes.rescaling.expand_litert.driver import ExpandLitert

__all__ = ["ExpandLitert"]
