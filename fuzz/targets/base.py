"""A target: what a fuzzer needs to know of a kind of file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fuzz.guard import Run
from fuzz.mutators.raw import Mutation


@dataclass(frozen=True)
class Target:
    """A kind of file.

    ``seeds`` makes small good files of it; ``run`` is given bytes and the number of a way; ``smaller`` yields variants
    of a file with a part taken out.
    """

    name: str
    suffix: str
    seeds: Callable[[], Iterator[bytes]]
    mutate: Mutation
    smaller: Callable[[bytes], Iterator[bytes]]
    run: Run
