"""The window of a convolution, and the shape of the result.

Source: StableHLO's specification, "convolution".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from qconvert.dialects.op_checks import check_sizes
from qconvert.dialects.stablehlo.dimension_numbers import ConvDimensionNumbers
from qconvert.support.errors import ConversionError


class ConvolutionWindow(NamedTuple):
    """Strides, padding and dilations of a convolution, one entry for each spatial dimension."""

    strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    lhs_dilation: tuple[int, ...]
    rhs_dilation: tuple[int, ...]

    @classmethod
    def of(
        cls,
        rank: int,
        *,
        strides: Sequence[int] = (),
        padding: Sequence[tuple[int, int]] = (),
        lhs_dilation: Sequence[int] = (),
        rhs_dilation: Sequence[int] = (),
    ) -> ConvolutionWindow:
        """Return a window with ones and zeros for absent lists."""
        ones = (1,) * rank
        return cls(
            tuple(strides) or ones,
            tuple(padding) or ((0, 0),) * rank,
            tuple(lhs_dilation) or ones,
            tuple(rhs_dilation) or ones,
        )

    def check(self, rank: int) -> None:
        """Raise ConversionError unless every list has one positive entry for each of ``rank`` spatial dimensions."""
        for values in (self.strides, self.lhs_dilation, self.rhs_dilation):
            check_sizes(rank, values)
            if any(value < 1 for value in values):
                raise ConversionError(f"strides and dilations must be positive, found {list(values)}")
        check_sizes(rank, self.padding)

    def output_size(self, dimension: int, size: int, kernel: int) -> int:
        """Return the output extent of one spatial dimension; 0 where the kernel does not fit."""
        lists = (self.strides, self.lhs_dilation, self.rhs_dilation)
        return window_count(size, kernel, self.padding[dimension], *(values[dimension] for values in lists))


def window_count(
    size: int, window: int, padding: tuple[int, int], stride: int, base_dilation: int, dilation: int
) -> int:
    """Return the number of windows that fit into a dimension of a size, the result's size."""
    dilated = 0 if size == 0 else (size - 1) * base_dilation + 1
    reach, padded = (window - 1) * dilation + 1, dilated + sum(padding)
    return 0 if reach > padded else (padded - reach) // stride + 1


def convolution_shape(
    lhs: Sequence[int],
    rhs: Sequence[int],
    numbers: ConvDimensionNumbers,
    window: ConvolutionWindow,
    groups: int,
    batch_groups: int = 1,
) -> tuple[int, ...]:
    """Return the result shape; raises ConversionError where features or batches and groups do not fit together."""
    if len(lhs) != len(rhs) or len(lhs) != len(numbers.input_spatial) + 2:
        raise ConversionError(f"convolution of rank {len(lhs)} with a kernel of rank {len(rhs)}")
    numbers.check()
    window.check(len(numbers.input_spatial))
    features, kernel_features = lhs[numbers.input_feature], rhs[numbers.kernel_input_feature]
    outputs = rhs[numbers.kernel_output_feature]
    if groups < 1 or features != kernel_features * groups or outputs % groups:
        raise ConversionError(
            f"{features} input features in {groups} groups do not fit a kernel of {kernel_features} features and "
            f"{outputs} outputs",
            hint="Input features are the kernel's times the groups, and the groups divide the outputs",
        )
    batch = lhs[numbers.input_batch]
    if batch_groups < 1 or batch % batch_groups or outputs % batch_groups or (groups > 1 and batch_groups > 1):
        raise ConversionError(f"{batch_groups} batch groups do not fit a batch of {batch} and {outputs} outputs")
    result = [0] * len(lhs)
    result[numbers.output_batch] = batch // batch_groups
    result[numbers.output_feature] = outputs
    for i, (source, kernel, target) in enumerate(
        zip(numbers.input_spatial, numbers.kernel_spatial, numbers.output_spatial, strict=True)
    ):
        result[target] = window.output_size(i, lhs[source], rhs[kernel])
    return tuple(result)
