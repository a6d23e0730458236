"""Mutations of TOML and JSON: values, keys, lines and tables of other documents, and deep nesting."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from fuzz.mutators.raw import FLOATS, INTEGERS, NAMES, RAW, Mutation, one_of
from fuzz.mutators.words import of_text, repeated, replaced

_TOKEN = re.compile(r'"[^"\n]*"|[\w.+-]+|\s+|.')
_VALUE = re.compile(r'(?<==)\s*\S[^\n]*|"[^"\n]*"|-?\d[\w.+-]*')
_KEY = re.compile(r'(?m)^\s*[\w."]+(?= =)|"[^"\n]*"(?=:)')
_VALUES = (
    *("0", "1", "-1", "3.5", "1e400", "-1e-400", "nan", "inf", "-inf", "true", "false", '""', "[]", "{}", "null"),
    *("9" * 30, "9" * 5000, "0x" + "f" * 40, "1979-05-27T07:32:00Z", '"²"', '"i8<-127:127>"', '"i²"', '"\\ud800"'),
    *("[[1.0, 2.0]]", "{ scale = 0.5 }", "[1.0, -1.0]", '["a", "b"]', "i8", '"i8"', '"u16"', '"any"', '"x"'),
    *('"\\u202e"', "[1, [2, [3]]]"),
)
_WORDS = ("[", "]", "{", "}", ",", "=", ":", '"', "'", '"""', "[[", "]]", ".", "#", "\n", "\\", "a.", "-", "_", "é")


def _edited(rng: random.Random, text: str, other: str) -> str:
    """Change a token, a value, a line or a key, or nest deeply."""
    match rng.randrange(20):
        case 0:
            return repeated(rng, text, rng.choice((*_WORDS, "a={b=", '{"a":', "[a]\n")))
        case n if n < 4:
            return replaced(rng, text, _TOKEN, (*_WORDS, ""))
        case n if n < 12:
            return replaced(rng, text, _VALUE, _VALUES)
        case n if n < 16:
            return _lines(rng, text, other)
        case _:
            return replaced(rng, text, _KEY, _KEY.findall(other) or ["x"])


edit_text = of_text(_edited)


def _lines(rng: random.Random, text: str, other: str) -> str:
    """Remove a line, or insert lines of this document or the other."""
    lines, others = text.splitlines(keepends=True), other.splitlines(keepends=True) or ["x = 1\n"]
    if lines and not rng.randrange(3):
        lines.pop(rng.randrange(len(lines)))
    start, count = rng.randrange(len(others)), rng.choice((1, 1, 4))
    at = rng.randrange(len(lines) + 1)
    lines[at:at] = others[start : start + count] if rng.randrange(2) else lines[at : at + 1]
    return "".join(lines)


def edit_tree(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Change a value anywhere in a JSON document; if the text is not JSON, change the text."""
    try:
        tree, second = json.loads(data), json.loads(other)
    except (ValueError, RecursionError):
        return edit_text(rng, data, other)
    for _ in range(rng.choice((1, 1, 2))):
        tree = _changed(rng, tree, second)
    return json.dumps(tree).encode()


def _changed(rng: random.Random, value: Any, other: Any) -> Any:
    """Return a value with a change at a random depth."""
    part = rng.choice(list(other.values())) if isinstance(other, dict) and other else other
    if isinstance(value, dict) and value and rng.randrange(5):
        key = rng.choice(list(value))
        changed = {**value, rng.choice((key,) * 8 + NAMES): _changed(rng, value[key], part)}
        if not rng.randrange(6):
            del changed[key]
        return changed
    if isinstance(value, list) and value and rng.randrange(5):
        at = rng.randrange(len(value))
        return [*value[:at], _changed(rng, value[at], part), *value[at + rng.choice((0, 1, 1, 1)) :]]
    plain: tuple[Any, ...] = (None, True, "i8", "u16", {}, [], [value], {"a": value}, "9" * 30, int("9" * 400))
    return rng.choice((other, part, *plain, *INTEGERS, *FLOATS, *NAMES))


mutate_json: Mutation = one_of((*RAW, *(edit_text,) * 5, *(edit_tree,) * 9))
mutate_toml: Mutation = one_of((*RAW, *(edit_text,) * 14))
