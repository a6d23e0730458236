"""Composites recognised in primitives, as exporters write them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Container, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.traits import Conversion, Elementwise
from qconvert.interpreter import evaluate_op
from qconvert.ir import element_type, f32, shape
from qconvert.passes.cleanup.inline_calls import erase_unused
from qconvert.rewriting import Pass, PassResult, builder_before, erase_dead, replace, splat

Function: TypeAlias = Callable[[SSAValue], Operation]

RAISED: dict[str, tuple[Function, ...]] = {
    "gelu": (composite.GeluOp, lambda x: composite.GeluOp(x, tanh=True)),
    "hard_swish": (composite.HardSwishOp,),
    "mish": (composite.MishOp,),
    "swish": (lambda x: composite.SwishOp(x, 1.0),),
}
"""Functions of one tensor that are recognised, by the names of their kernels."""

SOFTMAX = "softmax"
_LARGEST = 160
"""Largest number of ops of one function. Gelu by erf's polynomials takes about 100."""

_NEAREST = 8
"""Number of values, from the function's end backwards, that are tried as its operand."""

_POINTS = np.concatenate([np.linspace(-8, 8, 257), np.array([-100, -20, 1e-3, 20, 100])]).astype(np.float32)
_TOLERANCE = 4e-6
"""Largest difference between two forms of one function: a few roundings of floats. Gelu's two forms differ by 5e-4."""

_BY_NAME = {kind.name: kind for kind in composite.COMPOSITES}

_LAST = (stablehlo.MultiplyOp, stablehlo.DivideOp)
"""The last op of each of these functions."""

_TELLING: frozenset[type[Operation]] = frozenset(
    (
        composite.ErfOp,
        composite.HardSigmoidOp,
        stablehlo.ClampOp,
        stablehlo.ExponentialOp,
        stablehlo.LogisticOp,
        stablehlo.MinimumOp,
        stablehlo.TanhOp,
    )
)
"""Ops of which each function contains at least one."""


