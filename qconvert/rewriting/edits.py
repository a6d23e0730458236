"""Small edits of a module: insert, replace and erase ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.ir import TENSOR, merged


def builder_before(op: Operation, *others: Operation) -> OpBuilder:
    """Return a builder in front of ``op``. Its ops stand for the source nodes of ``op`` and ``others``."""
    return OpBuilder(merged([*others, op]), before=op)


def replace(op: Operation, *values: SSAValue) -> None:
    """Use ``values`` in place of the results of ``op``, and erase ``op``.

    The name of the source's tensor moves from ``op`` to the op that makes the first new value.
    """
    tensor_name, maker = op.attributes.get(TENSOR), values[0].owner
    if tensor_name is not None and isinstance(maker, Operation):
        maker.attributes.setdefault(TENSOR, tensor_name)
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    erase(op)


def erase(op: Operation) -> None:
    """Erase an op whose results have no uses."""
    block = op.parent
    assert block is not None
    block.erase_op(op)


def only_user(value: SSAValue) -> Operation | None:
    """Return the only op that uses a value, if it uses the value once and in the block that makes it; else None."""
    uses = iter(value.uses)
    first = next(uses, None)
    if first is None or next(uses, None) is not None:
        return None
    owner = value.owner
    block = owner.parent if isinstance(owner, Operation) else owner
    return first.operation if first.operation.parent is block else None


def is_unused(op: Operation) -> bool:
    """Return whether an op has results and nothing uses any of them."""
    return bool(op.results) and not any(result.uses for result in op.results)


def erase_dead(ops: Sequence[Operation]) -> bool:
    """Erase the ops whose results have no uses, from the last op to the first; return whether any was erased."""
    erased = False
    for op in reversed(ops):
        if op.parent is not None and is_unused(op):
            erase(op)
            erased = True
    return erased


def free_symbol(module: ModuleOp, name: str) -> str:
    """Return a function's name that is free in a module: a name and a number."""
    taken = {op.sym_name.data for op in module.ops if isinstance(op, FuncOp)}
    return next(symbol for symbol in (f"{name}_{count}" for count in range(len(taken) + 1)) if symbol not in taken)
