"""RESCALEs to i32 that several elementwise ops read, once for each of them."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.ethos_u.forms.steps import step_of
from qconvert.dialects.tosa import RescaleOp
from qconvert.dialects.tosa.quantization import i16
from qconvert.dialects.traits import Elementwise
from qconvert.ir import element_type, i8, i32
from qconvert.rewriting import Pass, PassResult


class RepeatWidenings(Pass):
    """Give each elementwise op that reads 8- or 16-bit integers times a factor, as i32, a RESCALE of its own.

    ::

        %1 ── rescale * 3 ──┬── add
                            └── add

        %1 ──┬── rescale * 3 ── add
             └── rescale * 3 ── add

    A RESCALE that one op reads is free in front of ADD. Vela 5.2 moves one that several ops read into the kernel that
    makes ``%1``, unless that has a RESCALE already: the products are then twice as long as ``%1``, and clamped to
    the range of ``%1``. Common subexpressions must not be merged afterwards.
    """

    name = "repeat-widenings"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every RESCALE in program order."""
        changed = [_visit(op) for op in list(module.walk()) if isinstance(op, RescaleOp)]
        return PassResult(any(changed))


def _visit(op: RescaleOp) -> bool:
    uses = list(op.output.uses)
    if len(uses) < 2 or not all(use.operation.has_trait(Elementwise) for use in uses):
        return False
    is_widening = element_type(op.output) == i32 and element_type(op.input) in (i8, i16)
    step = step_of(op) if is_widening else None
    if step is None or step.power == 0:
        return False
    for use in uses[1:]:
        copy, block = op.clone(), use.operation.parent
        assert block is not None
        block.insert_op_before(copy, use.operation)
        use.operation.operands[use.index] = copy.output
    return True
