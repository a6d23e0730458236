"""The forms of StableHLO's ops that the lowering to TOSA takes for granted."""

from __future__ import annotations

from qconvert.backends.elements import WITH_ELEMENTS
from qconvert.passes.casts.widen_products import ONE_FLOAT_TYPE
from qconvert.passes.fusion.dehybridize import NO_HYBRID
from qconvert.passes.layout.order_broadcasts import RISING_BROADCASTS
from qconvert.passes.reductions.widen_reductions import WIDENED_REDUCTIONS
from qconvert.passes.storage.signed_storage import SIGNED
from qconvert.passes.storage.widen_storage import WIDTHS_IN_TOSA, storage_widths

CONTRACTS = (
    NO_HYBRID,
    ONE_FLOAT_TYPE,
    WIDENED_REDUCTIONS,
    SIGNED,
    storage_widths(WIDTHS_IN_TOSA),
    RISING_BROADCASTS,
    WITH_ELEMENTS,
)
"""Checked before each lowering, by ``convert`` and by the pass ``stablehlo-to-tosa`` alone."""
