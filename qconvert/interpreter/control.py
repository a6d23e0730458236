"""Control flow: ops whose regions use the values around them."""

from __future__ import annotations

from collections.abc import Sequence

from qconvert.dialects.stablehlo.control import CaseOp, IfOp, WhileOp
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.program import evaluate_block


@implements(IfOp)
def if_(op: IfOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate one of the two branches."""
    return evaluate_block((op.true_branch if operands[0] else op.false_branch).block, ())


@implements(CaseOp)
def case(op: CaseOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate the branch of the index, or the last branch if the index is out of range."""
    index, count = int(operands[0]), len(op.branches)
    return evaluate_block(op.branches[index if 0 <= index < count else count - 1].block, ())


@implements(WhileOp)
def while_(op: WhileOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate the body on its own results while the condition holds; the budget of steps ends a loop without end."""
    values = tuple(operands)
    while evaluate_block(op.cond.block, values)[0]:
        values = evaluate_block(op.body.block, values)
    return values
