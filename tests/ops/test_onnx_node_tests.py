"""ONNX's own node tests: each test whose operators we import gives the expected outputs or is refused with a reason."""

from __future__ import annotations

import pytest

from qconvert.interpreter import evaluate
from qconvert.support.errors import ConversionError
from tests.support.onnx_node_tests import DIFFERENT, TESTS, NodeTest, compare, elements, read, refusal

FEWEST = 1175
"""Number of tests whose operators we import: a smaller number means that an importer was lost."""


def check(test: NodeTest) -> None:
    module, inputs = read(test)
    compare(test, evaluate(module, [elements(proto) for proto in inputs.values()]))


READ = [
    pytest.param(test, id=test.name, marks=[pytest.mark.slow] if test.name.endswith("_expanded") else [])
    for test in TESTS
    if refusal(test.name) is None
]
"""Expanded tests are an operator's definition in other operators, each of which has a test of its own."""


@pytest.mark.parametrize("test", READ)
def test_gives_the_expected_outputs(test: NodeTest) -> None:
    if test.name in DIFFERENT:
        with pytest.raises(AssertionError, match=r"Not equal to tolerance|Arrays are not equal"):
            check(test)
    else:
        check(test)


@pytest.mark.parametrize("test", [t for t in TESTS if refusal(t.name) is not None], ids=lambda t: t.name)
def test_is_refused_with_a_reason(test: NodeTest) -> None:
    with pytest.raises(ConversionError, match=refusal(test.name)):
        check(test)


def test_no_operator_was_lost() -> None:
    assert len(TESTS) >= FEWEST
    assert {test.name for test in TESTS} >= DIFFERENT
