"""The float values of a function in integers, computed when they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import BlockArgument, Operation, SSAValue

from qconvert.backends.tosa.fixed_point.functions import Function, needs_function, sources
from qconvert.backends.tosa.fixed_point.values import BITS, MULTIPLIER, Fixed, Interval, Values, real_constant, rule_of
from qconvert.backends.tosa.lowering import Lowering
from qconvert.dialects import stablehlo
from qconvert.dialects.constants import constant_array, is_constant
from qconvert.dialects.traits import Contraction
from qconvert.interpreter.core import evaluate_op
from qconvert.ir import i32, is_float_tensor, quantized, source_nodes
from qconvert.numerics import unrepeated
from qconvert.rewriting import Refusal

_MOST_OPS = 64
"""The longest chain of float ops without held integers, for rules ask for their operands by recursion."""
_LEAST_OPS = 8
"""The length of a chain from which on a value with several uses is held, and not computed for each of them."""


class FixedPoint(Values):
    """The float values of one function.

    :meth:`note` is called for each op in program order, so that what is known of a value rests on what is known of its
    operands.
    """

    def __init__(self, lower: Lowering) -> None:
        self.lower = lower
        self._lengths: dict[SSAValue, int] = {}
        self._held: dict[SSAValue, Fixed] = {}
        self._long: set[SSAValue] = set()
        self._unscaled: dict[SSAValue, bool] = {}
        self._sources: dict[SSAValue, frozenset[SSAValue]] = {}
        self._functions: dict[SSAValue, Function | None] = {}
        self._intervals: dict[SSAValue, Interval | None] = {}
        self._units: dict[SSAValue, float] = {}
        self._fixed: set[SSAValue] = set()
        self._constants: dict[SSAValue, NDArray[Any]] = {}
        self._made: dict[tuple[SSAValue, float], Fixed] = {}
        self.refusals: dict[str, Refusal] = {}
        """An entry for each node of the source whose float ops have no integers for a reason that is known."""

    def note(self, op: Operation) -> None:
        """Find the intervals of the results of an op."""
        if len(op.results) == 1 and op.operands and all(map(self._is_fixed, op.operands)):
            self._fixed.update(op.results)
        for result in op.results:
            behind = max((self._lengths.get(value, 0) for value in op.operands), default=0)
            self._lengths[result] = 0 if quantized(result) is not None else 1 + behind
            if quantized(result) is None and not self._long.isdisjoint(op.operands):
                self._long.add(result)
            if self.interval(result) is not None and self._is_far(result):
                self._held[result] = self.at(result, self.unit(result))
                self._long.add(result)
                self._lengths[result] = 0
        if op.has_trait(Contraction) and self._is_unscaled(op.operands[0]):
            self._refuse(op.results[0], "its activations have no scale: quantize them statically")

    def _is_unscaled(self, value: SSAValue) -> bool:
        """Return True for a float argument of the function, and for floats that are made of one."""
        stack = [value]
        while stack:
            current = stack[-1]
            operands = current.owner.operands if isinstance(current.owner, Operation) else ()
            floats = [operand for operand in operands if is_float_tensor(operand)]
            left = [operand for operand in floats if operand not in self._unscaled]
            if current not in self._unscaled and left:
                stack += left
                continue
            is_argument = isinstance(current, BlockArgument) and is_float_tensor(current)
            self._unscaled[current] = is_argument or any(self._unscaled[operand] for operand in floats)
            stack.pop()
        return self._unscaled[value]

    def _is_far(self, value: SSAValue) -> bool:
        """Return True for a value whose integers are kept at one scale, from which others are made."""
        length = self._lengths[value]
        return length >= _MOST_OPS or (length >= _LEAST_OPS and value.has_more_than_one_use())

    def refuse(self, value: SSAValue, reason: str) -> None:
        """Note the reason for which a float value, and all floats that it is made of, have no integers."""
        stack, seen = [value], {value}
        while stack:
            op = stack.pop().owner
            if not isinstance(op, Operation) or isinstance(op, stablehlo.UniformDequantizeOp):
                continue
            self._refuse(op.results[0], reason)
            new = [operand for operand in op.operands if operand not in seen and not is_constant(operand)]
            seen.update(new)
            stack.extend(new)

    def _refuse(self, value: SSAValue, reason: str) -> None:
        assert isinstance(value.owner, Operation)
        for node in source_nodes(value.owner):
            self.refusals.setdefault(node, Refusal(value.owner.name, node, reason))

    def _is_fixed(self, value: SSAValue) -> bool:
        """Return True for a constant, and for a value that depends on constants alone."""
        return value in self._fixed or is_constant(value)

    def interval(self, value: SSAValue) -> Interval | None:
        """Return the interval of a float value; None if it cannot be computed in integers."""
        if value not in self._intervals:
            self._intervals[value] = self._interval(value)
        return self._intervals[value]

    def _interval(self, value: SSAValue) -> Interval | None:
        array = self._constant(value)
        if array is not None:
            return Interval.of(float(array.min()), float(array.max())) if array.size else None
        self._sources[value] = sources(value, self._sources)
        source = next(iter(self._sources[value]), value)
        if source is not value and needs_function(value, source):
            function = Function(source, value, self) if self.interval(source) is not None else None
            self._functions[value] = function
            if function is not None and function.interval is None:
                self._refuse(value, "it is not finite for every number that its operand may be: quantize its operand")
            return None if function is None else function.interval
        rule = rule_of(value)
        return None if rule is None else rule.interval(value.owner, self)

    def is_long(self, value: SSAValue) -> bool:
        """Return True if integers that are held stand between a value and the quantized values in front of it."""
        return value in self._long

    def _constant(self, value: SSAValue) -> NDArray[np.float64] | None:
        """Return the real numbers of a constant, or of ops on constants alone, which some hardware does not run."""
        if value not in self._fixed or rule_of(value) is None or isinstance(value.owner, stablehlo.UniformDequantizeOp):
            return real_constant(value)
        return np.asarray(unrepeated(self._elements(value)), np.float64)

    def _elements(self, value: SSAValue) -> NDArray[Any]:
        """Return the elements of a value that depends on constants alone."""
        array, owner = constant_array(value), value.owner
        if array is not None:
            return array
        if value not in self._constants:
            assert isinstance(owner, Operation)
            [self._constants[value]] = evaluate_op(owner, list(map(self._elements, owner.operands)))
        return self._constants[value]

    def source(self, value: SSAValue) -> SSAValue:
        """Return the only value that elementwise ops make a value of, or the value itself."""
        self.interval(value)
        return next(iter(self._sources.get(value, ())), value)

    def unit(self, value: SSAValue) -> float:
        """Return the finest scale at which a value with an interval can be asked for."""
        if value not in self._units:
            self._units[value] = self._unit(value)
        return self._units[value]

    def _unit(self, value: SSAValue) -> float:
        function, rule = self._functions.get(value), rule_of(value)
        if function is not None or rule is None or self._constant(value) is not None:
            return self.known(value).unit
        return rule.unit(value.owner, self)

    def at(self, value: SSAValue, scale: float) -> Fixed:
        """Return a value with an interval as integers at a scale that is not below its :meth:`unit`."""
        key = value, scale
        if key not in self._made:
            location = self.lower.location
            if isinstance(value.owner, Operation):
                self.lower.location = value.owner.location
            self._made[key] = self._at(value, scale)
            self.lower.location = location
        return self._made[key]

    def _at(self, value: SSAValue, scale: float) -> Fixed:
        if value in self._held:
            return rescaled(self._held[value], scale, self)
        array, function, rule = self._constant(value), self._functions.get(value), rule_of(value)
        if array is not None:
            return self.constant(array, scale)
        if function is not None:
            return function.at(scale)
        assert rule is not None
        return rule.at(value.owner, scale, self)


def rescaled(held: Fixed, scale: float, of: Values) -> Fixed:
    """Return integers at a scale that is not finer, by RESCALE."""
    if scale == held.scale:
        return held
    made = of.lower.rescale(held.value, held.scale / scale, i32)
    return Fixed(made, scale, held.error + 0.5 * scale + MULTIPLIER * 2.0**BITS * held.scale)
