"""Images among the arguments, copied once into the NPU's fast memory."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from qconvert.backends.ethos_u.forms.steps import behind_reshapes, readers_of
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.ir import element_type, i8, i32, shape
from qconvert.rewriting import Pass, PassResult, rewrite_or_refuse
from qconvert.rewriting.placed import PlacedBuilder

LINE = 16
"""The number of features of which an NPU reads whole lines of memory at once."""
_LEAST = 512
"""The least bytes for which the copy is worth the wait for its own weights."""


@dataclass(frozen=True)
class CopyImages(Pass):
    """Copy an argument of few features that a CONV2D reads, by a CONV2D that reads whole lines of memory.

    ::

        conv2d %image (1, H, W, 3)

        %1 = conv2d (reshape %image to (1, 1, H * W * 3 / 16, 16)), identity ── rescale by 1
        conv2d (reshape %1 to (1, H, W, 3))

    An argument is in a slow memory. A window of few features is many short reads of it, and rows that windows share are
    read again. The copy reads each line once, and its result is in the fast memory.
    """

    name = "copy-images"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every CONV2D of an argument of 8-bit integers."""
        found = [op for op in module.walk() if isinstance(op, tosa.Conv2DOp) and element_type(op.input) == i8]
        arguments = [op for op in found if isinstance(behind_reshapes(op.input).owner, Block)]
        return rewrite_or_refuse(arguments, self._obstacle, _rewrite)

    def _obstacle(self, op: tosa.Conv2DOp) -> str | None:
        """Return why an argument is not copied, or None."""
        if not self.npu.holds(shape(op.input), shape(op.output)):
            return "it does not fit into the fast memory"
        if prod(shape(op.input)) < _LEAST:
            return "it is small"
        if shape(op.input)[-1] >= LINE or prod(shape(op.input)) % LINE:
            return "it is read in whole lines, or has none"
        readers = list(readers_of(behind_reshapes(op.input)))
        return None if readers == [op] else "other ops read it, too"


def _rewrite(op: tosa.Conv2DOp) -> None:
    build = PlacedBuilder(op)
    lines = build.reshape(op.input, lines_of(op.input))
    op.operands[0] = build.reshape(copied(build, lines), shape(op.input))


def lines_of(value: SSAValue) -> tuple[int, int, int, int]:
    """Return the shape of a value in whole lines; its elements must fill them."""
    return (1, 1, prod(shape(value)) // LINE, LINE)


def copied(build: PlacedBuilder, lines: SSAValue) -> SSAValue:
    """Return whole lines of 8-bit integers, copied by a CONV2D."""
    operands = (
        lines,
        build.constant(np.eye(LINE, dtype=np.int8).reshape(LINE, 1, 1, LINE), i8),
        build.constant(np.zeros(LINE, np.int64), i32),
        build.zero_point(0, i8),
        build.zero_point(0, i8),
    )
    made = build.add(tosa.Conv2DOp(operands, tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1)), i32))
    return build.rescale(made, 1.0, i8)
