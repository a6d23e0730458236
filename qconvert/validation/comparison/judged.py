"""Two models of which one is judged layer by layer against the other, as a conversion against its source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Operation

from qconvert.api import Model
from qconvert.dialects.constants import is_constant
from qconvert.engines.base import EngineName
from qconvert.expansion.registry import is_hybrid_of_litert
from qconvert.formats import FORMATS
from qconvert.ir import element_type
from qconvert.support.arrays import Array
from qconvert.validation.case import RunSettings, Settings
from qconvert.validation.comparison.oracles import PIECEWISE, Oracle, default_oracle
from qconvert.validation.comparison.settings import ComparisonSettings
from qconvert.validation.comparison.sides import Side
from qconvert.validation.driver import prepared
from qconvert.validation.limits.limits import rounds
from qconvert.validation.ports import GivenPorts
from qconvert.validation.rendering.result import Report
from qconvert.validation.sampling.samples import arguments, given_samples

_ENGINES = {
    Oracle.INTERPRETER: EngineName.REFERENCE,
    Oracle.ONNXRUNTIME: EngineName.ONNXRUNTIME,
    Oracle.LITERT: EngineName.LITERT,
    **PIECEWISE,
}
"""The engines of the oracles that run pieces of a file."""


@dataclass(frozen=True)
class JudgedPair:
    """The model whose layers are known, and the file that is judged, with the engine that runs it.

    ``is_exchanged``: the source is the second of the two models. ``reference`` is the engine that is asked for.
    """

    source: Model
    file: Model
    engine: EngineName | None
    is_exchanged: bool
    reference: EngineName | None

    @property
    def note(self) -> str:
        """A sentence on the roles of models that were exchanged."""
        which = f"{self.source.file} states scales and layers"
        return f"{which}: {self.file.file} is judged against it, from its tensors on" if self.is_exchanged else ""

    def inputs(self, arrays: Mapping[str, Array] | None) -> Mapping[str, Array] | None:
        """Return the given samples of the first model as those of the source; raises UsageError if they do not fit."""
        if arrays is None or not self.is_exchanged:
            return arrays
        samples = given_samples(arrays, arguments(self.file.module, self.file.input_names))
        ports, names = GivenPorts.of(self.source, self.file).inputs, self.file.input_names
        own = zip(self.source.input_names, ports, strict=True)
        return {name: np.stack([port.here(sample[names[port.place]]) for sample in samples]) for name, port in own}


def judge(
    pair: JudgedPair,
    inputs: Mapping[str, Array] | None,
    labels: Array | None,
    settings: ComparisonSettings,
    progress: Callable[[str], None],
) -> Report:
    """Judge a pair; write the smallest piece that differs where ``settings.reduce`` asks for it.

    Raises the errors of :func:`~qconvert.validation.driver.validate`.
    """
    shared = {each.name: getattr(settings, each.name) for each in fields(RunSettings)}
    own = Settings(pair.file.format, pair.engine, reference=pair.reference, **shared)
    given, sides = pair.inputs(inputs), (pair.source, pair.file)
    comparison = prepared(*sides, inputs=given, labels=labels, settings=own, progress=progress)
    report = comparison.report()
    if settings.reduce is not None:
        comparison.reduce(report, settings.reduce)
    return replace(report, notes=(*filter(None, [pair.note]), *report.notes))


def judged_pair(
    one: Side, other: Side, reference: Oracle | None = None, engine: Oracle | None = None
) -> JudgedPair | None:
    """Return two models of which one can be judged against the other; None for those that only their values compare.

    These are a float original and a quantized model, two files of MLIR, models whose ops cannot be imported, and runs
    with optimisation, whose values are those of other graphs. ``reference`` and ``engine`` are asked for. The first
    model is the source where it can be, unless the second alone has activations that LiteRT quantizes at run time: the
    first cannot be held to what it does not state.
    """
    first, second = one.source, other.source
    if not isinstance(first, Model) or not isinstance(second, Model) or is_quantized(first) != is_quantized(second):
        return None
    is_other_hybrid = _is_hybrid(second) and not _is_hybrid(first)
    for is_exchanged in (is_other_hybrid, not is_other_hybrid):
        source, file = (second, first) if is_exchanged else (first, second)
        asked, runs = (engine, reference) if is_exchanged else (reference, engine)
        known = FORMATS[source.format].reference is not None
        is_plain = asked in (None, Oracle.INTERPRETER, default_oracle(source.format))
        if known and is_plain and (runs is None or runs in _ENGINES):
            engines = [None if each is None else _ENGINES[each] for each in (runs, asked)]
            return JudgedPair(source, file, engines[0], is_exchanged, engines[1])
    return None


def _is_hybrid(model: Model) -> bool:
    return any(map(is_hybrid_of_litert, model.module.walk()))


def is_quantized(model: Model) -> bool:
    """Return True if a model rounds, or computes with narrow integers from its inputs on."""
    return rounds(model.module) or any(_makes_narrow(op) for op in model.module.walk())


def _makes_narrow(op: Operation) -> bool:
    """Return True for an op that makes integers of at most 16 bits which no constants are."""
    results = (each for each in op.results if isinstance(each.type, TensorType) and not is_constant(each))
    return any(isinstance(type := element_type(each), IntegerType) and 1 < type.width.data <= 16 for each in results)
