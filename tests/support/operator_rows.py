"""Rows of the tables in ``tests/cases``: an ONNX operator, and the differences allowed to each way of computing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tests.support.onnx_cases import Array, Case


class Within(NamedTuple):
    """The largest differences from onnxruntime that are allowed, as numpy's ``assert_allclose`` takes them."""

    rtol: float
    atol: float
    share: float = 1.0
    """The largest share of elements that may differ at all."""

    def check(self, found: Sequence[Array], expected: Sequence[Array]) -> None:
        """Raise AssertionError where shapes, types or elements differ; NaN equals NaN."""
        for one, other in zip(found, expected, strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
            if self == EXACT:
                np.testing.assert_array_equal(one, other)
            else:
                np.testing.assert_allclose(one, other, rtol=self.rtol, atol=self.atol)
            if self.share < 1:
                assert np.mean(one != other) <= self.share


EXACT = Within(0.0, 0.0)
TIES = Within(0.0, 1.0, 0.002)
"""Of integers whose sums are added up in another order: exact ties fall either way, by one step."""


@dataclass(frozen=True)
class Row:
    """One operator with its inputs, and what is expected of its model."""

    case: Case
    read: Within = EXACT
    """Of our interpreter on the imported model."""

    written: Within | None = None
    """Of onnxruntime on the model that we write from the imported one. None: as ``read``."""

    tosa: Within | None = None
    """Of TOSA's reference model on the converted model. None: the row is not run as TOSA."""

    is_one_of_many: bool = False
    """True where other rows differ by a number only: ``make check`` leaves the row out."""


def spelled(operator: str, attributes: Mapping[str, Any]) -> str:
    """Return an operator with its attributes as a part of a row's name."""
    values = {key: "x".join(map(str, value)) if isinstance(value, list) else value for key, value in attributes.items()}
    return " ".join([operator, *(f"{key}={value}" for key, value in values.items())])