@dataclass(frozen=True)
class RaiseComposites(Pass):
    """Replace float arithmetic by the composite that it computes.

    ::

        x ── / 1.414 ── erf ── + 1 ── * x ── * 0.5          x ── qconvert.gelu

    A function of one tensor is recognised by its values, so any form of it is found. Its ops are elementwise, in f32,
    on the tensor and on numbers, and nothing else uses their results. Its values must agree with the composite's to a
    few roundings. A softmax is recognised by its ops: ``exp(x - max)`` over its sum. ``kernels`` are the names to look
    for; the default is all. The last bits of results may change. A ``stablehlo.composite`` with the name and attributes
    of our composite becomes that op again.
    """

    kernels: Collection[str] = (*RAISED, SOFTMAX)

    name = "raise-composites"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit the ops from the last to the first, so that a function is found before its parts."""
        changed = _raise_named(module)
        for op in reversed(list(module.walk())):
            found = self._found(op) if op.parent is not None else None
            if found is not None:
                made, parts = found
                replace(op, builder_before(op, *parts).add(made))
                erase_dead(parts)
                changed = True
        if changed:
            erase_dead(list(module.walk()))
        return PassResult(changed)

    def _found(self, op: Operation) -> tuple[Operation, list[Operation]] | None:
        """Return the composite whose last op is ``op``, and the ops in front of ``op`` that it replaces."""
        if len(op.results) != 1 or not isinstance(op.results[0].type, TensorType) or element_type(op.results[0]) != f32:
            return None
        softmax = _softmax(op) if isinstance(op, stablehlo.DivideOp) and SOFTMAX in self.kernels else None
        if softmax is not None:
            return composite.SoftmaxOp(softmax.operand, softmax.axis), softmax.parts
        return self._function(op) if isinstance(op, _LAST) else None

    def _function(self, op: Operation) -> tuple[Operation, list[Operation]] | None:
        """Return the function of one tensor that ends with ``op``; the largest candidate is tried first."""
        wanted = [make for name in RAISED if name in self.kernels for make in RAISED[name]]
        for cone in sorted(_cones(op), key=lambda cone: -len(cone.ops)):
            values = cone.values()
            for make in wanted:
                if _agree(values, _values_of(make)):
                    return make(cone.source), list(cone.ops[:-1])
        return None


def _raise_named(module: ModuleOp) -> bool:
    """Replace ``stablehlo.composite`` ops with our names; their unused decompositions are erased."""
    functions: set[str] = set()
    for op in list(module.walk()):
        made = _named(op) if isinstance(op, stablehlo.CompositeOp) else None
        if made is not None:
            assert isinstance(op, stablehlo.CompositeOp)
            functions.add(op.decomposition.root_reference.data)
            build = builder_before(op)
            build.add(made)
            replace(op, *made.results)
    erase_unused(module, functions)
    return bool(functions)


def _named(op: stablehlo.CompositeOp) -> Operation | None:
    """Return our composite that an op names; None if the types and attributes do not fit one."""
    kind = _BY_NAME.get(op.composite_name.data)
    attributes = {} if op.composite_attributes is None else op.composite_attributes.data
    if kind is None or any(isinstance(value, StringAttr) for value in attributes.values()):
        return None  # an enumeration of our dialect is a string there
    made = kind.create(operands=op.operands, result_types=op.result_types, properties=attributes)
    try:
        made.verify()
    except VerifyException:
        made.drop_all_references()
        return None
    return made


class _Cone(NamedTuple):
    """Elementwise ops in order, of one value and of numbers. Other ops use only the last result."""

    source: SSAValue
    ops: tuple[Operation, ...]

    def values(self) -> NDArray[Any]:
        """Return the results of the ops for a set of points."""
        known: dict[SSAValue, NDArray[Any]] = {self.source: _POINTS}
        for op in self.ops:
            operands = [known[value] if value in known else _number(value) for value in op.operands]
            (known[op.results[0]],) = evaluate_op(op, operands)
        return known[self.ops[-1].results[0]]


def _number(value: SSAValue) -> NDArray[Any]:
    number = splat(value)
    assert number is not None, "a cone's other operands are numbers"
    return np.full(_POINTS.shape, number, np.float32)


def _cones(last: Operation) -> Iterator[_Cone]:
    """Yield the cones of more than one op that end in ``last``.

    Each of these functions uses its operand twice, the second time near its end. Only such values are tried.
    """
    ancestors = _ancestors(last)
    if not any(type(op) in _TELLING for op in ancestors):
        return
    uses = Counter(value for op in ancestors for value in op.operands)
    twice = (value for value, count in uses.items() if count > 1 and splat(value) is None)
    for source in islice(twice, _NEAREST):
        ops = _between(source, last, ancestors)
        if ops is not None and len(ops) > 1:
            yield _Cone(source, ops)


def _ancestors(last: Operation) -> dict[Operation, None]:
    """Return the elementwise ops that lead to an op, from it backwards, up to a limit."""
    found, waiting = {last: None}, deque([last])
    while waiting and len(found) <= _LARGEST:
        for value in waiting.popleft().operands:
            maker = value.owner
            if isinstance(maker, Operation) and _is_formula(maker) and maker not in found:
                found[maker] = None
                waiting.append(maker)
    return found


def _is_formula(op: Operation) -> bool:
    return op.has_trait(Elementwise) and not op.has_trait(Conversion)


def _between(source: SSAValue, last: Operation, ancestors: Container[Operation]) -> tuple[Operation, ...] | None:
    """Return the ops from a value to the last op, in order; None if they have other operands or other users."""
    inside, waiting = {last}, [last]
    while waiting:
        for value in waiting.pop().operands:
            maker = value.owner
            if value is source or splat(value) is not None:
                continue
            if not isinstance(maker, Operation) or maker not in ancestors:
                return None
            if maker not in inside:
                inside.add(maker)
                waiting.append(maker)
    for op in inside - {last}:
        if any(use.operation not in inside for use in op.results[0].uses):
            return None
    if any(op.parent is not last.parent for op in inside):
        return None
    return tuple(_in_order(last, inside))


def _in_order(last: Operation, inside: set[Operation]) -> list[Operation]:
    """Return ops in an order in which each op follows the ops that make its operands."""
    ordered: dict[Operation, None] = {}
    waiting = [last]
    while waiting:
        makers = [value.owner for value in waiting[-1].operands]
        missing = [op for op in makers if isinstance(op, Operation) and op in inside and op not in ordered]
        if missing:
            waiting.append(missing[0])
        else:
            ordered[waiting.pop()] = None
    return list(ordered)


@cache
def _values_of(make: Function) -> NDArray[Any]:
    op = make(Block(arg_types=[TensorType(f32, _POINTS.shape)]).args[0])
    (values,) = evaluate_op(op, [_POINTS])
    return values


def _agree(found: NDArray[Any], expected: NDArray[Any]) -> bool:
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return False
    return bool((np.abs(found - expected) <= _TOLERANCE * np.maximum(1.0, np.abs(expected))).all())


class _Softmax(NamedTuple):
    """A softmax's operand, its dimension, and the ops that it replaces beside the last one."""

    operand: SSAValue
    axis: int
    parts: list[Operation]


