"""ConvTranspose: a convolution over a dilated input with a kernel turned round.

Source: ONNX ConvTranspose-1 to -22.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ConvolutionWindow
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.contraction import add_bias, channels_first_numbers, feature_first
from qconvert.frontends.onnx.padding import convolved_kernel, given_pads, padding_mode, spatial_list
from qconvert.ir.types import shape
from qconvert.support.errors import ConversionError


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


def _dimensions(ctx: NodeContext, sizes: Sequence[int], kernel: Sequence[int]) -> list[_Dimension]:
    rank = len(sizes)
    strides, dilations = spatial_list(ctx, "strides", rank), spatial_list(ctx, "dilations", rank)
    extra = spatial_list(ctx, "output_padding", rank, 0)
    return [_Dimension(*each) for each in zip(sizes, kernel, strides, dilations, extra, strict=True)]


def _pads(ctx: NodeContext, dimensions: Sequence[_Dimension]) -> list[tuple[int, int]]:
    """What is cut off at both ends of each dimension: given, or from the output's size."""
    rank, mode = len(dimensions), padding_mode(ctx)
    wanted = ctx.integers("output_shape")
    if wanted is None and mode.startswith("SAME"):
        wanted = [min(dimension.size * dimension.stride, dimension.full) for dimension in dimensions]
    if wanted is not None:
        if len(wanted) not in (rank, rank + 2):
            raise ConversionError(
                f"output_shape {wanted} does not fit {rank} spatial dimensions",
                hint="Give a size for each spatial dimension",
            )
        pairs = zip(dimensions, wanted[-rank:], strict=True)
        return [dimension.pads_for(size, upper=mode == "SAME_UPPER") for dimension, size in pairs]
    return [(0, 0)] * rank if mode == "VALID" else given_pads(ctx, rank)


def _kernel(ctx: NodeContext, weight: SSAValue, groups: int) -> SSAValue:
    """From ``[g i, o, 0, 1]`` to ``[0, 1, i, g o]``, turned round in every spatial dimension."""
    sizes = shape(weight)
    spatial = range(2, len(sizes))
    turned = ctx.emit(stablehlo.ReverseOp(weight, list(spatial)))
    if groups == 1:
        return ctx.transpose(turned, (*spatial, 0, 1))
    if groups < 1 or sizes[0] % groups:
        hint = "The groups divide the input features"
        raise ConversionError(f"{sizes[0]} input features in {groups} groups", hint=hint)
    inputs, outputs = sizes[0] // groups, sizes[1]
    split = ctx.reshape(turned, (groups, inputs, outputs, *sizes[2:]))
    moved = ctx.transpose(split, (*(i + 1 for i in spatial), 1, 0, 2))
    return ctx.reshape(moved, (*sizes[2:], inputs, groups * outputs))


@onnx_op("ConvTranspose")
def conv_transpose(ctx: NodeContext) -> SSAValue:
    """Transposed convolution of 1, 2 or 3 spatial dimensions; the padding follows from output_shape where given."""
    data, weight = ctx.require_float(ctx.input(0)), ctx.require_float(ctx.input(1))
    kernel = convolved_kernel(ctx, shape(data), shape(weight))
    spatial = len(kernel)
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
