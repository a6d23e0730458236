"""The steps of a validation, with the samples that are done and the time that the others take."""

from __future__ import annotations

import time
from collections.abc import Callable

from qconvert.validation.measuring.blocks import Measured


class Steps:
    """A function that shows a step, after the number of samples that are done and the time that is left."""

    def __init__(self, show: Callable[[str], None], count: int) -> None:
        """``show`` gets each step as text; ``count`` samples are to be compared."""
        self._show, self._count, self._done = show, count, 0
        self._prefix = ""
        self._blocks, self._together = 0, 1
        self._since = time.monotonic(), 0

    def __call__(self, step: str) -> None:
        """Show a step."""
        self._show(self._prefix + step)

    def begin(self, together: int) -> None:
        """Measure the time from here on; so many blocks of samples are compared at the same time."""
        self._together, self._since = together, (time.monotonic(), 0)

    def counted(self, measured: Measured) -> Measured:
        """Count samples that are done, and return them.

        The time of the first ones, in which processes and engines start, does not count for the others. Blocks that are
        compared at the same time end almost together: the last of them tells the time.
        """
        self._done, self._blocks = self._done + measured.samples, self._blocks + 1
        if self._blocks % self._together:
            return measured
        now, (start, before) = time.monotonic(), self._since
        left = (now - start) / (self._done - before) * (self._count - self._done)
        self._prefix = remaining(self._count, self._done, left)
        if not before:
            self._since = now, self._done
        if self._done < self._count:
            self("comparing samples")
        return measured


def remaining(count: int, done: int, seconds: float) -> str:
    """Return how many samples are done, and the time that the others take, which rounding changes by 5% at most."""
    shown = f"{seconds / 60:.0f} min" if seconds >= 600 else f"{seconds:.0f} s"
    return f"{done:,} of {count:,} samples, about {shown} left: "
