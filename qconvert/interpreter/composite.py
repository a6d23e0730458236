"""``composite``: what its decomposition computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from qconvert.dialects.stablehlo.composite import CompositeOp
from qconvert.errors import ConversionError
from qconvert.interpreter.core import Array, evaluate_block, implements

_DEEPEST = 50
_depth = ContextVar("depth", default=0)


@contextmanager
def _one_deeper() -> Iterator[None]:
    """Count a call; raises ConversionError where decompositions call each other without an end."""
    if _depth.get() >= _DEEPEST:
        raise ConversionError(f"composites call each other more than {_DEEPEST} deep", hint="Look for a cycle")
    token = _depth.set(_depth.get() + 1)
    try:
        yield
    finally:
        _depth.reset(token)


@implements(CompositeOp)
def composite(op: CompositeOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate the function."""
    function = op.function
    assert function is not None, "verified"
    with _one_deeper():
        return evaluate_block(function.body.block, operands)
