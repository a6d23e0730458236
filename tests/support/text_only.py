"""The StableHLO ops that no importer makes: only StableHLO text has them."""

from __future__ import annotations

from xdsl.ir import Operation

FAMILIES = (
    "batch_normalization",
    "call",
    "collective",
    "complex_numbers",
    "composite",
    "computation",
    "control",
    "dynamic",
    "dynamic_selection",
    "linear_algebra",
    "random",
    "representation",
    "scatter",
    "select_and_scatter",
    "tokens",
    "tuples",
)


def is_text_only(kind: type[Operation]) -> bool:
    """Return true for an op of one of these families."""
    package, _, family = kind.__module__.rpartition(".")
    return package == "qconvert.dialects.stablehlo" and family in FAMILIES
