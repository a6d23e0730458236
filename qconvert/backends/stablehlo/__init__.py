"""StableHLO out."""

from __future__ import annotations

from qconvert.backends.stablehlo.emit import Emission, StableHloOptions, StripAttributes, emit, emit_stablehlo, lower
from qconvert.backends.stablehlo.forms import ReductionForm

__all__ = ["Emission", "ReductionForm", "StableHloOptions", "StripAttributes", "emit", "emit_stablehlo", "lower"]
