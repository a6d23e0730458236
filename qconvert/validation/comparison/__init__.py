"""The comparison of two models of any formats: outputs, and the layers that both have, from the same inputs on."""

from __future__ import annotations

from qconvert.validation.comparison.comparing import compare
from qconvert.validation.comparison.oracles import Oracle
from qconvert.validation.comparison.settings import ComparisonSettings

__all__ = ["ComparisonSettings", "Oracle", "compare"]
