"""Comparisons of the values of two models from their inputs on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

import qconvert
from qconvert import ComparisonSettings
from qconvert.validation import Report


def compared(
    first: Path, second: Path, *, inputs: Mapping[str, NDArray[Any]] | None = None, settings: ComparisonSettings
) -> Report:
    """Compare two models by values, as ``settings`` ask or the models need."""
    found = qconvert.compare(first, second, inputs=inputs, settings=settings)
    assert not found.layers
    return found
