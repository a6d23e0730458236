"""The limits of TOSA's level 8k. TOSA's tools check them as well, but do not name the source's node.

Source: TOSA specification 1.0, "Levels".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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
    sound: set[int] = set()
    for op in module.walk():
        types = [value.type for value in (*op.operands, *op.results)]
        if not sound.issuperset(map(id, types)):
            yield from _type_errors(op, types)
            sound.update(id(type) for type in types if _is_sound(type))
        yield from _excesses(op, _figures(op))


def _type_errors(op: Operation, types: Sequence[Attribute]) -> Iterator[ConversionError]:
    """Yield the errors about the types of an op's operands and results."""
    if any(map(_is_empty, types)):
        yield _error(op, NO_ELEMENTS, "Cut the model around it with --inputs and --outputs")
    if any(map(_is_double, types)):
        yield _error(op, "TOSA does not support f64", "Export the model with floats of 32 bits")
    # An operand that is the result of an op is reported there.
    values = [*(value for value in op.operands if isinstance(value, BlockArgument)), *op.results]
    for value in values:
        yield from _excesses(op, _extents(value.type))


def _excesses(op: Operation, figures: Iterable[tuple[str, int, int]]) -> Iterator[ConversionError]:
    """Yield an error for each figure (its name, the figure, the limit) beyond its limit."""
    for what, found, limit in figures:
        if found > limit:
            reason = f"{what} of {found} exceeds the limit {limit} of TOSA's level 8k"
            yield _error(op, reason, "Cut the model before it with --outputs")


def _error(op: Operation, reason: str, hint: str) -> ConversionError:
    return ConversionError(reason, hint=hint, node=describe(op), op=op.name, file=place(op))


def _figures(op: Operation) -> Iterator[tuple[str, int, int]]:
    """Return the name, the figure and the limit of each property of an op, besides its types, that the level limits."""
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


def _is_sound(type: Attribute) -> bool:
    """Return whether no op has an error for the type of a value."""
    small = all(found <= limit for _, found, limit in _extents(type))
    return small and not _is_empty(type) and not _is_double(type)


def _is_empty(type: Attribute) -> bool:
    """Return whether a type is a tensor without elements."""
    return isinstance(type, TensorType) and 0 in type.get_shape()


def _is_double(type: Attribute) -> bool:
    """Return whether a type is a tensor of f64."""
    return isinstance(type, TensorType) and type.element_type == f64


def _extents(type: Attribute) -> tuple[tuple[str, int, int], ...]:
    """Return rank and largest dimension of a tensor type with their limits; nothing for other types."""
    if not isinstance(type, TensorType):
        return ()
    sizes = type.get_shape()
    return ("a rank", len(sizes), MAX_RANK), ("a dimension", max(sizes, default=0), MAX_SIZE)
