"""The backend that writes StableHLO."""

from __future__ import annotations

from qconvert.backends.stablehlo.options import QuantizedAs, ReductionForm, StableHloOptions

__all__ = ["QuantizedAs", "ReductionForm", "StableHloOptions"]
