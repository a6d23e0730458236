"""The kernel in front of several TABLEs, once for each of them."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects.tosa import BinaryOp, CastOp, RescaleOp, TableOp
from qconvert.rewriting import Pass, PassResult, only_user


class RepeatBeforeTables(Pass):
    """Give each TABLE that reads a cast or a rescale a copy of its own, and of the elementwise op in front of it.

    ::

        sub ── rescale ──┬── table
                         └── table

        sub ── rescale ── table
        sub ── rescale ── table

    An NPU computes a TABLE in the kernel in front of it if that kernel has no other user. Else each TABLE is a kernel,
    which costs more than the copy. Common subexpressions must not be merged afterwards.
    """

    name = "repeat-before-tables"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every CAST and RESCALE in program order."""
        ops = [op for op in module.walk() if isinstance(op, CastOp | RescaleOp)]
        changed = [_visit(op) for op in ops]
        return PassResult(any(changed))


def _visit(op: CastOp | RescaleOp) -> bool:
    tables = [use.operation for use in op.output.uses]
    if len(tables) < 2 or not all(isinstance(table, TableOp) for table in tables):
        return False
    before = op.input.owner
    kernel: list[Operation] = [op]
    if isinstance(before, BinaryOp) and only_user(op.input) is op:
        kernel.insert(0, before)
    for table in tables[1:]:
        table.operands[0] = _copied(kernel, table)
    return True


def _copied(kernel: list[Operation], table: Operation) -> SSAValue:
    """Copy a row of ops in front of a TABLE; return the last result."""
    block = table.parent
    assert block is not None
    copies: dict[SSAValue, SSAValue] = {}
    for op in kernel:
        copy = op.clone(copies)
        block.insert_op_before(copy, table)
    return copies[kernel[-1].results[0]]
