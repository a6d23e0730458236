"""Calls of functions, composites by their decomposition, and the checks that StableHLO's tests call."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar

import numpy as np
from xdsl.dialects.func import FuncOp

from qconvert.dialects import stablehlo
from qconvert.dialects.check import DEFAULT_TOLERANCE
from qconvert.dialects.func import CallOp, called_function
from qconvert.interpreter.check import Agrees, equal, require, ulps, within
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.program import evaluate_body, evaluate_function
from qconvert.ir import shape
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget

_depth: ContextVar[int] = ContextVar("depth", default=0)


@implements(CallOp)
def call(op: CallOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Return the function's results.

    Raises ConversionError if the module has no such function with a body.
    """
    function = called_function(op, op.callee)
    if function is None or function.is_declaration:
        raise ConversionError(f"there is no function {op.callee} with a body")
    return _call(function, operands)


@implements(stablehlo.CompositeOp)
def composite(op: stablehlo.CompositeOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate the decomposition."""
    assert op.function is not None, "verified"
    return _call(op.function, operands)


def _call(function: FuncOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate a function.

    Raises ConversionError if calls nest too deep.
    """
    depth = _depth.get()
    if depth >= budget().calls:
        found = f"calls nest more than {budget().calls} deep at @{function.sym_name.data}"
        raise ConversionError(found, hint="Look for a cycle")
    # In a reduction's region a scalar stands for a whole tensor.
    is_scalar = not any(shape(argument) for argument in function.body.block.args)
    token = _depth.set(depth + 1)
    try:
        return (evaluate_body if is_scalar else evaluate_function)(function, operands)
    finally:
        _depth.reset(token)


@implements(stablehlo.CustomCallOp)
def custom_call(op: stablehlo.CustomCallOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate a check of StableHLO's tests.

    Raises ConversionError for every other target.
    """
    if len(operands) != 2 or op.target not in _CHECKS:
        raise ConversionError(
            f"the target @{op.target} with {len(operands)} operands is not supported",
            hint=f"Supported targets are {', '.join(f'@{name}' for name in _CHECKS)}",
        )
    actual, expected = operands
    agrees = _CHECKS[op.target]
    if op.target == _EQUAL and expected.dtype.kind in "iub":
        agrees = equal
    require(op, f"@{op.target}", actual, expected, agrees)
    return tuple(np.ones(shape(result), np.bool_) for result in op.results)


_EQUAL = "check.eq"
_CHECKS: dict[str, Agrees] = {
    _EQUAL: within(DEFAULT_TOLERANCE),
    "check.expect_eq": equal,
    "check.expect_almost_eq": within(1e-3),
    "check.expect_close": ulps(0, 3),
}
"""The targets that StableHLO's interpreter evaluates; ``check.eq`` of integers is exact."""
