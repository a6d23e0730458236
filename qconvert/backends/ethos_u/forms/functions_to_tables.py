"""Functions of one 8-bit value that several kernels compute, as one TABLE."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.backends.ethos_u.forms.steps import behind_reshapes, readers_of
from qconvert.dialects.tosa import RescaleOp, TableOp
from qconvert.dialects.tosa.quantization import parameter_array
from qconvert.dialects.traits import Elementwise
from qconvert.interpreter.core import evaluate_op
from qconvert.ir import element_type, i8, integer_range, shape
from qconvert.rewriting import Pass, PassResult, erase_dead, replace
from qconvert.rewriting.placed import PlacedBuilder

_LIMITS = integer_range(i8)
_MOST_OPS = 64
"""The largest number of ops that are followed back from a result."""


class FunctionsToTables(Pass):
    """Look up the results of elementwise ops that depend on one 8-bit value and contain a TABLE.

    ::

        %1 = table %x (a gate) ── rescale ─┐
        %x ── rescale ─────────────────── mul ── rescale ── %2

        %2 = table %x

    A TABLE is free behind the kernel that makes ``%x``; the product is a kernel of its own, which reads two values. The
    TABLE's 256 entries are computed by the ops that it replaces. Ops are replaced if they are TABLEs, or one TABLE and
    an op that joins two values, and if no other op reads what is between them.
    """

    name = "functions-to-tables"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every op with an 8-bit result, the last first."""
        changed = False
        for op in reversed(list(module.walk())):
            if op.parent is not None and _is_elementwise(op) and element_type(op.results[0]) == i8:
                changed |= _visit(op)
        return PassResult(changed)


@dataclass
class _Function:
    """Elementwise ops, the last first, and the computed values that they read from others."""

    ops: list[Operation] = field(default_factory=list[Operation])
    sources: list[SSAValue] = field(default_factory=list[SSAValue])
    joins: bool = False

    def take(self, op: Operation) -> bool:
        """Add an op; return False if one number of a constant operand does not stand for all."""
        computed = [value for value in op.operands if parameter_array(value) is None]
        if not computed or any(shape(value) != shape(op.results[0]) for value in computed):
            return False  # a dimension is repeated
        if not all(_number(op, value).size for value in op.operands if value not in computed):
            return False
        self.ops.append(op)
        self.joins |= len(computed) > 1
        self.sources = [value for value in self.sources if value is not op.results[0]]
        behind = dict.fromkeys(map(behind_reshapes, computed))
        self.sources += [value for value in behind if value not in self.sources]
        return True

    @property
    def pays(self) -> bool:
        """True if a TABLE of the function replaces more than a TABLE and what is fused with it."""
        tables = sum(isinstance(op, TableOp) for op in self.ops)
        return tables > 1 or (tables == 1 and self.joins)

    def inner(self) -> Operation | None:
        """Return an elementwise op that only these ops read."""
        for source in self.sources:
            op = source.owner
            is_inner = all(reader in self.ops for reader in readers_of(source))
            if is_inner and isinstance(op, Operation) and _is_elementwise(op):
                return op
        return None

    def entries(self) -> NDArray[np.int8]:
        """Return the result for each integer of the only source."""
        found = {self.sources[0]: np.arange(_LIMITS[0], _LIMITS[1] + 1).astype(np.int8)}

        def operand(op: Operation, value: SSAValue) -> NDArray[Any]:
            every = found.get(behind_reshapes(value))
            return _number(op, value) if every is None else every.reshape(-1, *(1 for _ in shape(value)[1:]))

        for op in reversed(self.ops):
            (result,) = evaluate_op(op, [operand(op, value) for value in op.operands])
            found[op.results[0]] = result.reshape(-1)
        return found[self.ops[0].results[0]]


def _is_elementwise(op: Operation) -> bool:
    """Return True for ops that compute each element by itself; a RESCALE does if it has one multiplier."""
    return isinstance(op, RescaleOp) or op.has_trait(Elementwise)


def _number(op: Operation, value: SSAValue) -> NDArray[Any]:
    """Return a constant operand as one number or, of a TABLE, its entries; an empty array if it has several numbers."""
    array = parameter_array(value)
    assert array is not None
    if isinstance(op, TableOp):
        return array
    number = array.reshape(-1)[:1].reshape((1,) * array.ndim)
    return number if bool((array == number).all()) else number[:0]


def _visit(op: Operation) -> bool:
    """Replace the nearest ops behind one 8-bit value for which it pays; return False if there are none."""
    function = _Function()
    inner: Operation | None = op
    while inner is not None and function.take(inner):
        if len(function.sources) == 1 and element_type(function.sources[0]) == i8 and function.pays:
            _replace(function)
            return True
        inner = function.inner() if len(function.ops) < _MOST_OPS else None
    return False


def _replace(function: _Function) -> None:
    op, *others = function.ops
    build = PlacedBuilder(op, *reversed(others))
    value = build.reshape(function.sources[0], shape(op.results[0]))
    replace(op, build.add(TableOp(value, build.constant(function.entries(), i8))))
    erase_dead(list(reversed(others)))
