"""Names for tensors of formats in which names need not be unique, shared by those that read and those that run them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """One name for each of a graph's tensors, no two the same: its own where it has one alone, else ``name#index``.

    ``#index`` is appended once more where a tensor is really called ``name#index``.
    """
    count = Counter(names)
    return tuple(
        name if name and count[name] == 1 else _numbered(name, index, count) for index, name in enumerate(names)
    )


def _numbered(name: str, index: int, taken: Counter[str]) -> str:
    """``name#index``; no two tensors share an index, so this can only meet a name of the file."""
    numbered = f"{name}#{index}"
    while numbered in taken:
        numbered = f"{numbered}#{index}"
    return numbered


def name_after(name: str, names: Sequence[str]) -> str:
    """What a variable's value after a run is called: none of ``names``, among which ``name`` is the value before."""
    after = f"{name}#after"
    while after in names:
        after = f"{after}#after"
    return after
