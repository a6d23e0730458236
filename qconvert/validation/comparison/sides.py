"""One of two models that are compared: its file, its values by name, and how they are computed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from qconvert.api import Model, convert, load
from qconvert.api.loading import OpenedSource, head, open_source
from qconvert.api.macs import run_limits
from qconvert.engines.base import EngineName, require
from qconvert.engines.wire import Ran
from qconvert.formats import DEFAULT, FORMATS, Format, recognise
from qconvert.frontends.base import Outline
from qconvert.frontends.dimensions import Dimensions, with_known_sizes
from qconvert.support.arrays import Array
from qconvert.support.content import Content
from qconvert.support.counting import counted
from qconvert.support.errors import ConversionError, EngineError, UsageError, in_file
from qconvert.validation.comparison.modules import interpret, outline_of
from qconvert.validation.comparison.oracles import PIECEWISE, RUNTIMES, Oracle, Runtime, default_oracle
from qconvert.validation.comparison.values import Value, values_of
from qconvert.validation.figures.report import Engine, ModelFile


@dataclass(frozen=True)
class Side:
    """A model to compare. ``module`` is what the interpreter evaluates, made from ``model``; a runtime needs neither.

    ``dims`` sizes the open dimensions of its file.
    """

    file: str
    content: Content
    format: Format
    oracle: Oracle
    outline: Outline
    assumed: tuple[str, ...]
    module: ModuleOp | None = field(default=None, repr=False)
    model: Model | None = field(default=None, repr=False)
    dims: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def source(self) -> Model | ConversionError:
        """The model with its ops, or the reason why they cannot be imported; it is read when it is first needed."""
        if self.model is not None:
            return self.model
        try:
            return load(OpenedSource(self.file, self.content), dims=self.dims)
        except ConversionError as error:
            return error

    @cached_property
    def values(self) -> list[Value]:
        """The model's values in order, inputs first."""
        return values_of(self.outline)

    @property
    def runtime(self) -> Runtime | None:
        """The runtime, None for the interpreter."""
        return RUNTIMES.get(default_oracle(self.format) if self.oracle is Oracle.FLOAT else self.oracle)

    @property
    def engine(self) -> Engine:
        """The engine, its version and its setting, for reports."""
        name = EngineName.REFERENCE if self.runtime is None else self.runtime.engine
        return Engine(name, require(name).version or "", "" if self.runtime is None else self.runtime.setting)

    @property
    def model_file(self) -> ModelFile:
        """The file's name and SHA-256, for reports."""
        return ModelFile(self.file, hashlib.sha256(self.content.read()).hexdigest())

    @property
    def is_quantized(self) -> bool:
        """True if a value is quantized."""
        return any(value.is_quantized for value in self.values)

    def run(self, samples: Sequence[Mapping[str, Array]], tensors: Sequence[str], timeout: float | None) -> Ran:
        """Return inputs, outputs and tensors of each sample by name; raises EngineError where a runtime refuses."""
        wanted = list(dict.fromkeys((*tensors, *self.outline.outputs)))
        inner = [name for name in wanted if name not in self.outline.inputs]
        if self.module is not None:
            found = Ran(interpret(self.module, list(self.outline.inputs), self.outline.outputs, samples, inner))
        else:
            assert self.runtime is not None
            source = self.content.path or bytes(self.content.read())
            found = self.runtime.run(source, samples, inner, run_limits(timeout))
        return found._replace(samples=[{**sample, **run} for sample, run in zip(samples, found.samples, strict=True)])

    @property
    def as_module(self) -> ModuleOp:
        """The model as the interpreter evaluates it; raises ConversionError for a model that cannot be read."""
        if self.module is not None:
            return self.module
        read = _read(self._imported(), Oracle.INTERPRETER).module
        assert read is not None
        return read

    def _imported(self) -> Model:
        """Return the model with its ops; raises ConversionError where they cannot be imported."""
        if isinstance(self.source, ConversionError):
            raise self.source
        return self.source

    def doubts(self) -> list[str]:
        """Return a note if the runtime computes an operator with a kernel of other types."""
        reference = FORMATS[self.format].reference
        if self.module is not None or reference is None:
            return []
        found = [*reference.misread(self.content, Dimensions(self.dims))]
        more = f" ({counted(len(found), 'operator')} in all)" if len(found) > 1 else ""
        return [f"{self.file}: {error}. Its results mean nothing{more}" for error in found[:1]]

    def interpreted(self, error: EngineError) -> tuple[Side, str]:
        """Return the side as the interpreter computes it, and why, where its runtime lacks an operator.

        Raises the runtime's ``error`` if it has another reason.
        """
        reference = FORMATS[self.format].reference
        why = None if reference is None else reference.stand_in(error)
        if why is None:
            raise error
        return _read(self._imported(), Oracle.INTERPRETER), why


