"""The settings of a validation, and its data: a model, its conversion, and a block of samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from qconvert.api import Converted, Model
from qconvert.api.macs import run_limits
from qconvert.backends.base import WriteOptions
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits as EngineLimits
from qconvert.formats import FORMATS, Format, ModelFormat
from qconvert.support.errors import UsageError
from qconvert.validation.layers import Layer
from qconvert.validation.limits import Limits
from qconvert.validation.runs import Array, ReferenceRun
from qconvert.validation.samples import Sample


@dataclass(frozen=True)
class Settings:
    """The settings of a validation: the target and its options (None: its defaults), the engine, samples and limits.

    ``timeout`` is the limit in seconds for each run of the whole model and of a layer in an engine, by default 600.
    A target or an engine that is None is chosen by :func:`chosen`. ``bisect`` adds notes on where the conversion starts
    to differ. ``part`` selects samples by their numbers; by default all given ones are compared, or ``samples`` random
    ones. ``details`` asks for what the page of a report shows of each layer.
    """

    to: Format | None = None
    engine: EngineName | None = None
    options: WriteOptions | None = None
    samples: int = 16
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    bisect: bool = False
    timeout: float | None = None
    part: range | None = None
    details: bool = False

    def __post_init__(self) -> None:
        if self.timeout is not None and not 0 < self.timeout < math.inf:
            raise UsageError(f"the time limit is {self.timeout} s, it must be above 0")


@dataclass(frozen=True)
class Case:
    """The data of one validation, and the block of its samples that is compared.

    ``shows_layers`` is False for a given file that differs from a new conversion. ``lowered`` has the modules that were
    lowered for the interpreter, by the modules they were made of; all blocks share it.
    """

    to: Format
    engine: EngineName
    model: Model
    converted: Converted
    given: Model | None
    shows_layers: bool
    split: tuple[Layer, ...]
    samples: list[Sample]
    reference: ReferenceRun
    settings: Settings
    options: WriteOptions
    progress: Callable[[str], None]
    lowered: dict[ModuleOp, ModuleOp] = field(default_factory=dict)

    @property
    def limits(self) -> EngineLimits:
        """Return the limits of the engines."""
        return run_limits(self.settings.timeout)

    @property
    def is_judged_by_outputs(self) -> bool:
        """Return True if neither layers nor limits judge the outputs."""
        return not self.shows_layers and not self.settings.limits.given()

    @property
    def is_of_litert(self) -> bool:
        """Return True if LiteRT's kernels are the reference."""
        return FORMATS[self.model.format].follows_litert

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
