"""The share of labelled samples that a model classifies right, before and after its quantization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qconvert.api import Converted, Model
from qconvert.backends.base import WriteOptions
from qconvert.engines.base import EngineName
from qconvert.formats import FORMATS
from qconvert.interpreter import Program
from qconvert.interpreter.core import main_function
from qconvert.ir import tensor
from qconvert.quantization.calibration.samples import read_samples
from qconvert.support.arrays import Array, read_arrays
from qconvert.support.errors import EngineError
from qconvert.validation.reference import run_runtime
from qconvert.validation.runs import run_module

LABELS = ("label", "labels")
"""The names of an array with the class of each sample."""


@dataclass(frozen=True)
class Accuracy:
    """The number of labelled samples, and how many of them each model classifies right."""

    samples: int
    float_right: int
    right: int

    def __str__(self) -> str:
        share, original = self.right / self.samples, self.float_right / self.samples
        return f"accuracy: {share:.2%} of {self.samples:,} labelled samples, {original:.2%} before quantization"


@dataclass(frozen=True)
class Labelled:
    """Samples with labels: an .npz file that has both."""

    path: Path
    labels: Array

    def accuracy(self, model: Model, quantized: Converted, options: WriteOptions) -> Accuracy:
        """Return the accuracy of a float model and of its conversion, as our interpreter computes it."""
        types = dict(zip(model.input_names, map(tensor, main_function(model.module).body.block.args), strict=True))
        samples = list(read_samples(self.path, types))
        inputs = [[sample[name] for name in types] for sample in samples]
        before, after = _float_results(model, samples), _integer_results(quantized, options, inputs)
        return Accuracy(len(self.labels), self._right(before), self._right(after))

    def _right(self, outputs: Sequence[Array]) -> int:
        """Return how many samples have their largest output at the label; a run has one sample or a batch."""
        batch = len(self.labels) // len(outputs)
        chosen = np.concatenate([output.reshape(batch, -1).argmax(axis=1) for output in outputs])
        return int((chosen == self.labels).sum())


def labelled(path: Path, model: Model) -> Labelled | None:
    """Return the samples of an .npz file that has labels for a model of one output: one integer for each sample."""
    if path.is_dir() or len(model.output_names) != 1:
        return None
    arrays = read_arrays(path)
    for name in LABELS:
        labels = arrays.get(name)
        if labels is not None and name not in model.input_names and labels.dtype.kind in "iu" and labels.ndim == 1:
            stacks = [arrays[each] for each in model.input_names if each in arrays]
            if all(stack.ndim and len(stack) == len(labels) for stack in stacks):
                return Labelled(path, labels)
    return None


def _float_results(model: Model, samples: Sequence[Mapping[str, Array]]) -> list[Array]:
    """Return the output for each sample, in the runtime of the source's format or in our interpreter."""
    [name] = model.output_names
    if FORMATS[model.format].reference is None:
        program = Program(model.module)
        return [program.run([sample[each] for each in model.input_names])[0] for sample in samples]
    found = run_runtime(model, [dict(sample) for sample in samples], [])
    return [tensors[name] for tensors in found.tensors]


def _integer_results(quantized: Converted, options: WriteOptions, inputs: list[list[Array]]) -> list[Array]:
    answer = run_module(EngineName.REFERENCE, FORMATS[quantized.format], quantized.fused, inputs, options)
    if isinstance(answer, EngineError):
        raise answer
    return [results[0] for results in answer]
