"""The limits of TOSA's level 8k. TOSA's tools check them as well, but do not name the source's node.

Source: TOSA specification 1.0, "Levels".
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from xdsl.dialects.builtin import ModuleOp, TensorType, f64
from xdsl.ir import Attribute, BlockArgument, Operation

from qconvert.dialects import tosa
from qconvert.ir import describe, place
from qconvert.support.errors import ConversionError

MAX_RANK = 6
MAX_KERNEL = 8192
MAX_STRIDE = 8192
MAX_SIZE = (1 << 31) - 1
MAX_INPUTS = 64


NO_ELEMENTS = "TOSA does not support tensors without elements"


def check_level(module: ModuleOp) -> None:
    """Raise ConversionError for the first op beyond level 8k, naming its node, the figure and the limit."""
    for error in level_errors(module):
        raise error


def level_errors(module: ModuleOp) -> Iterator[ConversionError]:
    """Yield an error for each figure of an op beyond level 8k.

    A tensor without elements is an error as well: TOSA's dimensions have a size of at least 1.
    Floats of 64 bits are errors, too.
    """
    for op in module.walk():
        if any(_is_empty(value.type) for value in (*op.operands, *op.results)):
            yield _error(op, NO_ELEMENTS, "Cut the model around it with --inputs and --outputs")
        if any(_is_double(value.type) for value in (*op.operands, *op.results)):
            yield _error(op, "TOSA does not support f64", "Export the model with floats of 32 bits")
        for what, found, limit in _figures(op):
            if found > limit:
                reason = f"{what} of {found} exceeds the limit {limit} of TOSA's level 8k"
                yield _error(op, reason, "Cut the model before it with --outputs")


def _error(op: Operation, reason: str, hint: str) -> ConversionError:
    return ConversionError(reason, hint=hint, node=describe(op), op=op.name, file=place(op))


def _figures(op: Operation) -> Iterator[tuple[str, int, int]]:
    """Return the name, the figure and the limit of each property of an op that the level limits."""
    for value in op.operands:
        if isinstance(value, BlockArgument):  # other operands are results of ops
            yield from _extents(value.type)
    for value in op.results:
        yield from _extents(value.type)
    if isinstance(op, tosa.ConcatOp):
        yield "a concatenation", len(op.operands), MAX_INPUTS
    if not isinstance(op, tosa.ConvolutionOp | tosa.PoolOp):
        return
    if isinstance(op, tosa.ConvolutionOp):
        dilated = [size * step for size, step in zip(op.kernel_sizes, op.window.dilation, strict=True)]
        yield "a dilated kernel", max(dilated), MAX_KERNEL
    else:
        yield "a kernel", max(op.sizes), MAX_KERNEL
    yield "a padding", max(op.window.pad), MAX_KERNEL
    yield "a stride", max(op.window.stride), MAX_STRIDE


@lru_cache(maxsize=1024)
def _is_empty(type: Attribute) -> bool:
    """Return whether a type is a tensor without elements."""
    return isinstance(type, TensorType) and 0 in type.get_shape()


@lru_cache(maxsize=1024)
def _is_double(type: Attribute) -> bool:
    """Return whether a type is a tensor of f64."""
    return isinstance(type, TensorType) and type.element_type == f64


@lru_cache(maxsize=1024)
def _extents(type: Attribute) -> tuple[tuple[str, int, int], ...]:
    """Return rank and largest dimension of a tensor type with their limits; nothing for other types."""
    if not isinstance(type, TensorType):
        return ()
    sizes = type.get_shape()
    return ("a rank", len(sizes), MAX_RANK), ("a dimension", max(sizes, default=0), MAX_SIZE)
