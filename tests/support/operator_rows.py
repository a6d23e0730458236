"""Rows of the tables in ``tests/cases``: an ONNX operator, and the differences allowed to each way of computing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.support.onnx_cases import Array, Case


class Within(NamedTuple):
    """The largest differences from onnxruntime that are allowed, as numpy's ``assert_allclose`` takes them."""

    rtol: float
    atol: float

    def check(self, found: Sequence[Array], expected: Sequence[Array]) -> None:
        """Raise AssertionError where shapes, types or elements differ; NaN equals NaN."""
        for one, other in zip(found, expected, strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
            if self == EXACT:
                np.testing.assert_array_equal(one, other)
            else:
                np.testing.assert_allclose(one, other, rtol=self.rtol, atol=self.atol)


EXACT = Within(0.0, 0.0)


@dataclass(frozen=True)
class Row:
    """One operator with its inputs, and what is expected of its model."""

    case: Case
    read: Within = EXACT
    """Of our interpreter on the imported model, and of onnxruntime on the model that we write from it."""

    tosa: Within | None = None
    """Of TOSA's reference model on the converted model. None: the row is not run as TOSA."""
