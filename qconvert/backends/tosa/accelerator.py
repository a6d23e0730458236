"""The hardware that a TOSA module is written for: what the lowering asks about it, and the forms that it adds.

All forms compute the same integers. A vendor's accelerators are a folder beside this one, and a row of ``_VENDORS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import NamedTuple, Protocol

from qconvert.rewriting import Pass
from qconvert.support.errors import UsageError


class Accelerator(Protocol):
    """What TOSA is written for. Two are equal if all their answers are."""

    @property
    def name(self) -> str:
        """The name that users give it."""

    @property
    def resizes(self) -> bool:
        """True if RESIZE takes any positions, and is as fast as SLICE."""

    @property
    def copied_step(self) -> int:
        """The largest step at which MAX_POOL2D of one element copies elements; 0 if SLICE of a PAD does so."""

    @property
    def least_slice(self) -> int:
        """The fewest elements for which SLICE is faster than GATHER; 0 if it always is."""

    def configurations(self) -> Mapping[str, Accelerator]:
        """Return the accelerator and variants of it, by the names that users give."""

    def forms(self, *, nhwc_io: bool) -> tuple[Pass, ...]:
        """Return passes that rewrite a lowered module.

        With ``nhwc_io`` images in arguments and results have their channels last.
        """

    def last_forms(self) -> tuple[Pass, ...]:
        """Return passes that come last, because merging equal ops would undo them."""


class _AnyHardware(NamedTuple):
    """No accelerator in particular: ops become what they say."""

    name: str = "any hardware"
    resizes: bool = False
    copied_step: int = 0
    least_slice: int = 0

    def configurations(self) -> Mapping[str, Accelerator]:
        """Return nothing: it is what users get who name none."""
        return {}

    def forms(self, *, nhwc_io: bool) -> tuple[Pass, ...]:
        """Return no passes."""
        del nhwc_io
        return ()

    def last_forms(self) -> tuple[Pass, ...]:
        """Return no passes."""
        return ()


ANY_HARDWARE: Accelerator = _AnyHardware()
"""The default."""

_VENDORS = ("qconvert.backends.ethos_u.accelerator:ACCELERATORS",)
"""The accelerators of each vendor, as ``module:tuple``. They are imported when one is asked for."""


def every_accelerator() -> tuple[Accelerator, ...]:
    """Return the accelerators of all vendors, without their variants."""
    return tuple(each for vendor in _VENDORS for each in resolve_name(vendor))


def find_accelerator(name: str) -> Accelerator:
    """Return an accelerator, or a variant of one, by its name; raises UsageError for another name."""
    named = {key: found for each in every_accelerator() for key, found in each.configurations().items()}
    if name not in named:
        raise UsageError(f"there is no NPU '{name}'; there are {', '.join(named)}")
    return named[name]
