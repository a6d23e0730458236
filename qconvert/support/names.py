"""Unique names: for tensors of formats whose names may repeat, and for what a writer adds to a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return a unique name for each tensor of a graph: its own name if no other tensor has it, else ``name#index``.

    ``#index`` is appended again if another tensor is called ``name#index``.
    """
    count = Counter(names)
    return tuple(
        name if name and count[name] == 1 else _numbered(name, index, count) for index, name in enumerate(names)
    )


def _numbered(name: str, index: int, taken: Counter[str]) -> str:
    """Return ``name#index``; indices are unique, so only a name of the file can be equal."""
    numbered = f"{name}#{index}"
    while numbered in taken:
        numbered = f"{numbered}#{index}"
    return numbered


def name_after(name: str, names: Sequence[str]) -> str:
    """Return the name of a variable's value after a run, which is not in ``names``; ``name`` is the value before."""
    after = f"{name}#after"
    while after in names:
        after = f"{after}#after"
    return after


def unused_name(name: str, taken: set[str], suffix: str = "") -> str:
    """Return a name that is not in ``taken``, and add it: ``name`` itself, or with a suffix or a number."""
    found, number = name, 0
    if found in taken and suffix:
        found = name = f"{name}_{suffix}"
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found)
    return found
