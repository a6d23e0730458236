"""Casts of arguments, which read them as one row."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Block

from qconvert.backends.ethos_u.forms.steps import behind_reshapes, readers_of
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects.tosa import CastOp
from qconvert.ir import element_type, shape
from qconvert.rewriting import Pass, PassResult, replace, rewrite_or_refuse
from qconvert.rewriting.placed import PlacedBuilder

_LONG_ROW = 128
"""The bytes of a row that is read as fast as longer ones."""


@dataclass(frozen=True)
class CastsOfRows(Pass):
    """Cast an argument as one row of elements.

    ::

        cast %x (N, H, W, C)

        reshape (cast (reshape %x to (1, 1, 1, N * H * W * C))) to (N, H, W, C)

    An NPU with a fast memory reads arguments from the slow one. The rows of few features that an elementwise kernel
    reads of an image are up to four times slower than the same bytes as one row. A CAST for one op is computed in the
    kernel of that op if they have the same shape, which is better if the argument's rows are long.
    """

    name = "casts-of-rows"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every CAST of an argument that has rows."""
        found = [op for op in module.walk() if isinstance(op, CastOp)]
        read = [op for op in found if shape(op.input) and isinstance(behind_reshapes(op.input).owner, Block)]
        return rewrite_or_refuse([op for op in read if _row(op) != shape(op.input)], self._obstacle, _rewrite)

    def _obstacle(self, op: CastOp) -> str | None:
        """Return why an argument is read in its shape, or None."""
        if not self.npu.fast_bytes:
            return "the NPU has one memory"
        element = element_type(op.input)
        bits = element.width.data if isinstance(element, IntegerType) else 0
        is_long = shape(op.input)[-1] * bits >= 8 * _LONG_ROW
        return "one op reads it, in long rows" if is_long and len(list(readers_of(op.output))) == 1 else None


def _row(op: CastOp) -> tuple[int, ...]:
    """Return the shape of one row."""
    sizes = shape(op.input)
    return (*(1 for _ in sizes[1:]), prod(sizes))


def _rewrite(op: CastOp) -> None:
    build = PlacedBuilder(op)
    made = build.add(CastOp(build.reshape(op.input, _row(op)), element_type(op.output)))
    replace(op, build.reshape(made, shape(op.output)))