def imported(first: Side, second: Side) -> Iterator[tuple[int, Side, Model]]:
    """Yield the sides whose ops can be imported, each with its number 0 or 1 and its model.

    The second is yielded only where the first does not tell what ops mean: it cannot be imported, or is lowered MLIR.
    """
    for number, side in enumerate((first, second)):
        if isinstance(side.source, Model):
            yield number, side, side.source
            if not FORMATS[side.format].is_mlir:
                return


def open_side(source: Model | str | Path, oracle: Oracle | None, dims: Mapping[str, int]) -> Side:
    """Read a model as far as it must be known; raises UsageError for an oracle that does not run its format."""
    file, content = _opened(source)
    with in_file(file):
        found = recognise(head(content), file)
        chosen = oracle or default_oracle(found)
        sizes = Dimensions(dims)
        outline = None if chosen is Oracle.INTERPRETER else FORMATS[found].outline(content, sizes)
    if outline is not None:
        side = Side(file, content, found, chosen, outline, tuple(sorted(sizes.assumed)), dims=dims)
        _check_oracle(side)
        return side
    model = source if isinstance(source, Model) else load(OpenedSource(file, content), dims=dims)
    if chosen not in (Oracle.INTERPRETER, Oracle.FLOAT) and PIECEWISE.get(chosen) not in FORMATS[model.format].runs:
        raise UsageError(f"{chosen} does not run {file}, which is {model.format}: --reference interpreter does")
    return _read(model, chosen)


def open_sides(
    first: Model | str | Path, second: Model | str | Path, oracles: Sequence[Oracle | None], dims: Mapping[str, int]
) -> tuple[Side, Side]:
    """Read both models; raises UnknownDimensionError for a size that neither of them has a dimension for."""
    readers = [partial(open_side, source, oracle) for source, oracle in zip((first, second), oracles, strict=True)]
    one, other = with_known_sizes(dims, *readers)
    return one, other


def _opened(source: Model | str | Path) -> OpenedSource:
    if isinstance(source, Model):
        return OpenedSource(source.file, source.opened or Content.of(source.content))
    return open_source(source)


def _read(model: Model, oracle: Oracle) -> Side:
    """Return a model that our interpreter evaluates, as it is before it is written in any format."""
    own = FORMATS[model.format]
    module = model.module if own.is_mlir else convert(model, DEFAULT).fused
    outline = outline_of(module, model.input_names, model.output_names, model.op_types)
    content = model.opened or Content.of(model.content)
    return Side(model.file, content, model.format, oracle, outline, model.assumed_dims, module, model)


def _check_oracle(side: Side) -> None:
    """Raise UsageError if the oracle does not run the format; EngineMissingError if it is not installed."""
    runtime = side.runtime
    if runtime is None or runtime.format is not side.format:
        own = default_oracle(side.format)
        raise UsageError(f"{side.oracle} does not run {side.file}, which is {side.format}: choose {own} or interpreter")
    require(runtime.engine)
