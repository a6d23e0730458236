"""Casts of arguments, which read them as one row."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from qconvert.dialects.tosa import CastOp
from qconvert.ir import EVERY_NPU, Npu, element_type, shape
from qconvert.passes.lean_tosa.steps import behind_reshapes
from qconvert.rewriting import Pass, PassResult, replace, rewrite_or_refuse
from qconvert.rewriting.placed import PlacedBuilder


@dataclass(frozen=True)
class CastsOfRows(Pass):
    """Cast an argument as one row of elements.

    ::

        cast %x (N, H, W, C)

        reshape (cast (reshape %x to (1, 1, 1, N * H * W * C))) to (N, H, W, C)

    An NPU with a fast memory reads arguments from the slow one. The rows of few features that an elementwise kernel
    reads of an image are up to four times slower than the same bytes as one row. A CAST that stays a kernel, because
    several ops read it, is the only one that reads the argument.
    """

    name = "casts-of-rows"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every CAST of an argument that has rows."""
        found = [op for op in module.walk() if isinstance(op, CastOp)]
        read = [op for op in found if isinstance(behind_reshapes(op.input).owner, Block)]
        return rewrite_or_refuse([op for op in read if _row(op) != shape(op.input)], self._obstacle, _rewrite)

    def _obstacle(self, _: CastOp) -> str | None:
        """Return why an argument is read in its shape, or None."""
        return None if self.npu.fast_bytes else "the NPU has one memory"


def _row(op: CastOp) -> tuple[int, ...]:
    """Return the shape of one row."""
    sizes = shape(op.input)
    return (*(1 for _ in sizes[1:]), prod(sizes))


def _rewrite(op: CastOp) -> None:
    build = PlacedBuilder(op)
    made = build.add(CastOp(build.reshape(op.input, _row(op)), element_type(op.output)))
    replace(op, build.reshape(made, shape(op.output)))
