"""Strict reading of JSON and TOML files: tables with known keys, numbers, axes and storage types."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from qconvert.ir import Storage
from qconvert.support.documents import read_document
from qconvert.support.errors import UsageError

_T = TypeVar("_T")
_STORAGE = re.compile(r"(i|ui?)(\d{1,2})(?:<(-?\d{1,12}):(-?\d{1,12})>)?")


def parsed(path: Path, parse: Callable[[object], _T], *, is_json: bool) -> _T:
    """Return the parsed content of a JSON or TOML file; raises UsageError naming the file."""
    content = read_document(path, is_json=is_json)
    try:
        return parse(content)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def checked_keys(
    where: str, content: object, *, required: tuple[str, ...] = (), optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return a JSON or TOML table after a check of its keys; without required and optional keys all are allowed.

    Raises UsageError naming the place, the unknown or missing keys, and the allowed ones.
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
    """Return a float of a file; raise UsageError for anything else, booleans included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{where}: a number is needed, found {value!r:.60}")
    try:
        return float(value)
    except OverflowError as error:
        raise UsageError(f"{where}: a number is beyond a float's range") from error


def axis(where: str, value: object) -> int | None:
    """Return an axis of a file, None if it is absent; raise UsageError for anything but a dimension's number."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise UsageError(f"{where}: axis must be a dimension's number, found {value!r}")


def storage(text: str, widths: tuple[int, ...]) -> Storage | None:
    """Return the storage that a text such as ``i8``, ``u8`` or ``i8<-127:127>`` names; None if it names none.

    Raises UsageError for a range outside of the type.
    """
    match = _STORAGE.fullmatch(text)
    if match is None or int(match[2]) not in widths:
        return None
    full = Storage.full(int(match[2]), signed=match[1] == "i")
    if match[3] is None:
        return full
    low, high = int(match[3]), int(match[4])
    if not full.minimum <= low < high <= full.maximum:
        raise UsageError(f"{low}:{high} is not a range of {full}, which has {full.minimum}:{full.maximum}")
    return Storage(full.width, full.signed, low, high)
