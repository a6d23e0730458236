"""The evaluation of expansions, which are prepared once for an op and compute on signed storage integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary, ref

import numpy as np
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import ConstantLike

from qconvert.expansion.expander import Expander, tosa_type
from qconvert.expansion.registry import EXPANSIONS, expansion_of
from qconvert.interpreter.core import evaluate_op, implementation_of
from qconvert.interpreter.implementation import LITERT, Array, Implementation
from qconvert.ir import element_type, numpy_dtype, quantized


@dataclass(frozen=True)
class _Step:
    """One op of an expansion and the function that computes its result.

    Values are named by their positions. No later step uses the values in ``last_uses``.
    """

    op: Operation
    compute: Implementation
    operands: tuple[int, ...]
    result: int
    last_uses: tuple[int, ...]


@dataclass(frozen=True)
class _Expansion:
    """The steps of an expansion. Their values are the op's operands, then the constants, then a result for each step.

    ``made_from`` holds the op's types, operands and attributes at the expansion.
    """

    made_from: tuple[object, ...]
    constants: tuple[Array, ...]
    steps: tuple[_Step, ...]
    result: int


_EXPANSIONS: WeakKeyDictionary[Operation, _Expansion] = WeakKeyDictionary()


@LITERT.register(*EXPANSIONS)
def evaluate_expansion(op: Operation, operands: Sequence[Array]) -> Array:
    """Evaluate the integer ops of an op's expansion."""
    expansion = _expansion(op)
    arguments = (_as_signed(array, value) for array, value in zip(operands, op.operands, strict=True))
    values: dict[int, Array] = dict(enumerate((*arguments, *expansion.constants)))
    for step in expansion.steps:
        made = step.compute(step.op, [values[i] for i in step.operands])
        assert isinstance(made, np.ndarray)  # ops of an expansion have one result
        values[step.result] = made
        for i in step.last_uses:
            del values[i]
    return _as_stored(values[expansion.result], op.results[0])


def _expansion(op: Operation) -> _Expansion:
    """Return an op's expansion; an op that changed after its expansion is expanded again."""
    types = [value.type for value in (*op.operands, *op.results)]
    made_from = (types, [ref(value) for value in op.operands], op.attributes.copy(), op.properties.copy())
    known = _EXPANSIONS.get(op)
    if known is None or known.made_from != made_from:
        known = _EXPANSIONS[op] = _expanded(op, made_from)
    return known


def _expanded(op: Operation, made_from: tuple[object, ...]) -> _Expansion:
    build, expand = Expander(), expansion_of(op)
    assert expand is not None
    arguments = Block(arg_types=[tosa_type(value) for value in op.operands]).args
    for operand, argument in zip(op.operands, arguments, strict=True):
        build.define(operand, argument)
    result = expand(op, build)
    constants = [made for made in build.ops if made.has_trait(ConstantLike)]
    computing = [made for made in build.ops if not made.has_trait(ConstantLike)]
    values = (*arguments, *(made.results[0] for made in (*constants, *computing)))
    places = {value: i for i, value in enumerate(values)}
    arrays = tuple(evaluate_op(made, ())[0] for made in constants)
    return _Expansion(made_from, arrays, _steps(computing, places, result), places[result])


def _steps(ops: Sequence[Operation], places: Mapping[SSAValue, int], result: SSAValue) -> tuple[_Step, ...]:
    last = {operand: op for op in ops for operand in op.operands if operand is not result}
    return tuple(
        _Step(
            op,
            implementation_of(op),
            tuple(places[operand] for operand in op.operands),
            places[op.results[0]],
            tuple(places[operand] for operand in set(op.operands) if last.get(operand) is op),
        )
        for op in ops
    )


def _as_signed(array: Array, value: SSAValue) -> Array:
    """Return a value's storage integers, minus half their range if they are unsigned."""
    half = _half_range(value)
    return (array.astype(np.int64) - half).astype(f"i{array.itemsize}") if half else array


def _as_stored(array: Array, value: SSAValue) -> Array:
    """Undo :func:`_as_signed`."""
    half = _half_range(value)
    return (array.astype(np.int64) + half).astype(numpy_dtype(element_type(value))) if half else array


def _half_range(value: SSAValue) -> int:
    element = quantized(value)
    return 0 if element is None or element.storage.signed else 1 << (element.storage.width - 1)
