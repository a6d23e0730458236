"""Accumulators requantized before their elements move, so that a target never moves integers of 32 bits."""

from __future__ import annotations

from collections import deque

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.traits import MovesElements
from qconvert.ir import ACCUMULATOR, TENSOR, quantized, quantized_element, tensor, with_element
from qconvert.rewriting import Pass, PassResult, builder_before, erase, rebuilt, replace


class RaiseRequantizations(Pass):
    """Requantize sums of 32 bits in front of the ops that move them.

    ::

        q8 x ── reduce ── q32 ── broadcast_in_dim ── q32 ── uniform_quantize ── q8

        q8 x ── reduce ── q32 ── uniform_quantize ── q8 ── broadcast_in_dim ── q8

    The movement must be the only use of the sums, and the quantize the only use of the movement.
    """

    name = "raise-requantizations"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every quantize; one that was raised is visited again."""
        pending = deque(op for op in module.walk() if isinstance(op, stablehlo.UniformQuantizeOp))
        changed = False
        while pending:
            op = pending.popleft()
            movement = _movement(op)
            if movement is not None:
                pending += _raise(op, movement)
                changed = True
        return PassResult(changed)


def _movement(op: stablehlo.UniformQuantizeOp) -> Operation | None:
    """Return the op that moves the accumulators which ``op`` requantizes; None if there is none."""
    source, movement = quantized(op.operand), op.operand.owner
    is_sum = source is not None and source.storage.width == ACCUMULATOR.width
    if not is_sum or not isinstance(movement, Operation) or not op.operand.has_one_use():
        return None
    moves = movement.has_trait(MovesElements) and all(value.has_one_use() for value in _moved(movement))
    is_plain = not isinstance(movement, stablehlo.PadOp) and quantized_element(op.result).is_per_tensor
    return movement if moves and is_plain and TENSOR not in movement.attributes else None


def _moved(movement: Operation) -> tuple[SSAValue, ...]:
    (trait,) = movement.get_traits_of_type(MovesElements)
    return tuple(movement.operands[: trait.count])


def _raise(op: stablehlo.UniformQuantizeOp, movement: Operation) -> list[stablehlo.UniformQuantizeOp]:
    build, element = builder_before(movement), quantized_element(op.result)
    raised = [_requantized(build, value, op) for value in _moved(movement)]
    operands = [*(made.result for made in raised), *movement.operands[len(raised) :]]
    moved = rebuilt(movement, operands, [with_element(tensor(op.result), element)])
    replace(op, OpBuilder(op.location, before=op).add(moved))
    erase(movement)
    return raised


def _requantized(build: OpBuilder, value: SSAValue, op: stablehlo.UniformQuantizeOp) -> stablehlo.UniformQuantizeOp:
    made = stablehlo.UniformQuantizeOp(value, quantized_element(op.result))
    made.attributes.update({name: attribute for name, attribute in op.attributes.items() if name != TENSOR})
    build.add(made)
    made.location = op.location
    return made
