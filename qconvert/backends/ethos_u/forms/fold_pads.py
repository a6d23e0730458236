"""Paddings in front of convolutions and maxima, folded into their own padding."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import SSAValue

from qconvert.dialects import tosa
from qconvert.dialects.stablehlo.base import integers
from qconvert.dialects.tosa.quantization import parameter_array
from qconvert.ir import element_type, integer_range, shape
from qconvert.rewriting import Pass, PassResult, erase_dead, rebuilt, rewrite_or_refuse
from qconvert.rewriting import replace as replace_op
from qconvert.rewriting.permutations import is_identity
from qconvert.rewriting.placed import PlacedBuilder

_Slid: TypeAlias = tosa.ConvolutionOp | tosa.MaxPool2DOp
_Movement: TypeAlias = tosa.PadOp | tosa.SliceOp | tosa.TransposeOp


@dataclass(frozen=True)
class _Extent:
    """A dimension: ``size`` elements of a source from ``start`` on, and padding below and above them."""

    start: int
    size: int
    low: int = 0
    high: int = 0

    def padded(self, low: int, high: int) -> _Extent:
        """Return the extent with more padding around it."""
        return replace(self, low=self.low + low, high=self.high + high)

    def sliced(self, start: int, size: int) -> _Extent:
        """Return ``size`` elements from ``start`` on; the padding counts as elements."""
        end = self.low + self.size + self.high - start - size
        lost_low, lost_high = max(0, start - self.low), max(0, end - self.high)
        kept = self.size - lost_low - lost_high
        return _Extent(self.start + lost_low, kept, max(0, self.low - start), max(0, self.high - end))


@dataclass(frozen=True)
class _View:
    """An operand as parts of a source, transposed and padded; ``extents`` are in the source's order."""

    source: SSAValue
    permutation: tuple[int, ...]
    extents: tuple[_Extent, ...]

    @property
    def pads(self) -> list[tuple[int, int]]:
        """The padding of each of the operand's dimensions."""
        return [(self.extents[i].low, self.extents[i].high) for i in self.permutation]

    def after(self, op: _Movement) -> _View:
        """Return the result of an op on the operand."""
        if isinstance(op, tosa.TransposeOp):
            return replace(self, permutation=tuple(self.permutation[i] for i in op.permutation))
        extents = list(self.extents)
        for place, i in enumerate(self.permutation):
            if isinstance(op, tosa.PadOp):
                pads = tosa.sizes_of(op.padding)
                extents[i] = extents[i].padded(*pads[2 * place : 2 * place + 2])
            else:
                extents[i] = extents[i].sliced(tosa.sizes_of(op.start)[place], tosa.sizes_of(op.size)[place])
        return replace(self, extents=tuple(extents))

    def without_padding(self, build: PlacedBuilder) -> SSAValue:
        """Return the operand without the padding."""
        starts, sizes = [extent.start for extent in self.extents], [extent.size for extent in self.extents]
        cut = build.slice(self.source, starts, sizes)
        return cut if is_identity(self.permutation) else build.transpose(cut, self.permutation)


class FoldPads(Pass):
    """Fold a PAD into the padding of the convolutions and maxima behind it; NPUs pad while they read.

    ::

        %1 = pad %x, [.., 1, 1, 1, 1, ..], z; %2 = slice %1 (without the last row); conv2d %2 (zero point z)
        conv2d %x (zero point z, pad = [1, 0, 1, 1])

    A convolution's own padding counts as its input's zero point, and a maximum's as the least integer. Where the PAD
    has the same value, it is the same by definition. SLICEs and TRANSPOSEs may stand between: a SLICE takes away
    padding first, and stays where it takes elements as well.
    """

    name = "fold-pads"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every convolution and maximum of integers that has a PAD in front of it."""
        slid = [op for op in module.walk() if isinstance(op, tosa.ConvolutionOp | tosa.MaxPool2DOp)]
        padded = [op for op in slid if isinstance(element_type(op.input), IntegerType) and _pads(op.input)]
        before = [movement for op in padded for movement in _movements(op.input)]
        result = rewrite_or_refuse(padded, _obstacle, _fold)
        erase_dead(before)
        return result


def _movements(value: SSAValue) -> list[_Movement]:
    """Return the PADs, SLICEs and TRANSPOSEs that make a value, the first one first."""
    found: list[_Movement] = []
    while isinstance(owner := value.owner, _Movement):
        found.insert(0, owner)
        value = owner.input1
    return found


def _pads(value: SSAValue) -> bool:
    return any(isinstance(op, tosa.PadOp) for op in _movements(value))


def _view(op: _Slid) -> _View | None:
    """Return the input as a view of what the first PAD of the right value pads, or None if there is no such PAD."""
    found, fill = _movements(op.input), _fill(op)
    others = [i for i, movement in enumerate(found) if isinstance(movement, tosa.PadOp) and _value(movement) != fill]
    found = found[max(others, default=-1) + 1 :]
    first = next((i for i, movement in enumerate(found) if isinstance(movement, tosa.PadOp)), None)
    if first is None or fill is None:
        return None
    source = found[first].input1
    view = _View(source, tuple(range(len(shape(source)))), tuple(_Extent(0, size) for size in shape(source)))
    for movement in found[first:]:
        view = view.after(movement)
    return view


def _value(op: tosa.PadOp) -> int | None:
    array = parameter_array(op.pad_const)
    return None if array is None else int(array.item())


def _fill(op: _Slid) -> int | None:
    """Return the integer that an op's own padding counts as, or None if it is computed."""
    if isinstance(op, tosa.ConvolutionOp):
        zero_point = parameter_array(op.input_zp)
        return None if zero_point is None else int(zero_point.item())
    element = element_type(op.input)
    assert isinstance(element, IntegerType)
    return integer_range(element)[0]


def _obstacle(op: _Slid) -> str | None:
    """Return why the padding in front of an op stays, or None."""
    view = _view(op)
    if view is None:
        return f"the padding is not with {_fill(op)}, as which the op's own counts"
    images, *_, features = view.pads
    if any((*images, *features)):
        return "it pads images or features"
    if any(extent.size < 1 for extent in view.extents):
        return "only padding is left of it"
    if any(pad >= reach for pad, reach in zip(_padding(op, view), _reaches(op), strict=True)):
        return "it pads as much as a kernel or more"
    return None


def _padding(op: _Slid, view: _View) -> list[int]:
    """Return an op's own padding and that of its input, low and high of each spatial dimension in turn."""
    more = [pad for pair in view.pads[1:-1] for pad in pair]
    return [own + pad for own, pad in zip(op.window.pad, more, strict=True)]


def _reaches(op: _Slid) -> list[int]:
    """Return the elements from a kernel's first to its last, twice for each spatial dimension."""
    kernel = op.kernel_sizes if isinstance(op, tosa.ConvolutionOp) else op.sizes
    return [(size - 1) * step + 1 for size, step in zip(kernel, op.window.dilation, strict=True) for _ in range(2)]


def _fold(op: _Slid) -> None:
    view = _view(op)
    assert view is not None
    build = PlacedBuilder(op, *_movements(op.input))
    operands = [view.without_padding(build), *op.operands[1:]]
    made = rebuilt(op, operands, properties={"pad": integers(_padding(op, view))})
    replace_op(op, build.add(made))
