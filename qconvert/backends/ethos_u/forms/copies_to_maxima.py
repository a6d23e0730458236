"""Arguments, and slices, that a function returns, copied by a MAXIMUM."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, SSAValue

from qconvert.backends.ethos_u.forms.copy_images import LINE
from qconvert.backends.ethos_u.forms.steps import behind_reshapes
from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import i16
from qconvert.ir import element_type, i8, i32, integer_range, shape
from qconvert.rewriting import Pass, PassResult
from qconvert.rewriting.placed import PlacedBuilder

_FEW = 256
"""So many elements, each read by itself, take as long as the start of a pooling."""


class CopiesToMaxima(Pass):
    """Take the maximum of a value and the lowest integer, where a function returns an argument or a slice.

    ::

        %1 = slice %0 (i8)
        return %1

        %2 = maximum (rescale %1 * 1, rescale -128 * 1) ── rescale * 1 ── i8
        return %2

    A result has memory of its own, so NPUs copy an argument or a slice to it, by a pooling. It takes twice as long as
    an elementwise op, and ten times as long for a few elements. The elementwise op reads the slice where it is, and
    takes an argument in a shape that is read in long pieces. A slice of an argument may be in short ones, for which a
    pooling waits less. So only few elements of these are copied otherwise.
    """

    name = "copies-to-maxima"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every return of 8- and 16-bit integers."""
        changed = [_visit(op) for op in module.walk() if isinstance(op, ReturnOp)]
        return PassResult(any(changed))


def _visit(op: ReturnOp) -> bool:
    build, copies = PlacedBuilder(op), dict[SSAValue, SSAValue]()
    for value in dict.fromkeys(op.operands):
        if element_type(value) in (i8, i16) and shape(value):
            source = behind_reshapes(value).owner
            if isinstance(source, Block):
                copies[value] = build.reshape(_copied(build, build.reshape(value, _lines(value))), shape(value))
            elif isinstance(source, tosa.SliceOp) and _is_near(source):
                copies[value] = _copied(build, value)
    op.operands = [copies.get(value, value) for value in op.operands]
    return bool(copies)


def _lines(value: SSAValue) -> tuple[int, ...]:
    """Return a shape that is read in long pieces: lines of 8-bit integers, if they fill these, or a row."""
    count = prod(shape(value))
    return (count // LINE, LINE) if element_type(value) == i8 and count % LINE == 0 else (count,)


def _is_near(op: tosa.SliceOp) -> bool:
    """Return True for a slice of what a kernel has computed, or of few elements."""
    return not isinstance(behind_reshapes(op.input1).owner, Block) or prod(shape(op.output)) <= _FEW


def _copied(build: PlacedBuilder, value: SSAValue) -> SSAValue:
    """Return the larger ones of integers and their type's lowest one."""
    element = i8 if element_type(value) == i8 else i16
    lowest = build.filled(integer_range(element)[0], value, element)
    operands = (build.rescale(part, 1.0, i32) for part in (value, lowest))
    return build.rescale(build.add(tosa.MaximumOp(*operands)), 1.0, element)
