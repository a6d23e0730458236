"""The forms of StableHLO's ops that the lowering to TOSA takes for granted."""

from __future__ import annotations

from qconvert.passes.fusion.dehybridize import NO_HYBRID
from qconvert.passes.layout.order_broadcasts import RISING_BROADCASTS
from qconvert.passes.storage.widen_storage import WIDTHS_IN_TOSA, storage_widths

CONTRACTS = (NO_HYBRID, RISING_BROADCASTS, storage_widths(WIDTHS_IN_TOSA))
"""Checked before each lowering, by ``convert`` and by the pass ``stablehlo-to-tosa`` alone."""
