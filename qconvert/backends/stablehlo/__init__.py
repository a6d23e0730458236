"""The backend that writes StableHLO."""

from __future__ import annotations

from qconvert.backends.stablehlo.options import RESCALES, QuantizedAs, ReductionForm, StableHloOptions

__all__ = ["RESCALES", "QuantizedAs", "ReductionForm", "StableHloOptions"]
