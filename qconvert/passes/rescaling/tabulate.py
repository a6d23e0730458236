"""Functions of one quantized value as lists of their results, computed during the conversion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.dialects.traits import Clamps
from qconvert.expansion.registry import expansion_of, follows_litert
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.implementation import Array
from qconvert.interpreter.litert.floats import evaluate_as_litert
from qconvert.ir import ARITHMETIC, UniformQuantizedType, element_type, numpy_dtype, quantized, shape
from qconvert.rewriting import Pass, PassResult, builder_before, erase_dead, replace

_FUNCTIONS = (stablehlo.ElementwiseOp, composite.ActivationOp, composite.LookupOp, composite.PReluOp)
_WIDTHS = (8, 16)


class Tabulate(Pass):
    """Replace ops that compute a quantized value from one other by a lookup of their results.

    ::

        q x ── uniform_dequantize ── divide c ── qconvert.erf ── uniform_quantize ── q y

        q x ── qconvert.lookup ── q y

    The ops are elementwise ops in any number, or a single quantized op; other operands are constants. The interpreter
    computes the results for every storage integer. Ops for which the format has an op as cheap (``keeps``) stay: in
    TOSA requantizations, and clamps between integers of one type.
    """

    name = "tabulate"

    def __init__(self, keeps: Callable[[Operation], bool] | None = None) -> None:
        self._keeps = keeps or _is_cheap

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite the ops of every function with a body."""
        functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
        changed = False
        for op in [op for function in functions for op in function.body.block.ops]:
            is_kept = isinstance(op, composite.LookupOp) or self._keeps(op)
            function = None if is_kept else function_of(op)
            if function is not None:
                _replace(op, function)
                changed = True
        return PassResult(changed)


@dataclass
class TabulatedFunction:
    """Elementwise ops in order, the only value that they depend on, and constants with one value for all elements."""

    ops: list[Operation] = field(default_factory=list)
    sources: set[SSAValue] = field(default_factory=set)
    constants: dict[SSAValue, Array] = field(default_factory=dict)

    @property
    def source(self) -> SSAValue:
        """The value that the ops depend on."""
        (source,) = self.sources
        return source

    def values(self) -> NDArray[np.generic]:
        """Return the last op's result for every storage integer of the source, in order."""
        return self._results({self.source: _every(self.source)})

    def values_of_pairs(self, first: SSAValue, second: SSAValue) -> NDArray[np.generic]:
        """Return the last op's result for every pair of storage integers; the first source's change slowest."""
        slow, fast = (_every(source).reshape(-1) for source in (first, second))
        sizes = (-1, *(1 for _ in shape(first)[1:])) if shape(first) else (-1,)
        pairs = np.repeat(slow, fast.size).reshape(sizes), np.tile(fast, slow.size).reshape(sizes)
        return self._results(dict(zip((first, second), pairs, strict=True)))

    def _results(self, found: dict[SSAValue, Array]) -> NDArray[np.generic]:
        """Return the last op's results; of LiteRT's float operators they are those of the C library's functions."""
        sizes = next(iter(found.values())).shape
        found |= {value: np.full(sizes, array) for value, array in self.constants.items()}
        evaluate = evaluate_as_litert if follows_litert(self.ops[-1]) else _evaluated
        for op in self.ops:
            found[op.results[0]] = evaluate(op, [found[operand] for operand in op.operands])
        return found[self.ops[-1].results[0]].reshape(-1)


def _evaluated(op: Operation, operands: Sequence[Array]) -> Array:
    return evaluate_op(op, operands)[0]


def _every(source: SSAValue) -> Array:
    """Return every storage integer of a value in order, along the first of its dimensions."""
    limits = np.iinfo(numpy_dtype(element_type(source)).name)
    sizes = (-1, *(1 for _ in shape(source)[1:])) if shape(source) else (-1,)
    return np.arange(limits.min, limits.max + 1).astype(limits.dtype).reshape(sizes)


def of_litert_floats() -> Tabulate:
    """Return the pass for LiteRT's float operators between DEQUANTIZE and QUANTIZE only."""
    return Tabulate(lambda op: not quantizes_as_litert(op))


def quantizes_as_litert(op: Operation) -> bool:
    """Return True for LiteRT's QUANTIZE of floats."""
    return isinstance(op, stablehlo.UniformQuantizeOp) and quantized(op.operand) is None and follows_litert(op)


def _lookup_element(value: SSAValue) -> UniformQuantizedType | None:
    """Return the type of a value that a lookup can take or return, else None."""
    element = quantized(value)
    known = element is not None and element.is_per_tensor and element.storage.width in _WIDTHS
    return element if known else None


def function_of(op: Operation, most: int = 1) -> TabulatedFunction | None:
    """Return the function that an op computes of ``most`` values, or of less, or None if there is none."""
    if (
        not isinstance(op, _FUNCTIONS)
        or _lookup_element(op.results[0]) is None
        or isinstance(op, stablehlo.BitcastConvertOp)
    ):
        return None
    found = TabulatedFunction()
    return found if _collect(op, found, most) and len(found.sources) > 0 else None


def _collect(op: Operation, found: TabulatedFunction, most: int) -> bool:
    """Collect an op after the ops that it depends on; return True if all are functions of ``most`` quantized values."""
    stack, done = [op], set[Operation]()
    while stack:
        current = stack[-1]
        if not isinstance(current, _FUNCTIONS) or isinstance(current, stablehlo.BitcastConvertOp):
            return False
        others = [value for value in current.operands if not _is_end(value, found)]
        makers = [value.owner for value in others if isinstance(value.owner, Operation) and quantized(value) is None]
        if len(found.sources) > most or len(makers) < len(others):
            return False
        waiting = [maker for maker in makers if maker not in done]
        stack.extend(waiting)
        if not waiting:
            stack.pop()
            if current not in done:
                done.add(current)
                found.ops.append(current)
    return True


def _is_end(value: SSAValue, found: TabulatedFunction) -> bool:
    """Collect an operand that is one number or a quantized value; return False for a value that another op makes."""
    array = constant_array(value)
    if array is not None and array.size > 0 and bool((array == array.flat[0]).all()):
        found.constants[value] = array.reshape(-1)[0]
        return True
    if array is None and _lookup_element(value) is not None:
        found.sources.add(value)
        return True
    return False


def _is_cheap(op: Operation) -> bool:
    """Return True if TOSA has an op for an op between quantized values that computes on the integers."""
    if isinstance(op, stablehlo.UniformQuantizeOp):
        return quantized(op.operand) is not None
    if isinstance(op, composite.LeakyReluOp) and expansion_of(op) is not None:
        return {element.storage.width for element in _elements(op) if element is not None} == {16}
    is_limit = op.has_trait(Clamps)
    return isinstance(op, stablehlo.BitcastConvertOp) or (is_limit and len(set(_elements(op))) == 1)


def _elements(op: Operation) -> Iterator[UniformQuantizedType | None]:
    yield from (quantized(value) for value in (*op.operands, *op.results))


def _replace(op: Operation, function: TabulatedFunction) -> None:
    element = quantized(op.results[0])
    assert element is not None
    build = builder_before(op, *function.ops[:-1])
    made = composite.LookupOp(function.source, function.values(), element)
    if ARITHMETIC in op.attributes:
        made.attributes[ARITHMETIC] = op.attributes[ARITHMETIC]
    replace(op, build.add(made))
    erase_dead(function.ops[:-1])
