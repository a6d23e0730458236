"""Limits of TOSA's level 8k, which its tools check without a word about the source's node.

Source: TOSA specification 1.0, "Levels".
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import BlockArgument, Operation

from qconvert.dialects import tosa
from qconvert.dialects.locations import describe
from qconvert.dialects.tosa.contraction import ConvolutionOp
from qconvert.dialects.types import shape
from qconvert.errors import ConversionError

MAX_RANK = 6
MAX_KERNEL = 8192
MAX_STRIDE = 8192
MAX_SIZE = (1 << 31) - 1
MAX_INPUTS = 64


def check_level(module: ModuleOp) -> None:
    """Raise ConversionError naming the first node that is beyond level 8k, what of it, and the limit."""
    for op in module.walk():
        for what, found, limit in _figures(op):
            if found > limit:
                raise ConversionError(
                    f"{what} of {found} is beyond {limit}, the most at TOSA's level 8k",
                    node=describe(op),
                    op=op.name,
                    hint="Cut the model before it with --outputs",
                )


def _figures(op: Operation) -> Iterator[tuple[str, int, int]]:
    """What an op has that a level limits."""
    arguments = (value for value in op.operands if isinstance(value, BlockArgument))  # other operands are results
    for value in (*arguments, *op.results):
        if isinstance(value.type, TensorType):
            yield "a rank", len(shape(value)), MAX_RANK
            yield "a dimension", max(shape(value), default=0), MAX_SIZE
    if isinstance(op, tosa.ConcatOp):
        yield "a concatenation", len(op.operands), MAX_INPUTS
    if isinstance(op, ConvolutionOp):
        reach = [(size - 1) * step + 1 for size, step in zip(op.kernel_sizes, op.window.dilation, strict=True)]
        yield "a dilated kernel", max(reach), MAX_KERNEL
    if isinstance(op, tosa.PoolOp):
        yield "a kernel", max(op.sizes), MAX_KERNEL
    if isinstance(op, ConvolutionOp | tosa.PoolOp):
        yield "a padding", max(op.window.pad), MAX_KERNEL
        yield "a stride", max(op.window.stride), MAX_STRIDE
