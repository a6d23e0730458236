"""Validation that a conversion computes the same: outputs end to end, each layer in isolation, exact ties counted."""

from __future__ import annotations

from qconvert.validation.driver import Comparison, Settings, prepared, target_of, validate
from qconvert.validation.limits import Limits
from qconvert.validation.measuring import Measured
from qconvert.validation.report import LayerReport, OutputReport
from qconvert.validation.result import Report

__all__ = [
    "Comparison",
    "LayerReport",
    "Limits",
    "Measured",
    "OutputReport",
    "Report",
    "Settings",
    "prepared",
    "target_of",
    "validate",
]
