"""The element types of onnxruntime's CPU kernels, by operator and opset, from the table ``kernels.txt``.

``fixtures/make_onnx_kernels.py`` writes the table from the kernels that onnxruntime 1.31 has registered. A line is an
operator, the first opset, and for each type variable of the schema its types; ``|`` parts types that go together only,
``-`` stands for all types.
onnxruntime puts nodes of float16 without a kernel between Casts to float itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeAlias

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's own operators."""

_TABLE = Path(__file__).with_name("kernels.txt")
_HALF, _FLOAT = "float16", "float"
Entry: TypeAlias = Mapping[str, frozenset[str]]


@cache
def _lines() -> dict[str, list[tuple[int, str]]]:
    """Return the opsets and types of each operator, the oldest opset first."""
    found: dict[str, list[tuple[int, str]]] = {}
    for line in _TABLE.read_text().splitlines():
        operator, opset, *types = line.split(" ", 2)
        found.setdefault(operator, []).append((int(opset), types[0] if types else ""))
    return found


@lru_cache(maxsize=256)
def _entries(operator: str, opset: int) -> tuple[Entry, ...]:
    text = next((types for since, types in reversed(_lines().get(operator, ())) if since <= opset), "")
    return tuple(_entry(part) for part in text.partition(" : ")[0].split(" | ") if part)


def _entry(text: str) -> Entry:
    pairs = (pair.partition("=") for pair in text.split(";") if pair != "-")
    return {variable: frozenset(types.split(",")) for variable, _, types in pairs}


def contrib_ports(operator: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the type variables of the inputs and outputs of onnxruntime's own operator; None if there is none."""
    lines = _lines().get(f"{MICROSOFT}.{operator}")
    if lines is None:
        return None
    inputs, outputs = lines[0][1].partition(" : ")[2].split(" ")
    return tuple(inputs.split(",")), tuple(outputs.split(","))


def lacking(operator: str, opset: int, types: Mapping[str, str]) -> str | None:
    """Return the type variable whose type no kernel of an operator takes, '' for an operator without any kernel.

    ``operator`` has its domain before it if that is onnxruntime's. Returns None if a kernel takes the types.
    """
    entries = _entries(operator, opset)
    if not entries:
        return ""
    given = {name: each for name, each in types.items() if name in entries[0]}
    taken = {name: frozenset[str]().union(*(entry[name] for entry in entries)) for name in given}
    as_floats = {name: _FLOAT if each == _HALF and _HALF not in taken[name] else each for name, each in given.items()}
    if any(_takes(entry, as_floats) for entry in entries):
        return None
    return next((name for name, each in as_floats.items() if each not in taken[name]), next(iter(given)))


def _takes(entry: Entry, types: Mapping[str, str]) -> bool:
    return all(each in entry[name] for name, each in types.items())
