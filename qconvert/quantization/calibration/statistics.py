"""What calibration found, and the JSON file that keeps it; docs/quantization.md says what is in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qconvert.quantization.calibration.method import Method
from qconvert.quantization.ranges import Range
from qconvert.support.errors import UsageError
from qconvert.support.files import write_text

VERSION = 1


@dataclass(frozen=True)
class Statistics:
    """The ranges of a model's values by name (:func:`~qconvert.quantization.names.value_names`).

    ``model`` is the SHA-256 of the file they were found with, if it is known; ``samples`` how many there were.
    """

    values: Mapping[str, Range]
    method: Method = field(default_factory=Method)
    samples: int = 0
    model: str | None = None

    def json(self) -> str:
        """The statistics file's text."""
        values = {name: _value_json(found) for name, found in self.values.items()}
        head = {"version": VERSION, "method": str(self.method), "samples": self.samples}
        model = {} if self.model is None else {"model": self.model}
        return json.dumps({**head, **model, "values": values}, indent=1) + "\n"

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all; raises UsageError where it cannot be written."""
        write_text(path, self.json())


def _value_json(found: Range) -> dict[str, Any]:
    whole: dict[str, Any] = {"minimum": found.minimum, "maximum": found.maximum}
    if found.axis is None:
        return whole
    return {**whole, "axis": found.axis, "slices": [list(pair) for pair in found.slices]}


def read_statistics(path: Path) -> Statistics:
    """Read a statistics file; raises UsageError naming the place and what is allowed there."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: this is no JSON: {error}") from error
    try:
        return _statistics(content)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def _statistics(content: object) -> Statistics:
    head = checked_keys("the file", content, required=("version", "values"), optional=("method", "samples", "model"))
    if head["version"] != VERSION:
        raise UsageError(f"version {head['version']!r} is not read, only version {VERSION}")
    values = checked_keys("values", head["values"])
    method, samples, model = head.get("method", "minmax"), head.get("samples", 0), head.get("model")
    if not isinstance(method, str):
        raise UsageError(f"method must be a string, found {method!r}")
    if not isinstance(samples, int) or isinstance(samples, bool) or samples < 0:
        raise UsageError(f"samples must be a count, found {samples!r}")
    if not (model is None or isinstance(model, str)):
        raise UsageError(f"model must be a SHA-256 as a string, found {model!r}")
    ranges = {name: read_range(f"values, '{name}'", entry) for name, entry in values.items()}
    return Statistics(ranges, Method.parse(method), samples, model)


def read_range(where: str, content: object) -> Range:
    """A table with a range, as the statistics file has it; raises UsageError."""
    entry = checked_keys(where, content, required=("minimum", "maximum"), optional=("axis", "slices"))
    axis, slices = entry.get("axis"), entry.get("slices", [])
    if axis is not None and (not isinstance(axis, int) or isinstance(axis, bool) or axis < 0):
        raise UsageError(f"{where}: axis must be a dimension's number, found {axis!r}")
    if not isinstance(slices, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in slices):
        raise UsageError(f"{where}: slices must be a list of [minimum, maximum] pairs")
    pairs = tuple((number(where, low), number(where, high)) for low, high in slices)
    try:
        return Range(number(where, entry["minimum"]), number(where, entry["maximum"]), axis, pairs)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error


def checked_keys(
    where: str, content: object, *, required: tuple[str, ...] = (), optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A JSON or TOML table with its keys checked; without required and optional ones it may have any.

    Raises UsageError naming the place, the unknown or missing keys, and those that are allowed.
    """
    if not isinstance(content, dict):
        raise UsageError(f"{where} must be a table of names and values, found {content!r:.60}")
    allowed = (*required, *optional)
    unknown = [key for key in content if key not in allowed] if allowed else []
    if unknown:
        raise UsageError(f"{where}: unknown key {', '.join(map(repr, unknown))}; allowed are {', '.join(allowed)}")
    missing = [key for key in required if key not in content]
    if missing:
        raise UsageError(f"{where}: {' and '.join(missing)} must be there")
    return content


def number(where: str, value: object) -> float:
    """A float of a file; raises UsageError for anything else, booleans included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{where}: a number is needed, found {value!r:.60}")
    try:
        return float(value)
    except OverflowError as error:
        raise UsageError(f"{where}: a number is beyond a float's range") from error
