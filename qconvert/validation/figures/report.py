"""The report of a validation: dataclasses whose fields are the keys of the JSON report (docs/validation-json.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from qconvert.rewriting import Proof
from qconvert.support.json_text import json_text
from qconvert.validation.causes import Cause
from qconvert.validation.figures.details import Details
from qconvert.validation.parameters.findings import Finding

SCHEMA = 2

NOT_IN_JSON = frozenset({"details"})
"""The fields of a report that its JSON form leaves out."""


@dataclass(frozen=True)
class ModelFile:
    """The model that was validated."""

    file: str
    sha256: str


@dataclass(frozen=True)
class Engine:
    """The runtime that computed a model, its version and how it optimises the model.

    ``why`` tells, if it is qconvert's interpreter, why the file's own runtime is not the engine; empty if the
    interpreter was asked for.
    """

    name: str
    version: str
    optimisation: str = ""
    why: str = ""


@dataclass(frozen=True)
class OutputReport:
    """One output end to end, over all samples.

    ``exact`` and ``top1`` are shares. ``max_lsb`` is in LSB of the output's quantized tensor, None if it has none.
    ``sqnr_db`` is None if nothing differs. ``exact_reference_optimised`` is the share of elements that are equal in
    the reference's own optimised run. ``max_rel`` is ``max_abs`` divided by the largest magnitude of the
    reference's elements, None unless they are floats. ``distinct`` counts the different values of the reference;
    with few of them equality means little.
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
class WholeOutput:
    """One output of the whole network, and the limits that the reference's own runs with moved integers give.

    ``differing`` is the share of elements that differ by more than float arithmetic explains. A figure without a limit
    is None: decibels without noise, and the largest difference of integers that are labels. ``off_grid`` counts the
    floats that are no whole number of LSB from the reference's, as with another scale.
    """

    name: str
    differing: float
    most_differing: float
    sqnr_db: float | None
    least_sqnr_db: float | None
    max_abs: float
    most_abs: float | None
    off_grid: int
    passed: bool


@dataclass(frozen=True)
class JudgedOps:
    """The ops of the file, those of them that lie in a judged segment, and the layers that the file merges into others.

    A segment is a layer with the movement in front of it, or what is between the last layers and the outputs.
    """

    ops: int
    judged: int
    merged_layers: int


@dataclass(frozen=True)
class FloatError:
    """The error of the reference's float32 sums before it rounds, in LSB, over the elements of a layer."""

    mean: float
    largest: float


@dataclass(frozen=True)
class RewrittenLayer:
    """A layer in the other kernels of an engine: shares of equal elements, found and needed, and the largest LSB."""

    exact: float
    max_lsb: int
    needed: float


@dataclass(frozen=True)
class LayerReport:
    """One layer in isolation, over all samples, run on the reference's integers.

    ``node`` feeds the quantize; ``op`` is its operator in the source. ``ties`` counts exact ties among ``elements``.
    ``inputs`` names inputs of the model or quantized tensors of the source. ``proof`` tells how the layer's integers
    compare with the reference's arithmetic on all inputs, tried during the conversion; None for a layer that computes
    what cannot be tried. Such a layer may have a ``bound``: it differs by at most 1 LSB, and only where the real result
    is closer to a tie than this, in LSB. ``measured`` is the error before rounding, in LSB, that the conversion found
    on some inputs of a layer without a bound. ``needed`` is the share of elements that must be equal, 0 if only
    elements without ties must be. ``float_error`` is given where ``needed`` follows from it. ``rewritten`` is the layer
    in LiteRT's default kernels. ``passed`` is False for a layer beyond its limit. ``cause`` tells what the elements
    that differ have in common, None if none do.
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
    proof: Proof | None = None
    bound: float | None = None
    measured: float | None = None
    float_error: FloatError | None = None
    needed: float = 0.0
    rewritten: RewrittenLayer | None = None
    passed: bool = True
    cause: Cause | None = None

    @property
    def rank(self) -> tuple[float, ...]:
        """The key by which layers are sorted by what they do alone, the worst first."""
        return self.passed, self.exact_non_ties, self.exact, -self.max_lsb


class Matched(StrEnum):
    """The evidence that two values are the same one."""

    NAME = "name"
    NODE = "node name"
    FUSED = "fused node"
    QUANTIZATION = "shape and quantization"
    EQUAL = "equal values"
    CORRELATION = "correlation"


@dataclass(frozen=True)
class Place:
    """A value in one of two models: its node, the node's operator, and its tensor."""

    node: str
    op: str
    tensor: str


