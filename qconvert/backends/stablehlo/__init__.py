"""The backend that writes StableHLO."""

from __future__ import annotations

from qconvert.backends.base import Emission
from qconvert.backends.stablehlo.emit import QuantizedAs, StableHloOptions, emit, emit_stablehlo, lower
from qconvert.backends.stablehlo.forms import ReductionForm

__all__ = ["Emission", "QuantizedAs", "ReductionForm", "StableHloOptions", "emit", "emit_stablehlo", "lower"]
