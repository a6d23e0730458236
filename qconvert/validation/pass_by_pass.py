"""The comparison of a module after each pass with the module before it, in qconvert's interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from qconvert.api import Model
from qconvert.interpreter import Program
from qconvert.rewriting import Pass, PassResult
from qconvert.support.errors import ConversionError
from qconvert.validation.ports import GivenPorts

Array: TypeAlias = NDArray[Any]


class PassEffect(NamedTuple):
    """What a pass did: whether it changed the module, and how many ops the module has after it.

    ``differing`` is the number of elements of the outputs that differ from those before the pass, of ``elements`` in
    all samples, and ``largest`` the largest difference of them. All are 0 if no samples are compared.
    ``not_run`` is the reason why the interpreter does not run the module after the pass.
    """

    name: str
    changed: bool
    ops: int
    elements: int = 0
    differing: int = 0
    largest: float = 0.0
    not_run: str = ""

    def __str__(self) -> str:
        done = f"{self.ops:,} ops" if self.changed else "unchanged"
        return f"{self.name:{_WIDTH}}  {done:>12}{self._difference}"

    @property
    def _difference(self) -> str:
        if self.not_run:
            return f"  not compared: {self.not_run}"
        if not self.changed or not self.elements:
            return ""
        if not self.differing:
            return "  equal"
        return f"  {self.differing:,} of {self.elements:,} elements differ, by {self.largest:.4g} at most"


_WIDTH = 36


class PassByPass:
    """Gives the effect of each pass to ``notice``; an object of this class is called after each pass.

    With samples, each a mapping from the inputs' names to arrays, the module as read and the module after each pass
    that changes it are evaluated. Inputs and outputs have the types and the layout of the model as it was read,
    whatever types, storage or layout a pass gives them. A module that the interpreter does not run is left out: the
    next one is compared with the last one that ran.
    """

    def __init__(
        self, model: Model, samples: Sequence[Mapping[str, Array]], notice: Callable[[PassEffect], None]
    ) -> None:
        self._model, self._notice = model, notice
        self._samples = [[sample[name] for name in model.input_names] for sample in samples]
        self._before = self._run(model.module) if samples else []

    def __call__(self, step: Pass, module: ModuleOp, result: PassResult) -> None:
        """Evaluate the module if the pass changed it, and give the effect to ``notice``."""
        effect = PassEffect(step.name, result.changed, sum(1 for _ in module.walk()) - 1)
        self._notice(self._compared(effect, module) if result.changed and self._samples else effect)

    def _compared(self, effect: PassEffect, module: ModuleOp) -> PassEffect:
        try:
            results = self._run(module)
        except ConversionError as error:
            return effect._replace(not_run=error.found)
        pairs = list(zip(self._before, results, strict=True))
        self._before = results
        differing = [_differing(*pair) for pair in pairs]
        distances = [_largest(*pair, where) for pair, where in zip(pairs, differing, strict=True)]
        return effect._replace(
            elements=sum(before.size for before, _ in pairs),
            differing=sum(int(where.sum()) for where in differing),
            largest=max(distances, default=0.0),
        )

    def _run(self, module: ModuleOp) -> list[Array]:
        """Return all results of all samples, in the source's types."""
        given = replace(self._model, module=module.clone())  # a program keeps its module, which passes change
        ports, program = GivenPorts.of(self._model, given), Program(given.module)
        ran = (program.run(ports.arguments(sample)) for sample in self._samples)
        return [array for results in ran for array in ports.results(results)]


def _differing(before: Array, after: Array) -> NDArray[np.bool_]:
    """Return where two arrays differ; NaNs are equal."""
    differs: NDArray[np.bool_] = (before != after) & ~(np.isnan(before) & np.isnan(after))
    return differs


def _largest(before: Array, after: Array, differs: NDArray[np.bool_]) -> float:
    """Return the largest difference of the elements that differ, 0 if there are none."""
    distances = abs(np.asarray(before, np.float64) - np.asarray(after, np.float64))[differs]
    return float(distances.max(initial=0.0))
