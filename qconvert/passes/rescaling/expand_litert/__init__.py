"""``expand-litert``: ops that follow LiteRT's arithmetic as integer ops of StableHLO; one file for each TOSA family.

An op's expansion states its integers in TOSA's ops. Here each TOSA op becomes ops of StableHLO that give the same
integers. ``tosa.rescale`` stays.
"""

from __future__ import annotations

from qconvert.passes.rescaling.expand_litert.driver import ExpandLitert

__all__ = ["ExpandLitert"]
