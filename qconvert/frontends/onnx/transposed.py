"""ConvTranspose: a convolution of a dilated input with a reversed kernel.

Source: ONNX ConvTranspose-1 to -22.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.padding import halves
from qconvert.dialects.stablehlo import ConvolutionWindow
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.frontends.onnx.contraction import add_bias, channels_first_numbers, feature_first
from qconvert.frontends.onnx.padding import convolved_kernel, given_pads, padding_mode, spatial_list
from qconvert.ir import shape
from qconvert.support.errors import ConversionError


class _Dimension(NamedTuple):
    """A spatial dimension. ``extra`` (output_padding) lengthens the full result, from which pads are cut off."""

    size: int
    kernel: int
    stride: int
    dilation: int
    extra: int

    @property
    def reach(self) -> int:
        """Return the extent of the dilated kernel."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def full(self) -> int:
        """Return the number of result elements before any are cut off."""
        return self.stride * (self.size - 1) + self.extra + self.reach

    def pads_for(self, size: int, *, upper: bool) -> tuple[int, int]:
        """Return the elements to cut off so that ``size`` elements stay; ``upper`` cuts an odd one off the end."""
        total = self.full - size
        if total < 0:
            raise ConversionError(f"the output size {size} is more than the {self.full} elements of the full result")
        return halves(total, upper=upper)

    def padding(self, pads: tuple[int, int]) -> tuple[int, int]:
        """Return the padding of the convolution whose result is cut by ``pads``."""
        return self.reach - 1 - pads[0], self.reach - 1 - pads[1] + self.extra


def _dimensions(ctx: NodeContext, sizes: Sequence[int], kernel: Sequence[int]) -> list[_Dimension]:
    rank = len(sizes)
    strides, dilations = spatial_list(ctx, "strides", rank), spatial_list(ctx, "dilations", rank)
    extra = spatial_list(ctx, "output_padding", rank, 0)
    return [_Dimension(*each) for each in zip(sizes, kernel, strides, dilations, extra, strict=True)]


def _pads(ctx: NodeContext, dimensions: Sequence[_Dimension]) -> list[tuple[int, int]]:
    """Return the elements to cut off at both ends of each dimension: given, or computed from the output's size."""
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
    """Transpose ``[g i, o, 0, 1]`` to ``[0, 1, i, g o]`` and reverse every spatial dimension."""
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
    """Import a transposed convolution of 1, 2 or 3 spatial dimensions; ``output_shape`` may define its padding."""
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
