"""The labels of samples, and how many of them two models classify right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qconvert.support.counting import counted
from qconvert.support.errors import UsageError
from qconvert.validation.compare import Array
from qconvert.validation.comparison.oracles import Arrays
from qconvert.validation.comparison.pair import OutputPair
from qconvert.validation.comparison.report import SharesRight


@dataclass(frozen=True)
class Labels:
    """The class of each sample; a run has ``batch`` samples, and ``output`` holds their scores."""

    classes: Array
    batch: int
    output: OutputPair

    def right(self, start: int, runs: Sequence[tuple[Arrays, Arrays]]) -> SharesRight:
        """Return how many samples both models classify right in some runs; ``start`` runs precede them."""
        wanted = self.classes[start * self.batch : (start + len(runs)) * self.batch]
        names = (self.output.first, self.output.second)
        first, second = (self._chosen([run[side][name] for run in runs]) for side, name in enumerate(names))
        return SharesRight(len(wanted), int((first == wanted).sum()), int((second == wanted).sum()))

    def _chosen(self, outputs: Sequence[Array]) -> Array:
        return np.concatenate([output.reshape(self.batch, -1).argmax(axis=1) for output in outputs])


def labels_of(classes: Array | None, samples: int | None, outputs: Sequence[OutputPair]) -> Labels | None:
    """Return the labels of given samples, None if there are none.

    Raises UsageError without given samples, for several outputs, and for a number of labels that does not fit.
    """
    if classes is None:
        return None
    if samples is None:
        raise UsageError("labels belong to given samples: give --inputs as well")
    if len(outputs) != 1:
        raise UsageError(f"the models have {counted(len(outputs), 'output')} in common, labels need one with scores")
    flat = classes.reshape(-1)
    if flat.dtype.kind not in "iu" or len(flat) == 0 or len(flat) % samples:
        found = f"{counted(len(flat), 'label')} of type {flat.dtype}"
        raise UsageError(f"there are {found} for {counted(samples, 'sample')}: give one integer for each sample")
    return Labels(flat, len(flat) // samples, outputs[0])
