"""Dead code: ops whose results have no uses are removed."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.traits import is_side_effect_free

from qconvert.rewriting import Pass, PassResult, erase, is_unused, no_op


def _is_dead(op: Operation) -> bool:
    return is_unused(op) and is_side_effect_free(op)


NO_DEAD_OPS = no_op("no op without users", _is_dead)


class DeadCodeElimination(Pass):
    """Erase pure ops without users, and the ops that only they used.

    ::

    %0 = constant; %1 = add %x, %0; return %x

    return %x
    """

    name = "dce"
    ensures = (NO_DEAD_OPS,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Walk every block backwards, so that one visit of each op is enough."""
        return PassResult(_sweep(module))


def _sweep(op: Operation) -> bool:
    swept = [_sweep_block(block) for region in op.regions for block in region.blocks]
    return any(swept)


def _sweep_block(block: Block) -> bool:
    changed = False
    for op in reversed(list(block.ops)):
        if _is_dead(op):
            erase(op)
            changed = True
        elif op.regions:
            changed |= _sweep(op)
    return changed
