"""The report of a comparison as users see it."""

from __future__ import annotations

from dataclasses import dataclass

from qconvert.validation.comparison.value_page import light
from qconvert.validation.comparison.value_report import ComparisonFields


@dataclass(frozen=True)
class Comparison(ComparisonFields):
    """A comparison, which passed if ``failures`` is empty.

    ``print(comparison)`` prints the command's tables; a notebook shows the comparison as HTML.
    """

    def __str__(self) -> str:
        from qconvert.validation.comparison.value_forms import text  # brings rich

        return text(self)

    def _repr_html_(self) -> str:
        """Return the comparison as a notebook shows it: verdict, figures, outputs and layers."""
        return light(self)
