"""Items of an iterable that are made beside the thread that uses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")


def ahead(items: Iterable[T]) -> Iterator[T]:
    """Yield the items; while one of them is used, a thread makes the next one.

    It is for pieces of weights: reading and transposing one take as long as writing the one before. An error in the
    thread is raised where its item would be yielded. The limits that the caller has given hold in the thread, too.
    """
    iterator, context = iter(items), copy_context()
    with ThreadPoolExecutor(1) as thread:
        following = thread.submit(context.run, _first, iterator)
        while made := following.result():
            following = thread.submit(context.run, _first, iterator)
            yield made[0]


def _first(iterator: Iterator[T]) -> tuple[T] | None:
    return next(((item,) for item in iterator), None)
