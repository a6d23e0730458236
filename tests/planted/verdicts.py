"""What the commands say of a file with a fault: the first layer that each calls wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from qconvert import ComparisonSettings, Settings, compare, diff, load, validate
from qconvert.api import Model
from qconvert.support.errors import QConvertError
from qconvert.validation import Report
from tests.planted.models import source
from tests.planted.planting import planted, samples_of
from tests.planted.table import Fault

_LAYER = re.compile(r"(?:layer|first value that departs is|departs from the reference is) '([^']+)'")


class Said(StrEnum):
    """What a command says."""

    RIGHT = "right"
    INNOCENT = "innocent"
    NONE = "none"


class Verdict(NamedTuple):
    """The names that a command gives to the first layer that it calls wrong, and whether that is the right one."""

    said: Said
    names: tuple[str, ...]
    sentence: str

    def __str__(self) -> str:
        return f"{self.said}: {' / '.join(dict.fromkeys(self.names))}" if self.names else str(self.said)


Names = tuple[tuple[str, ...], str]
"""The names of a layer, and the sentence that has them."""


class Outcome(NamedTuple):
    """A fault, whether it counts, and the verdict of each command on it."""

    fault: Fault
    counts: bool
    verdicts: dict[str, Verdict]


def outcome(fault: Fault, folder: Path, commands: Iterable[str]) -> Outcome:
    """Plant a fault and ask commands for it. Raises NoPlaceError if there is no place for the fault."""
    path, right, counts = planted(fault, folder)
    model = source(fault.model, fault.storage)
    said = {command: _verdict(COMMANDS[command], model, path, right) for command in commands} if counts else {}
    return Outcome(fault, counts, said)


def _verdict(ask: Callable[[Model, Path], Names], model: Model, path: Path, right: frozenset[str]) -> Verdict:
    try:
        names, sentence = ask(model, path)
    except QConvertError as error:
        return Verdict(Said.NONE, (), f"{type(error).__name__}: {error}")
    said = Said.NONE if not names else Said.RIGHT if right & {*names} else Said.INNOCENT
    return Verdict(said, names, sentence)


def _validated(model: Model, path: Path) -> Names:
    file = load(path)
    report = validate(model, file, settings=Settings(samples=samples_of(file.format)))
    return _first(report.failures)


def _first(failures: tuple[str, ...]) -> Names:
    """Return the first layer that sentences name, and the sentence; without a name the first sentence."""
    for failure in failures:
        if found := _LAYER.search(failure):
            return (found[1],), failure
    return (), failures[0] if failures else "passed"


def _compared(model: Model, path: Path) -> Names:
    return _place(compare(model, path, settings=_settings(path)))


def _compared_back(model: Model, path: Path) -> Names:
    return _place(compare(path, model, settings=_settings(path)))


def _settings(path: Path) -> ComparisonSettings:
    return ComparisonSettings(samples=samples_of(load(path).format))


def _place(report: Report) -> Names:
    """Return the first layer that a comparison calls wrong, by its names in both files where both are known."""
    names, sentence = _first(report.failures)
    places = [each.second for each in report.values if each.node in names and each.second is not None]
    return (*names, *(place.node for place in places[:1])), sentence


def _diffed(first: Model | Path, second: Model | Path) -> Names:
    found = diff(first, second)
    if found.equal:
        return (), "equal"
    finding = found.findings[0]
    return tuple(name for name in (finding.layer, finding.second_layer) if name is not None), str(finding)


COMMANDS: dict[str, Callable[[Model, Path], Names]] = {
    "validate": _validated,
    "compare A B": _compared,
    "compare B A": _compared_back,
    "diff A B": _diffed,
    "diff B A": lambda model, path: _diffed(path, model),
}
"""The commands by their names; A is the source, B the file."""
