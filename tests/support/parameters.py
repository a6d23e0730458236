"""Parameters of tests that try many cases of one kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def few(values: Iterable[Any], quick: int) -> list[Any]:
    """Return the values as parameters: ``make check`` tries the first ``quick`` of them, ``make test`` all."""
    return [value if i < quick else pytest.param(value, marks=pytest.mark.slow) for i, value in enumerate(values)]
