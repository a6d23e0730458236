"""Rounding has one home, so that its ties can be looked up: no other module rounds an array by another spelling."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "qconvert"
ROUNDING = {"around", "rint", "round"}


def roundings(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that call ``x.round()``, ``np.rint(x)`` and the like, or ``np.floor(x + 0.5)``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name, arguments = node.func.attr, node.args
            if name in ROUNDING or (name == "floor" and any(adds_half(argument) for argument in arguments)):
                yield node.lineno


def adds_half(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and any(
        isinstance(side, ast.Constant) and side.value == 0.5 for side in (node.left, node.right)
    )


@pytest.mark.parametrize(
    "text", ["x.round()", "np.rint(x)", "np.round(x, 2)", "np.floor(x + 0.5)", "math.floor(0.5 + x * y)"]
)
def test_each_spelling_is_found(text: str) -> None:
    assert list(roundings(ast.parse(text))) == [1]


def test_only_numerics_rounds() -> None:
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if "numerics" not in path.parts]
    found = {f"{path.relative_to(PACKAGE)}:{line}" for path in files for line in roundings(ast.parse(path.read_text()))}
    assert len(files) > 500
    assert found == set()
