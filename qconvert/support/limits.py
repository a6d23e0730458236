"""The budget of a conversion: what an untrusted model may ask for, checked before time or memory is spent.

A kilobyte can ask for gigabytes: aliases that use each other, functions that call each other, broadcast constants.
The limits are far above what models need. ``QCONVERT_BUDGET="ops=200000 calls=100"`` in the environment raises those
that it names, and so does :func:`allowing` around calls of the library.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from functools import cache
from math import prod

from qconvert.support.errors import ConversionError, UsageError

VARIABLE = "QCONVERT_BUDGET"


@dataclass(frozen=True)
class Budget:
    """The limits. The command line's name of each is its field's name."""

    nesting: int = 200
    """Levels of brackets in MLIR text."""

    levels: int = 64
    """Depth of attributes and types that are nested by aliases of MLIR text."""

    attributes: int = 1_000_000
    """Attributes and types that the aliases of an MLIR text stand for, counted at each use."""

    locations: int = 500_000
    """Source names of the locations of an MLIR text, its aliases expanded."""

    ops: int = 50_000
    """Ops that are copied where calls of functions or subgraphs are replaced by their bodies."""

    calls: int = 64
    """Depth of calls of functions and subgraphs."""

    constant_bytes: int = 1 << 28
    """Bytes of constants beyond the file's own: broadcast constants written out, and constants of copied ops."""

    steps: int = 1_000_000
    """Ops that the interpreter evaluates for one sample, counted in each iteration of a loop."""

    unrolled: int = 4096
    """Steps of a recurrent layer, which are unrolled."""

    folded: int = 4096
    """Elements of a constant that is computed during import, such as a shape or axes."""

    listed: int = 1 << 22
    """Length of a list that is read or made during import, such as scales, indices or positions."""

    elements: int = 1 << 31
    """Elements of a tensor; no supported runtime holds more."""

    rank: int = 32
    """Dimensions of a tensor; numpy's limit is twice as many."""

    piped_bytes: int = 1 << 31
    """Bytes of a model that comes through standard input or a pipe, and is held in memory."""

    def check(self, name: str, asked: int, what: str, **place: str | None) -> None:
        """Raise ConversionError if a number exceeds the limit ``name``; ``place`` is the location in the model."""
        if asked > (limit := getattr(self, name)):
            raise exceeded(name, f"{what}, the limit is {limit:,}", **place)


_GIVEN: ContextVar[Budget | None] = ContextVar("budget", default=None)


def budget() -> Budget:
    """Return the budget in force."""
    return _GIVEN.get() or _parsed(os.environ.get(VARIABLE, ""))


@contextmanager
def allowing(**limits: int | None) -> Iterator[None]:
    """Change limits inside the context; None keeps a limit."""
    token = _GIVEN.set(replace(budget(), **{name: limit for name, limit in limits.items() if limit is not None}))
    try:
        yield
    finally:
        _GIVEN.reset(token)


def exceeded(name: str, found: str, **place: str | None) -> ConversionError:
    """Return the error for exceeding the limit ``name``, with advice on how to raise the limit."""
    advice = f"Set {VARIABLE}={name}={2 * getattr(budget(), name)} or more if you trust the model"
    return ConversionError(found, hint=advice, **place)


@cache
def _parsed(text: str) -> Budget:
    """Return the budget of ``NAME=NUMBER`` parts; raises UsageError for anything else."""
    known, limits = [field.name for field in fields(Budget)], {}
    for part in text.replace(",", " ").split():
        name, _, number = part.partition("=")
        if name not in known or not (number.isascii() and number.isdigit() and len(number) < 20):
            raise UsageError(f"{VARIABLE}: '{part:.60}' is not NAME=NUMBER with one of {', '.join(known)}")
        limits[name] = int(number)
    return Budget(**limits)


@dataclass(slots=True)
class WrittenOut:
    """The bytes of broadcast constants that are written with all their elements, for one model."""

    total: int = 0

    def add(self, count: int, **place: str | None) -> None:
        """Count bytes before they are made; raise ConversionError beyond the limit."""
        self.total += count
        found = f"broadcast constants take {self.total:,} bytes written out"
        budget().check("constant_bytes", self.total, found, **place)


def check_shape(sizes: Sequence[int]) -> None:
    """Raise ConversionError unless sizes are a valid shape within the limits."""
    limits = budget()
    if len(sizes) > limits.rank:
        found = f"a tensor of {len(sizes)} dimensions, the limit is {limits.rank}"
        raise ConversionError(found, hint="Check the shapes in the model")
    if any(size < 0 for size in sizes):
        raise ConversionError(f"shape {list(sizes)} has a negative dimension", hint="Check the shapes in the model")
    if max(sizes, default=0) > limits.elements or prod(sizes) > limits.elements:
        raise ConversionError(
            f"a tensor of shape {list(sizes)} has more than {limits.elements:,} elements",
            hint="Check the shapes in the model; no tool can hold this one",
        )
