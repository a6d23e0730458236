"""Names for the tensors of formats that let them repeat."""

from __future__ import annotations

import pytest

from qconvert.support.names import unique_names


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], ()),
        (["input", "output"], ("input", "output")),
        (["a", "b", "a"], ("a#0", "b", "a#2")),
        (["", "b", ""], ("#0", "b", "#2")),
        (["", "b"], ("#0", "b")),
        (["a", "a#0", "a"], ("a#0#0", "a#0", "a#2")),
        (["a", "a#0", "a", "a#0"], ("a#0#0", "a#0#1", "a#2", "a#0#3")),
        (["", "#0", "#0#0"], ("#0#0#0", "#0", "#0#0")),
    ],
)
def test_every_tensor_has_a_name_of_its_own(names: list[str], expected: tuple[str, ...]) -> None:
    assert unique_names(names) == expected
    assert len(set(expected)) == len(names)
