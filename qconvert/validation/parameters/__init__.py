"""The parameters of two models compared without running anything: scales, constants, attributes, operators."""

from __future__ import annotations

from qconvert.validation.parameters.differing import diff
from qconvert.validation.parameters.findings import DiffedFile, Difference, Finding

__all__ = ["DiffedFile", "Difference", "Finding", "diff"]
