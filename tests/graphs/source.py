"""A source of cases: something a model file follows from, and that can be made smaller."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Self

from tests.graphs.case import Case


class Source(ABC):
    """A random model; the same seed gives the same one."""

    label: str
    seed: int
    suffix: str

    @abstractmethod
    def case(self) -> Case:
        """Return the file and its samples."""

    @abstractmethod
    def smaller(self) -> Iterator[Self]:
        """Yield variants with fewer operators, the smallest first, then variants with fewer traits."""