def _softmax(quotient: Operation) -> _Softmax | None:
    """Match ``exp(x - max(x)) / sum(exp(x - max(x)))``, with sum and maximum along one dimension."""
    lhs, rhs = quotient.operands
    powers = lhs.owner
    axis = _reduced(rhs, stablehlo.AddOp, lhs)
    if not isinstance(powers, stablehlo.ExponentialOp) or axis is None:
        return None
    shifted = powers.operand.owner
    if not isinstance(shifted, stablehlo.SubtractOp):
        return None
    largest = _reduced(shifted.rhs, stablehlo.MaximumOp, shifted.lhs)
    return _Softmax(shifted.lhs, axis, [shifted, powers]) if largest == axis else None


def _reduced(value: SSAValue, kind: type[Operation], source: SSAValue) -> int | None:
    """Return the dimension along which a value is ``source``, reduced and repeated again; None if it is not."""
    found = _unrepeated(value)
    if found is None:
        return None
    reduction, places = found
    if not isinstance(reduction.combiner, kind) or reduction.has_conversions or reduction.inputs[0] is not source:
        return None
    sizes, reduced = shape(source), reduction.reduced
    initial = splat(reduction.init_values[0])
    is_neutral = initial is not None and stablehlo.is_neutral(kind, initial, element_type(source))
    kept = [i for i in range(len(sizes)) if i not in reduced]
    fits = all(place == i or sizes[i] == 1 for place, i in zip(places, kept, strict=True))
    return reduced[0] if len(reduced) == 1 and is_neutral and fits else None


def _unrepeated(value: SSAValue) -> tuple[stablehlo.ReduceOp, list[int]] | None:
    """Return the reduction that a value repeats, and the place of each of its dimensions in the value."""
    places = list(range(len(shape(value))))
    while not isinstance(value.owner, stablehlo.ReduceOp):
        op = value.owner
        if isinstance(op, stablehlo.BroadcastInDimOp):
            places = [places[i] for i in stablehlo.as_tuple(op.broadcast_dimensions)]
            value = op.operand
        elif isinstance(op, stablehlo.ReshapeOp):
            moved = _unit_dimensions(shape(op.operand), shape(op.result), places)
            if moved is None:
                return None
            value, places = op.operand, moved
        elif isinstance(op, stablehlo.MaximumOp) and -np.inf in (splat(op.lhs), splat(op.rhs)):
            value = op.rhs if splat(op.lhs) is not None else op.lhs
        else:
            return None
    return (value.owner, places) if len(value.owner.inputs) == 1 else None


def _unit_dimensions(before: tuple[int, ...], after: tuple[int, ...], places: list[int]) -> list[int] | None:
    """Return the places of the dimensions of a reshape's operand if only dimensions of size 1 differ; else None."""
    large = [place for place, size in zip(places, after, strict=True) if size != 1]
    if [size for size in before if size != 1] != [size for size in after if size != 1]:
        return None
    rest = iter(large)
    return [next(rest) if size != 1 else -1 for size in before]
