"""The report of a comparison: dataclasses whose fields are the keys of its JSON (docs/compare-json.md)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from qconvert.support.json_text import json_text
from qconvert.validation.comparison.matching import Matched
from qconvert.validation.details import Details
from qconvert.validation.report import NOT_IN_JSON, ModelFile, OutputReport, Reference, SharesRight

SCHEMA = 1


@dataclass(frozen=True)
class Place:
    """A layer in one of the two models: its node, the node's operator, and the tensor."""

    node: str
    op: str
    tensor: str


@dataclass(frozen=True)
class LayerPair:
    """A layer of both models, over all samples, each model run from its inputs on.

    ``matched`` is the evidence that both are one layer, with ``correlation`` for values that are not equal or fused.
    ``exact`` is the share of elements within half an LSB. ``max_lsb`` is in LSB of the first model's quantized tensor,
    else of the second's, None if neither is quantized. ``max_rel`` is ``max_abs`` divided by the largest magnitude in
    the first model. ``sqnr_db`` is None if nothing differs. ``lasting_db`` is the SQNR without noise that the layers
    behind remove, as an activation does with what its quantizer clamped before; only against a float original.
    """

    first: Place
    second: Place
    matched: Matched
    correlation: float | None
    exact: float
    max_lsb: float | None
    max_abs: float
    max_rel: float
    sqnr_db: float | None
    elements: int
    differs: bool
    lasting_db: float | None = None


@dataclass(frozen=True)
class ComparisonFields:
    """The fields of a comparison of two models, which passed if ``failures`` is empty.

    ``outputs`` have the first model as the reference. ``layers`` are in the first model's order. ``first_difference``
    is the place in the first model of the first layer that differs. ``unmatched`` counts the layers of each model that
    the other model does not have, ``unmatched_layers`` has their places. ``higher_precision`` names the nodes whose
    quantization costs most, for a float original. ``details`` is for the page alone, and None unless it was asked for.
    """

    schema: int
    qconvert: str
    first: ModelFile
    second: ModelFile
    reference: Reference
    engine: Reference
    samples: int
    seed: int | None
    limits: dict[str, float]
    outputs: tuple[OutputReport, ...]
    layers: tuple[LayerPair, ...]
    first_difference: Place | None
    unmatched: tuple[int, int]
    passed: bool
    failures: tuple[str, ...]
    notes: tuple[str, ...] = ()
    higher_precision: tuple[str, ...] = ()
    accuracy: SharesRight | None = None
    unmatched_layers: tuple[tuple[Place, ...], tuple[Place, ...]] = ((), ())
    details: Details | None = field(default=None, repr=False)

    @property
    def is_cost(self) -> bool:
        """True if the first model is the float original of the second, so that all layers differ."""
        return any(layer.lasting_db is not None for layer in self.layers)

    def keys(self) -> dict[str, Any]:
        """Return the keys of the JSON report: all fields but the details."""
        plain = asdict(replace(self, details=None))
        return {key: value for key, value in plain.items() if key not in NOT_IN_JSON}

    def json(self) -> str:
        """Return the report as JSON."""
        return json_text(self.keys())
