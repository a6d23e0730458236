"""Bounded reading of untrusted JSON and TOML: size, depth, number of values, digits, and parts of a key.

The text is scanned before it is parsed, because the parsers of Python's library recurse over nesting, take time with
the square of a dotted key's length, and pass thousands of digits to ``int``.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qconvert.support.errors import UsageError

DEPTH_LIMIT = 32
"""Largest depth of nested tables and lists, and largest number of parts of a dotted key."""

VALUE_LIMIT = 4_000_000
"""Largest number of keys and values."""

DIGIT_LIMIT = 1000
"""Largest number of digits of a number."""


@dataclass(frozen=True)
class _Kind:
    """A kind of document: its size limit, and the pattern of strings and comments, which the scan skips."""

    name: str
    byte_limit: int
    quoted: re.Pattern[str]


# A string that is not closed goes on to the end of the text or line, so that no part of a text is scanned twice.
JSON = _Kind("JSON", 1 << 26, re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL))
TOML = _Kind(
    "TOML",
    1 << 20,
    re.compile(
        r'"""(?:[^\\]|\\.)*?(?:"""|\Z)'
        r"|'''.*?(?:'''|\Z)"
        r'|"(?:[^"\\\n]|\\.)*+"?'
        r"|'[^'\n]*+'?"
        r"|#[^\n]*+",
        re.DOTALL,
    ),
)
_NESTING = re.compile(r"[\[\]{}]")
_LONG_KEY = re.compile(rf"(?<![\w-])[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++){{{DEPTH_LIMIT}}}")
_LONG_NUMBER = re.compile(rf"(?<![0-9_])[0-9_]{{{DIGIT_LIMIT + 1}}}|(?<!\w)0[xX][0-9a-fA-F_]{{{DIGIT_LIMIT + 1}}}")


def read_document(path: Path, *, is_json: bool) -> object:
    """Return the content of a JSON or TOML file; raises UsageError naming the file, and the limit that it exceeds."""
    kind = JSON if is_json else TOML
    try:
        with path.open("rb") as stream:
            data = stream.read(kind.byte_limit + 1)
        if len(data) > kind.byte_limit:
            raise UsageError(f"{path}: the file is too large: more than {kind.byte_limit:,} bytes of {kind.name}")
        text = data.decode()
        _check(path, kind.quoted.sub("q", text))
        return json.loads(text, object_pairs_hook=_table) if is_json else tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # also text that is not UTF-8
        raise UsageError(f"{path}: this is not valid {kind.name}: {error}") from error


def _check(path: Path, text: str) -> None:
    """Raise UsageError for a text, without its strings, that exceeds a limit."""
    depth = 0
    for bracket in _NESTING.finditer(text):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > DEPTH_LIMIT:
            raise UsageError(f"{path}: tables and lists are nested deeper than {DEPTH_LIMIT} levels")
    if _LONG_KEY.search(text):
        raise UsageError(f"{path}: a key has more than {DEPTH_LIMIT} parts")
    if _LONG_NUMBER.search(text):
        raise UsageError(f"{path}: a number has more than {DIGIT_LIMIT:,} digits")
    if sum(map(text.count, ",:=[{")) > VALUE_LIMIT:
        raise UsageError(f"{path}: there are more than {VALUE_LIMIT:,} keys and values")


def _table(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Return a table of JSON; raises ValueError for a key that occurs twice, where Python would keep the last value."""
    table = dict(pairs)
    if len(table) != len(pairs):
        [(key, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {key!r:.60} occurs twice")
    return table
