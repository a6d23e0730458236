"""A target: the seeds, the mutator and the run of one kind of file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fuzz.guard import Run
from fuzz.mutators.raw import Mutation


@dataclass(frozen=True)
class Target:
    """A kind of file.

    ``seeds`` makes small valid files; ``run`` takes bytes and the number that chooses options; ``smaller`` yields
    variants of a file without a part.
    """

    name: str
    suffix: str
    seeds: Callable[[], Iterator[bytes]]
    mutate: Mutation
    smaller: Callable[[bytes], Iterator[bytes]]
    run: Run
