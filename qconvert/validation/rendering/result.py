"""A report on two models as users see it."""

from __future__ import annotations

from dataclasses import dataclass

from qconvert.validation.figures.report import ReportFields
from qconvert.validation.rendering.page import light


@dataclass(frozen=True)
class Report(ReportFields):
    """A validation, or a comparison of two models, which passed if ``failures`` is empty.

    ``print(report)`` prints the table that the command prints; a notebook shows the report as HTML. ``outputs`` are
    compared end to end, ``layers`` each in isolation, ``values`` where no layer is; ``json()`` is for machines.
    """

    def __str__(self) -> str:
        from qconvert.validation.rendering.forms import text  # brings rich

        return text(self)

    def _repr_html_(self) -> str:
        """Return the report as a notebook shows it: verdict, figures, outputs and layers."""
        return light(self)
