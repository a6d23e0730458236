"""Items that a thread makes beside the one that uses them."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from qconvert.support.ahead import ahead
from qconvert.support.limits import allowing, budget


def test_items_come_in_their_order() -> None:
    assert list(ahead(range(100))) == list(range(100))
    assert list(ahead([])) == []
    assert list(ahead([None, (), None])) == [None, (), None]


def test_the_next_item_is_made_while_one_is_used() -> None:
    made = [threading.Event() for _ in range(2)]

    def items() -> Iterator[int]:
        for number, event in enumerate(made):
            event.set()
            yield number

    found = ahead(items())
    assert next(found) == 0
    assert made[1].wait(10)
    assert list(found) == [1]


def test_an_error_comes_in_the_place_of_its_item() -> None:
    found = ahead(10 // number for number in (5, 2, 0, 1))
    assert [next(found), next(found)] == [2, 5]
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_what_is_left_is_not_made() -> None:
    made = []
    found = ahead(made.append(number) or number for number in range(10))
    next(found)
    found.close()
    assert len(made) <= 2


def test_limits_of_the_caller_hold_in_the_thread() -> None:
    with allowing(constant_bytes=7):
        assert list(ahead(budget().constant_bytes for _ in range(2))) == [7, 7]
