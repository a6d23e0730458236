"""The settings of a validation, and its data: a model, its conversion, and a block of samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from qconvert.api import Converted, Model
from qconvert.api.macs import run_limits
from qconvert.backends.base import WriteOptions
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits as EngineLimits
from qconvert.expansion.registry import is_hybrid_of_litert
from qconvert.formats import FORMATS, Format, ModelFormat
from qconvert.support.arrays import Array
from qconvert.support.errors import UsageError
from qconvert.validation.figures.report import FloatError
from qconvert.validation.layers import Layer
from qconvert.validation.limits.limits import FamilyLimit, Limits, limit_for
from qconvert.validation.limits.litert_limits import kernel_limit, kernel_margin, litert_limit
from qconvert.validation.limits.ties import TieCounter
from qconvert.validation.parameters.findings import Finding
from qconvert.validation.ports import Ports
from qconvert.validation.reference import ReferenceRun
from qconvert.validation.runner import Runner
from qconvert.validation.sampling.classes import Classes
from qconvert.validation.sampling.labels import Labels
from qconvert.validation.sampling.samples import Sample
from qconvert.validation.written import Written

_DIVIDE_SCALES = ("QLinearAdd", "QLinearMul")
"""ONNX operators whose onnxruntime kernels multiply by quotients of scales."""


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """The settings of a validation, and of a comparison of any two models.

    ``samples`` is the number of random samples, by default 16, or what a slow runtime runs in some seconds. ``bisect``
    also names the first tensor that differs. ``timeout`` is the limit in seconds for each run of the whole model and of
    a layer in an engine, by default 600. ``details`` asks for what the page of a report shows of each layer.
    ``classes`` names the outputs of the source, or the first model, that tell classes, by default those that the ops
    tell.
    """

    samples: int | None = None
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    bisect: bool = False
    timeout: float | None = None
    details: bool = False
    classes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.timeout is not None and not 0 < self.timeout < math.inf:
            raise UsageError(f"the time limit is {self.timeout} s, it must be above 0")


@dataclass(frozen=True)
class Settings(RunSettings):
    """The settings of a validation: the target and its options (None: its defaults), and the engine.

    A target that is None is chosen by :func:`~qconvert.validation.driver.target_of`, an engine by
    :func:`~qconvert.validation.runner.runner_of`. ``part`` selects samples by their numbers; by default all given ones
    are compared, or the random ones. ``reference`` asks for the source's own runtime, whose place nothing takes, or for
    our interpreter.
    """

    to: Format | None = None
    engine: EngineName | None = None
    options: WriteOptions | None = None
    part: range | None = None
    reference: EngineName | None = None


@dataclass(frozen=True)
class Case:
    """The data of one validation, and the block of its samples that is compared.

    ``file`` is what is judged, ``runner`` what runs it. ``is_own`` is False for a given file that differs from a new
    conversion, ``fresh``. ``notes`` are on the samples, the first of which has the number ``start`` among all.
    ``classes`` has the outputs that tell classes, ``labels`` the right ones of all samples, ``parameters`` those in
    which a given file differs from its source.
    """

    to: Format
    runner: Runner
    model: Model
    converted: Converted
    given: Model | None
    file: Written
    ports: Ports
    is_own: bool
    split: tuple[Layer, ...]
    samples: list[Sample]
    reference: ReferenceRun
    settings: Settings
    options: WriteOptions
    progress: Callable[[str], None]
    notes: tuple[str, ...] = ()
    classes: Mapping[str, Classes] = field(default_factory=dict)
    labels: Labels | None = None
    start: int = 0
    parameters: tuple[Finding, ...] = ()
    fresh: Written | None = None

    @property
    def engine(self) -> EngineName:
        """Return the engine that runs the file."""
        return self.runner.engine

    @property
    def limits(self) -> EngineLimits:
        """Return the limits of the engines."""
        return run_limits(self.settings.timeout)

    @property
    def is_judged_by_limits(self) -> bool:
        """Return True for a given file that limits of the command line judge: its layers only tell where it differs."""
        return not self.is_own and bool(self.settings.limits.given())

    @property
    def is_of_litert(self) -> bool:
        """Return True if LiteRT's kernels are the reference."""
        return FORMATS[self.model.format].follows_litert

    @property
    def computes_hybrids_alike(self) -> bool:
        """Return True unless the file lacks ops whose activations LiteRT quantizes at run time."""
        return self.computes_alike(self.converted.fused)

    def computes_alike(self, module: ModuleOp) -> bool:
        """Return False for ops that quantize at run time in the source, and not in the file."""
        return self.target.expresses_hybrid or not any(map(is_hybrid_of_litert, module.walk()))

    def tie_counter(self, layer: Layer) -> TieCounter:
        """Return what finds the ties of a layer: of the reference's kernel, and of the format's arithmetic."""
        divides = self.model.op_types.get(layer.node, "") in _DIVIDE_SCALES
        rounds_twice = not self.target.expresses_litert if self.is_of_litert else self.target.follows_litert
        own_margin = self.target.tie_margin if layer.bits <= 8 else 0.0
        margin = kernel_margin(layer) if rounds_twice else own_margin
        return TieCounter(layer.module, divides_scales=divides, margin=margin)

    def limit_of(self, layer: Layer, error: FloatError | None) -> FamilyLimit:
        """Return the limit of a layer, whose reference sums floats with an ``error`` if it is known."""
        if self.is_of_litert:
            return litert_limit(layer, self.target)
        if self.target.follows_litert:
            return kernel_limit(layer)
        return limit_for(layer.family, layer.bits, error)

    @property
    def target(self) -> ModelFormat:
        """Return the format of the conversion."""
        return FORMATS[self.to]

    @property
    def inputs(self) -> list[list[Array]]:
        """The samples' arrays in the order of the model's inputs."""
        return [[sample[name] for name in self.model.input_names] for sample in self.samples]

    @property
    def layers(self) -> list[Layer]:
        """The layers whose tensors the reference has."""
        known = {*self.reference.tensors[0], *self.samples[0]}
        return [layer for layer in self.split if known.issuperset((layer.tensor, *layer.inputs))]
