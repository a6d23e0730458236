"""Validation that a conversion computes the same: outputs end to end, each layer in isolation, exact ties counted.

The names are imported when one of them is asked for: ``qconvert diff`` needs none of what runs models.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qconvert.validation.driver import Comparison, Settings, prepared, target_of, validate
    from qconvert.validation.figures.report import LayerReport, OutputReport
    from qconvert.validation.limits.limits import Limits
    from qconvert.validation.measuring.blocks import Measured
    from qconvert.validation.rendering.result import Report

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

_MODULES = {
    "LayerReport": "figures.report",
    "Limits": "limits.limits",
    "Measured": "measuring.blocks",
    "OutputReport": "figures.report",
    "Report": "rendering.result",
}
"""The modules of the names that are not in ``driver``."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return resolve_name(f"{__name__}.{_MODULES.get(name, 'driver')}:{name}")
