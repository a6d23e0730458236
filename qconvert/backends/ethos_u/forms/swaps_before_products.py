"""TRANSPOSEs in front of MATMUL in the form that an NPU takes in."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.ethos_u.forms.steps import behind_reshapes
from qconvert.dialects import tosa
from qconvert.ir import shape
from qconvert.rewriting import Pass, PassResult, erase_dead, only_user
from qconvert.rewriting.placed import PlacedBuilder

_SWAP = (0, 1, 3, 2)


class SwapsBeforeProducts(Pass):
    """Swap the last two dimensions of MATMUL's second operand in a TRANSPOSE of its own, of four dimensions.

    ::

        transpose %x (N, C, K), perms = [0, 2, 1] ── matmul

        reshape %x to (1, N, C, K) ── transpose, perms = [0, 1, 3, 2] ── reshape (N, K, C) ── matmul

    NPUs multiply by rows of the second operand, so Vela swaps these dimensions. It merges its swap with a TRANSPOSE in
    front of it only if that gives (1, N, K, C). Other dimensions are moved by a TRANSPOSE before. Both forms move each
    element to the same place.
    """

    name = "swaps-before-products"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every MATMUL in program order."""
        changed = [_visit(op) for op in list(module.walk()) if isinstance(op, tosa.MatMulOp)]
        if any(changed):
            erase_dead(list(module.walk()))
        return PassResult(any(changed))


def _visit(op: tosa.MatMulOp) -> bool:
    value, (count, rows, columns) = behind_reshapes(op.b), shape(op.b)
    before = value.owner
    if not isinstance(before, tosa.TransposeOp) or only_user(value) is None or shape(value)[-2:] != (rows, columns):
        return False
    if shape(value) == (1, count, rows, columns):
        return False
    build, (*outer, last, other) = PlacedBuilder(op, before), before.permutation
    moved = build.reshape(build.transpose(before.input1, (*outer, other, last)), (1, count, columns, rows))
    op.operands[1] = build.reshape(build.add(tosa.TransposeOp(moved, _SWAP)), shape(op.b))
    return True
