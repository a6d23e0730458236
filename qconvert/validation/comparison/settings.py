"""The settings of a comparison of two models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from qconvert.validation.case import RunSettings
from qconvert.validation.comparison.oracles import Oracle


@dataclass(frozen=True)
class ComparisonSettings(RunSettings):
    """The settings of a comparison.

    ``reference`` and ``engine`` compute the first and the second model, by default their formats' own runtimes without
    optimisation, or our interpreter. ``dims`` sizes open dimensions. Outputs are held to ``limits``; without limits to
    those of a conversion, or where only values are compared, they must be equal, floats up to rounding, unless the
    first model is the float original of a quantized one. ``reduce`` writes the smallest piece that differs from the
    other model's tensors on, with its inputs in an .npz file beside it. ``by_values`` compares the values that both
    models compute from their inputs on, also where one could be judged layer by layer.
    """

    reference: Oracle | None = None
    engine: Oracle | None = None
    dims: Mapping[str, int] = field(default_factory=dict)
    reduce: Path | None = None
    by_values: bool = False