@dataclass(frozen=True)
class ValueReport:
    """A value that a node of the source makes, over all samples, and that is not judged as a layer is.

    In a model without layers the value is a float, computed inside the file from the reference's floats; in a model
    that rounds, by another conversion from the model's inputs on. Where ``second`` is given, the value's place in the
    file, both models ran from their inputs on, and ``matched`` is the evidence that both values are the same one, with
    ``correlation`` for values that are not equal or fused.

    ``exact`` is the share of equal elements, where there is an LSB of those within half of it. ``max_rel`` is
    ``max_abs`` divided by the largest magnitude of the reference's elements. ``differs`` is True beyond the value's
    limit, and False where there is none. ``cause`` tells what the elements that differ have in common, for values that
    are computed inside the file. ``max_lsb`` is in LSB of the source's quantized tensor, else of the file's, None if
    neither is quantized. ``sqnr_db`` is None if nothing differs. ``lasting_db`` is the SQNR without noise that the
    layers behind remove, as an activation does with what its quantizer clamped before; only against a float original.
    """

    node: str
    op: str
    tensor: str
    exact: float
    max_abs: float
    max_rel: float
    elements: int
    differs: bool = False
    cause: Cause | None = None
    second: Place | None = None
    matched: Matched | None = None
    correlation: float | None = None
    max_lsb: float | None = None
    sqnr_db: float | None = None
    lasting_db: float | None = None


@dataclass(frozen=True)
class InputReport:
    """The first quantize of a model's input: the share of ``elements`` that are quantized as in the reference.

    A difference here propagates to all later layers. ``bits`` is the width of the integers.
    """

    name: str
    exact: float
    elements: int
    bits: int = 8


@dataclass(frozen=True)
class SharesRight:
    """The number of labelled samples, and how many of them each model classifies right."""

    samples: int
    first: int
    second: int

    def __add__(self, other: SharesRight) -> SharesRight:
        return SharesRight(self.samples + other.samples, self.first + other.first, self.second + other.second)


@dataclass(frozen=True)
class ReportFields:
    """The fields of a report on a source and a file, which passed if ``failures`` is empty.

    ``values`` are compared where no layer is, in the source's order. ``whole`` judges the outputs of a network that
    rounds. ``file`` is a given file, empty where the judged file is the one that ``convert`` writes. ``accuracy`` is
    given for labelled samples; its first model is the source. ``higher_precision`` names the nodes of a float original
    whose quantization costs most. ``unmatched`` has the values of the source, and of the file, without a counterpart.
    ``other_cause`` is the first parameter that differs where no layer that fails is its own: the file computes its
    layer within another one, or holds the same integers in front of it. ``details`` is for the page alone, and None
    unless it was asked for.
    """

    schema: int
    qconvert: str
    model: ModelFile
    reference: Engine
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
    values: tuple[ValueReport, ...] = ()
    whole: tuple[WholeOutput, ...] = ()
    file: str = ""
    file_sha256: str = ""
    ops: JudgedOps | None = None
    accuracy: SharesRight | None = None
    parameters: tuple[Finding, ...] = ()
    other_cause: Finding | None = None
    higher_precision: tuple[str, ...] = ()
    unmatched: tuple[tuple[Place, ...], tuple[Place, ...]] = ((), ())
    details: Details | None = field(default=None, repr=False)

    @property
    def compared(self) -> Sequence[LayerReport | ValueReport]:
        """The layers, or the values where no layer is compared."""
        return self.layers or self.values

    @property
    def is_matched(self) -> bool:
        """True if values of both models were matched, each model run from its inputs on."""
        return any(value.matched is not None for value in self.values)

    @property
    def is_cost(self) -> bool:
        """True if the source is the float original of the file, so that all values differ."""
        return any(value.lasting_db is not None for value in self.values)

    @property
    def first_difference(self) -> ValueReport | None:
        """The first value that differs, in the source's order; None against a float original."""
        return None if self.is_cost else next((value for value in self.values if value.differs), None)

    def keys(self) -> dict[str, Any]:
        """Return the keys of the JSON report: all fields but the details."""
        plain = asdict(replace(self, details=None))
        return {key: value for key, value in plain.items() if key not in NOT_IN_JSON}

    def json(self) -> str:
        """Return the report as JSON."""
        return json_text(self.keys())
