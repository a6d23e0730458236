"""The settings of a comparison of two models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from qconvert.validation.comparison.oracles import Oracle
from qconvert.validation.limits.limits import Limits


@dataclass(frozen=True)
class ComparisonSettings:
    """The settings of a comparison.

    ``reference`` and ``engine`` compute the first and the second model, by default their formats' own runtimes without
    optimisation, or our interpreter. ``samples`` are drawn, by default 16, fewer on a slow runtime. ``dims`` sizes open
    dimensions. Outputs are held to ``limits``; without limits to those of a conversion, or where only values are
    compared, they must be equal, floats up to rounding, unless the first model is the float original of a quantized
    one. ``bisect`` also names the first tensor that differs. ``reduce`` writes the smallest piece that differs from
    the other model's tensors on, with its inputs in an .npz file beside it. ``details`` also measures what the page of
    the comparison draws. ``classes`` names the first model's outputs that tell classes, by default those that
    ``told_classes`` finds. ``by_values`` compares the values that both models compute from their inputs on, also where
    one could be judged layer by layer.
    """

    reference: Oracle | None = None
    engine: Oracle | None = None
    samples: int | None = None
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    dims: Mapping[str, int] = field(default_factory=dict)
    timeout: float | None = None
    bisect: bool = False
    reduce: Path | None = None
    details: bool = False
    classes: tuple[str, ...] = ()
    by_values: bool = False
