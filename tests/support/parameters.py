"""Parameters of tests that try many cases of one kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def few(values: Iterable[Any], quick: int) -> list[Any]:
    """Return the values as parameters: ``make check`` tries the first ``quick`` of them, ``make test`` all."""
    return [value if i < quick else pytest.param(value, marks=pytest.mark.slow) for i, value in enumerate(values)]


def few_of_each(values: Iterable[Any], quick: int, kind: Callable[[Any], object]) -> list[Any]:
    """Return the values as parameters: ``make check`` tries so many of each kind, spread evenly."""
    by_kind: defaultdict[object, list[Any]] = defaultdict(list)
    for value in values:
        by_kind[kind(value)].append(value)
    return [
        value if _is_quick(i, quick, len(alike)) else pytest.param(value, marks=pytest.mark.slow)
        for alike in by_kind.values()
        for i, value in enumerate(alike)
    ]


def mark_others(items: Iterable[pytest.Item]) -> None:
    """Mark as long what ``@pytest.mark.usual(count)`` leaves out, and as slow what ``@pytest.mark.quick(count)`` does.

    That is all parameters but so many, spread evenly, because neighbours of a product of parameters differ in the last
    of them only.
    """
    by_function: defaultdict[tuple[object, Callable[..., object]], list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function):
            by_function[item.parent, item.function].append(item)
    for tests in by_function.values():
        for name, beyond in (("usual", pytest.mark.long), ("quick", pytest.mark.slow)):
            if (chosen := tests[0].get_closest_marker(name)) is not None:
                (count,) = chosen.args
                left = [test for test in tests if test.get_closest_marker(beyond.name) is None]
                for i, test in enumerate(left):
                    if not _is_quick(i, count, len(left)):
                        test.add_marker(beyond)


def _is_quick(i: int, count: int, total: int) -> bool:
    """Return True if the test of this index is among ``count`` that are spread evenly over all."""
    return i == 0 or i * count // total != (i - 1) * count // total
