"""Proving that a conversion computes the same: outputs end to end, every layer in isolation, exact ties counted."""

from __future__ import annotations

from qconvert.validation.report import LayerReport, OutputReport, Report
from qconvert.validation.validate import Limits, Settings, validate

__all__ = ["LayerReport", "Limits", "OutputReport", "Report", "Settings", "validate"]
