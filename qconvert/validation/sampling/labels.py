"""The labels of samples, and how many of them two models classify right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qconvert.support.arrays import Array
from qconvert.support.counting import counted
from qconvert.support.errors import UsageError
from qconvert.validation.figures.report import SharesRight
from qconvert.validation.sampling.classes import Classes


@dataclass(frozen=True)
class Labels:
    """The class of each sample; a run has ``batch`` samples, and ``output`` tells their classes in one ``form``."""

    classes: Array
    batch: int
    output: str
    form: Classes

    def right(self, start: int, first: Sequence[Array], second: Sequence[Array]) -> SharesRight:
        """Return how many samples two models classify right by the output of some runs; ``start`` runs precede them."""
        wanted = self.classes[start * self.batch : (start + len(first)) * self.batch]
        one, other = (int((self._chosen(outputs) == wanted).sum()) for outputs in (first, second))
        return SharesRight(len(wanted), one, other)

    def _chosen(self, outputs: Sequence[Array]) -> Array:
        rows = np.concatenate([output.reshape(self.batch, -1) for output in outputs])
        return np.asarray(rows[:, 0] if self.form is Classes.INDICES else rows.argmax(axis=1))


def labels_of(
    classes: Array | None, samples: int | None, outputs: Sequence[str], forms: Mapping[str, Classes]
) -> Labels | None:
    """Return the labels of given samples, None if there are none.

    Raises UsageError without given samples, for several outputs, and for a number of labels that does not fit.
    """
    if classes is None:
        return None
    if samples is None:
        raise UsageError("labels belong to given samples: give --inputs as well")
    if len(outputs) != 1:
        raise UsageError(f"labels need one output that tells classes, there are {len(outputs)}: name it by --classes")
    flat = classes.reshape(-1)
    if flat.dtype.kind not in "iu" or len(flat) == 0 or len(flat) % samples:
        found = f"{counted(len(flat), 'label')} of type {flat.dtype}"
        raise UsageError(f"there are {found} for {counted(samples, 'sample')}: give one integer for each sample")
    return Labels(flat, len(flat) // samples, outputs[0], forms.get(outputs[0], Classes.SCORES))
