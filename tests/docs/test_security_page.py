"""SECURITY.md states the limits that the code has."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from qconvert.engines.limits import VARIABLE, Limits, default_limits
from qconvert.support import arrays, documents, numbers
from qconvert.support.limits import Budget
from tests.support.paths import ROOT

ROWS = [
    ("arrays of an `.npz` file together", f"{arrays.EXPANDED_BYTES >> 20} MiB, or {arrays.EXPANSION} times the file"),
    ("files in an `.npz` file", f"{arrays.MEMBER_LIMIT:,}"),
    ("TOML", f"{documents.TOML.byte_limit >> 20} MiB"),
    ("JSON", f"{documents.JSON.byte_limit >> 20} MiB"),
    ("keys and values of TOML or JSON", f"{documents.VALUE_LIMIT:,}"),
    ("depth of nested tables and lists, parts of a key", f"{documents.DEPTH_LIMIT}"),
    ("digits of a number in TOML or JSON", f"{documents.DIGIT_LIMIT:,}"),
    ("digits of a size on the command line", f"{numbers.MOST_DIGITS}"),
]


@pytest.mark.parametrize(("what", "limit"), ROWS)
def test_a_limit(what: str, limit: str) -> None:
    page = (ROOT / "SECURITY.md").read_text()
    assert re.search(rf"^\| {re.escape(what)} \| {re.escape(limit)} \|", page, re.MULTILINE)


def listed(part: str) -> list[tuple[str, str]]:
    """The names and defaults in the table of a part of the page."""
    [text] = re.findall(rf"\*\*{part}\.\*\*(.*?)(?=\n\*\*|\n## )", (ROOT / "SECURITY.md").read_text(), re.DOTALL)
    return re.findall(r"^\| `(\w+)` \| ([^|]+) \|", text, re.MULTILINE)


def test_the_budget() -> None:
    assert listed("The model") == [(field.name, f"{field.default:,}") for field in fields(Budget)]


def test_the_limits_of_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, " ".join(f"{name}={value}" for name, value in listed("Engines") if " " not in value))
    assert default_limits() == Limits()
    assert sorted(name for name, _ in listed("Engines")) == sorted(Limits._fields)


def test_the_files_that_decide() -> None:
    named = set(re.findall(r"`(support/\w+\.py)`", (ROOT / "SECURITY.md").read_text()))
    assert len(named) >= 4
    assert all((ROOT / "qconvert" / name).is_file() for name in named)
