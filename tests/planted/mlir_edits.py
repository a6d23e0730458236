"""What faults in texts of StableHLO and TOSA have in common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from qconvert.interpreter.core import main_function
from qconvert.ir import module_text, node_names
from tests.planted.kinds import Array, NoPlaceError


class MlirFile:
    """A module of MLIR, whose ops have the names of layers as locations."""

    def __init__(self, module: ModuleOp, same: Callable[[str], frozenset[str]]) -> None:
        self.module, self._same = module, same
        self.ops = list(main_function(module).body.block.ops)

    def content(self) -> bytes:
        return module_text(self.module).encode()

    def named(self, layer: str, *ops: str) -> list[Operation]:
        """Return the ops of a layer, in order, of some names or all."""
        names = self._same(layer)
        found = [op for op in self.ops if (not ops or op.name in ops) and names & {*node_names(op.location)}]
        if not found:
            raise NoPlaceError(f"{layer} is no {' or '.join(ops)}")
        return found

    def names(self, op: Operation) -> tuple[str, ...]:
        return node_names(op.location)

    def change(self, op: Operation, place: int, change: Callable[[Array], Array]) -> tuple[str, ...]:
        """Give an op a changed copy of a constant that others may read, too."""
        constant = op.operands[place].owner
        if not isinstance(constant, Operation) or not hasattr(constant, "array"):
            raise NoPlaceError(f"operand {place} of {op.name} is no constant")
        array = constant.array
        changed = np.asarray(change(array.copy()), array.dtype, order="C")
        made = self.constant(changed, constant)
        Rewriter.insert_op(made, InsertPoint.before(op))
        op.operands[place] = made.results[0]
        return self.names(op)

    def constant(self, array: Array, like: Operation) -> Operation:
        """Return a constant op with the type of another one."""
        raise NotImplementedError

    def read_through(self, value: SSAValue, *ops: str) -> Operation | None:
        """Return the op that makes a value, behind ops of some names."""
        owner = value.owner
        while isinstance(owner, Operation) and owner.name in ops:
            owner = owner.operands[0].owner
        return owner if isinstance(owner, Operation) else None
