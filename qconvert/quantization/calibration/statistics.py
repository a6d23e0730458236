"""Results of calibration, and the JSON file that keeps them; docs/quantization.md describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qconvert.quantization.calibration.method import Method
from qconvert.quantization.documents import axis, checked_keys, number, parsed
from qconvert.quantization.ranges import Range
from qconvert.support.errors import UsageError
from qconvert.support.files import write_text
from qconvert.support.json_text import json_text

VERSION = 1


@dataclass(frozen=True)
class Statistics:
    """The ranges of a model's values by name (:func:`~qconvert.quantization.names.value_names`).

    ``model`` is the SHA-256 of the model file, if it is known. ``samples`` is the number of samples.
    """

    values: Mapping[str, Range]
    method: Method = field(default_factory=Method)
    samples: int = 0
    model: str | None = None

    def json(self) -> str:
        """Return the statistics file's text."""
        values = {name: _value_json(found) for name, found in self.values.items()}
        head = {"version": VERSION, "method": str(self.method), "samples": self.samples}
        model = {} if self.model is None else {"model": self.model}
        return json_text({**head, **model, "values": values}, indent=1) + "\n"

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all; raise UsageError if it cannot be written."""
        write_text(path, self.json())


def _value_json(found: Range) -> dict[str, Any]:
    whole: dict[str, Any] = {"minimum": found.minimum, "maximum": found.maximum}
    if found.axis is None:
        return whole
    return {**whole, "axis": found.axis, "slices": [list(pair) for pair in found.slices]}


def read_statistics(path: Path) -> Statistics:
    """Read a statistics file; raise UsageError naming the place and what is allowed there."""
    return parsed(path, _statistics, is_json=True)


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
    """Return the range in a table, in the form of the statistics file; raise UsageError if it is not one."""
    entry = checked_keys(where, content, required=("minimum", "maximum"), optional=("axis", "slices"))
    dimension, slices = axis(where, entry.get("axis")), entry.get("slices", [])
    if not isinstance(slices, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in slices):
        raise UsageError(f"{where}: slices must be a list of [minimum, maximum] pairs")
    pairs = tuple((number(where, low), number(where, high)) for low, high in slices)
    try:
        return Range(number(where, entry["minimum"]), number(where, entry["maximum"]), dimension, pairs)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error
