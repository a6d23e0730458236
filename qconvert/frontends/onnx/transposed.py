"""ConvTranspose: a convolution over a dilated input with a kernel turned round.

Source: ONNX ConvTranspose-1 to -22.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ConvolutionWindow
from qconvert.dialects.types import shape
from qconvert.errors import ConversionError
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.contraction import add_bias, channels_first_numbers, feature_first


@dataclass(frozen=True)
class _Dimension:
    """One spatial dimension: ``pads`` are cut off the full result, which ``extra`` (output_padding) makes longer."""

    size: int
    kernel: int
    stride: int
    dilation: int
    extra: int

    @property
    def reach(self) -> int:
        """How far the dilated kernel reaches."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def full(self) -> int:
        """How many elements come out before anything is cut off."""
        return self.stride * (self.size - 1) + self.extra + self.reach

    def pads_for(self, wanted: int, *, upper: bool) -> tuple[int, int]:
        """What to cut so that ``wanted`` elements stay; ``upper`` cuts the odd one off the end."""
        total = self.full - wanted
        if total < 0:
            raise ConversionError(f"the output size {wanted} is more than the {self.full} that come out")
        return (total // 2, total - total // 2) if upper else (total - total // 2, total // 2)

    def padding(self, pads: tuple[int, int]) -> tuple[int, int]:
        """The padding of the convolution whose result is cut by ``pads``."""
        return self.reach - 1 - pads[0], self.reach - 1 - pads[1] + self.extra


def _ints(ctx: NodeContext, name: str, rank: int, default: int) -> list[int]:
    """A list attribute with one entry for each spatial dimension; dilations and strides are positive."""
    values = ctx.integers(name) or [default] * rank
    if len(values) != rank or any(value < default for value in values):
        raise ConversionError(f"{name} {values} does not fit {rank} spatial dimensions")
    return values


def _dimensions(ctx: NodeContext, sizes: Sequence[int], kernel: Sequence[int]) -> list[_Dimension]:
    rank = len(sizes)
    strides, dilations = _ints(ctx, "strides", rank, 1), _ints(ctx, "dilations", rank, 1)
    extra = _ints(ctx, "output_padding", rank, 0)
    return [_Dimension(*each) for each in zip(sizes, kernel, strides, dilations, extra, strict=True)]


def _pads(ctx: NodeContext, dimensions: Sequence[_Dimension]) -> list[tuple[int, int]]:
    """What is cut off at both ends of each dimension: given, or from the output's size."""
    rank, mode = len(dimensions), ctx.text("auto_pad", "NOTSET")
    if mode not in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"):
        raise ConversionError(f"auto_pad is '{mode}'")
    pads, wanted = ctx.integers("pads") or [0] * (2 * rank), ctx.integers("output_shape")
    if wanted is None and mode.startswith("SAME"):
        wanted = [min(dimension.size * dimension.stride, dimension.full) for dimension in dimensions]
    if wanted is not None:
        if len(wanted) not in (rank, rank + 2):
            raise ConversionError(f"output_shape {wanted} does not fit {rank} spatial dimensions")
        pairs = zip(dimensions, wanted[-rank:], strict=True)
        return [dimension.pads_for(size, upper=mode == "SAME_UPPER") for dimension, size in pairs]
    if len(pads) != 2 * rank or any(pad < 0 for pad in pads):
        raise ConversionError(f"pads {pads} does not fit {rank} spatial dimensions")
    return [(0, 0)] * rank if mode == "VALID" else list(zip(pads[:rank], pads[rank:], strict=True))


def _kernel(ctx: NodeContext, weight: SSAValue, groups: int) -> SSAValue:
    """From ``[g i, o, 0, 1]`` to ``[0, 1, i, g o]``, turned round in every spatial dimension."""
    sizes = shape(weight)
    spatial = range(2, len(sizes))
    turned = ctx.emit(stablehlo.ReverseOp(weight, list(spatial)))
    if groups == 1:
        return ctx.transpose(turned, (*spatial, 0, 1))
    if groups < 1 or sizes[0] % groups:
        raise ConversionError(f"{sizes[0]} input features in {groups} groups")
    inputs, outputs = sizes[0] // groups, sizes[1]
    split = ctx.reshape(turned, (groups, inputs, outputs, *sizes[2:]))
    moved = ctx.transpose(split, (*(i + 1 for i in spatial), 1, 0, 2))
    return ctx.reshape(moved, (*sizes[2:], inputs, groups * outputs))


@onnx_op("ConvTranspose")
def conv_transpose(ctx: NodeContext) -> SSAValue:
    """Transposed convolution of 1, 2 or 3 spatial dimensions; the padding follows from output_shape where given."""
    data, weight = ctx.require_float(ctx.input(0)), ctx.require_float(ctx.input(1))
    spatial = len(shape(data)) - 2
    if len(shape(weight)) != spatial + 2 or not 1 <= spatial <= 3:
        raise ConversionError(f"input of rank {spatial + 2} with a kernel of rank {len(shape(weight))}")
    kernel = shape(weight)[2:]
    if list(ctx.integers("kernel_shape") or kernel) != list(kernel):
        raise ConversionError(f"kernel_shape differs from the weight's {list(kernel)}")
    dimensions = _dimensions(ctx, shape(data)[2:], kernel)
    pads = _pads(ctx, dimensions)
    window = ConvolutionWindow.of(
        spatial,
        padding=[dimension.padding(pair) for dimension, pair in zip(dimensions, pads, strict=True)],
        lhs_dilation=[dimension.stride for dimension in dimensions],
        rhs_dilation=[dimension.dilation for dimension in dimensions],
    )
    groups = ctx.integer("group", 1)
    op = stablehlo.ConvolutionOp(
        data, _kernel(ctx, weight, groups), channels_first_numbers(spatial), window, feature_group_count=groups
    )
    return feature_first(ctx, add_bias(ctx, ctx.emit(op), 2))
