"""What a validation found: dataclasses whose fields are the keys of the JSON report (docs/validation-json.md)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

SCHEMA = 1


@dataclass(frozen=True)
class ModelFile:
    """The model that was validated."""

    file: str
    sha256: str


@dataclass(frozen=True)
class Reference:
    """The reference: a runtime, its version and how much it optimised."""

    engine: str
    version: str
    optimisation: str


@dataclass(frozen=True)
class Engine:
    """What ran the conversion."""

    name: str
    version: str


@dataclass(frozen=True)
class OutputReport:
    """One output end to end, over all samples.

    ``exact`` and ``top1`` are shares; ``max_lsb`` is in steps of the quantized tensor behind the output, None where
    there is none; ``sqnr_db`` is None where nothing differs; ``exact_reference_optimised`` is the share of elements
    that the reference's own optimised run has equal; ``max_rel`` is ``max_abs`` by the largest magnitude of the
    reference's elements, None where they are no floats; ``distinct`` counts the different values among those elements,
    without which equality says little.
    """

    name: str
    dtype: str
    exact: float
    max_lsb: int | None
    max_abs: float
    sqnr_db: float | None
    top1: float | None
    exact_reference_optimised: float | None
    max_rel: float | None = None
    distinct: int = 0


@dataclass(frozen=True)
class LayerReport:
    """One layer in isolation, over all samples: fed the reference's own integers.

    ``node`` feeds the quantize; ``op`` is its operator in the source; ``ties`` counts exact ties among ``elements``;
    ``inputs`` names what it takes: inputs of the model, or quantized tensors of the source.
    """

    node: str
    nodes: tuple[str, ...]
    op: str
    family: str
    tensor: str
    exact: float
    exact_non_ties: float
    max_lsb: int
    elements: int
    ties: int
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class InputReport:
    """The first quantize of a model's input: the share of ``elements`` that the conversion quantizes as the reference.

    Everything behind inherits what differs here.
    """

    name: str
    exact: float
    elements: int


@dataclass(frozen=True)
class Report:
    """A validation: passed where ``failures`` is empty."""

    schema: int
    qconvert: str
    model: ModelFile
    reference: Reference
    engine: Engine
    to: str
    samples: int
    seed: int | None
    limits: dict[str, float]
    outputs: tuple[OutputReport, ...]
    layers: tuple[LayerReport, ...]
    passed: bool
    failures: tuple[str, ...]
    notes: tuple[str, ...] = ()
    inputs: tuple[InputReport, ...] = ()

    def json(self) -> str:
        """The report as JSON."""
        return json.dumps(asdict(self), indent=2, allow_nan=False)
