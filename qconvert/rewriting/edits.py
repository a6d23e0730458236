"""Small edits of a module: ops put in front of another one, replaced and erased."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.ir.attributes import TENSOR
from qconvert.ir.locations import merged


def builder_before(op: Operation, *others: Operation) -> OpBuilder:
    """A builder in front of ``op`` whose ops stand for the source nodes of ``op`` and ``others``."""
    return OpBuilder(merged([*others, op]), before=op)


def replace(op: Operation, *values: SSAValue) -> None:
    """Use ``values`` instead of the results of ``op``, and erase ``op``.

    The name of the quantized tensor that ``op`` made moves to the op that makes it now.
    """
    tensor_name, maker = op.attributes.get(TENSOR), values[0].owner
    if tensor_name is not None and isinstance(maker, Operation):
        maker.attributes.setdefault(TENSOR, tensor_name)
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    erase(op)


def erase(op: Operation) -> None:
    """Take an op whose results nobody uses out of its block."""
    block = op.parent
    assert block is not None
    block.erase_op(op)


def only_user(value: SSAValue) -> Operation | None:
    """The one op that uses a value, once and in the block that makes it; None where there are more or other uses."""
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
    """Erase those of ``ops`` whose results nobody uses, the last one first; returns whether there were any."""
    erased = False
    for op in reversed(ops):
        if op.parent is not None and is_unused(op):
            erase(op)
            erased = True
    return erased
