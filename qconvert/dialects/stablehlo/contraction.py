"""``convolution`` and ``dot_general``: one shape rule each; layout is data.

Source: StableHLO's specification. With quantized operands both accumulate in integers; here the result is usually the
32-bit accumulator itself (scale ``s_lhs * s_rhs``, zero point 0), requantized by a ``uniform_quantize`` of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects.attributes import ElementsAttr
from qconvert.dialects.stablehlo.base import as_tuple, integer, integers
from qconvert.dialects.stablehlo.dimension_numbers import (
    ConvDimensionNumbers,
    ConvDimensionNumbersAttr,
    DotDimensionNumbers,
    DotDimensionNumbersAttr,
)
from qconvert.dialects.stablehlo.window import padding_attribute, padding_pairs
from qconvert.dialects.types import shape, tensor
from qconvert.errors import ConversionError


@dataclass(frozen=True)
class ConvolutionWindow:
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
        """Fill in ones and zeros for what is not given."""
        ones = (1,) * rank
        return cls(
            tuple(strides) or ones,
            tuple(padding) or ((0, 0),) * rank,
            tuple(lhs_dilation) or ones,
            tuple(rhs_dilation) or ones,
        )

    def output_size(self, dimension: int, size: int, kernel: int) -> int:
        """The output extent of one spatial dimension; 0 where the kernel does not fit."""
        low, high = self.padding[dimension]
        dilated = 0 if size == 0 else (size - 1) * self.lhs_dilation[dimension] + 1
        reach = (kernel - 1) * self.rhs_dilation[dimension] + 1
        padded = dilated + low + high
        return 0 if reach > padded else (padded - reach) // self.strides[dimension] + 1


@irdl_op_definition
class ConvolutionOp(IRDLOperation):
    """Slides a kernel over spatial dimensions; feature groups cover grouped and depthwise convolution."""

    name = "stablehlo.convolution"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    window_strides = opt_prop_def(DenseArrayBase)
    padding = opt_prop_def(ElementsAttr)
    lhs_dilation = opt_prop_def(DenseArrayBase)
    rhs_dilation = opt_prop_def(DenseArrayBase)
    window_reversal = opt_prop_def(DenseArrayBase)
    dimension_numbers = prop_def(ConvDimensionNumbersAttr)
    feature_group_count = prop_def(IntegerAttr)
    batch_group_count = prop_def(IntegerAttr)
    precision_config = opt_prop_def(ArrayAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        dimension_numbers: ConvDimensionNumbers,
        window: ConvolutionWindow,
        *,
        feature_group_count: int = 1,
        element: Attribute | None = None,
    ) -> None:
        result = convolution_shape(shape(lhs), shape(rhs), dimension_numbers, window, feature_group_count)
        super().__init__(
            operands=[lhs, rhs],
            properties={
                "window_strides": integers(window.strides),
                "padding": padding_attribute(window.padding),
                "lhs_dilation": integers(window.lhs_dilation),
                "rhs_dilation": integers(window.rhs_dilation),
                "dimension_numbers": ConvDimensionNumbersAttr(dimension_numbers),
                "feature_group_count": integer(feature_group_count),
                "batch_group_count": integer(1),
            },
            result_types=[TensorType(element or tensor(lhs).element_type, result)],
        )

    @property
    def numbers(self) -> ConvDimensionNumbers:
        """Which dimension is which."""
        return self.dimension_numbers.data

    @property
    def groups(self) -> int:
        """The number of feature groups."""
        return self.feature_group_count.value.data

    @property
    def window(self) -> ConvolutionWindow:
        """The window with absent lists filled in."""
        rank = len(self.numbers.input_spatial)
        return ConvolutionWindow.of(
            rank,
            strides=as_tuple(self.window_strides),
            padding=padding_pairs(self.padding, rank),
            lhs_dilation=as_tuple(self.lhs_dilation),
            rhs_dilation=as_tuple(self.rhs_dilation),
        )


def convolution_shape(
    lhs: Sequence[int], rhs: Sequence[int], numbers: ConvDimensionNumbers, window: ConvolutionWindow, groups: int
) -> tuple[int, ...]:
    """The result shape; raises ConversionError where features and groups do not fit together."""
    if len(lhs) != len(rhs) or len(lhs) != len(numbers.input_spatial) + 2:
        raise ConversionError(f"convolution of rank {len(lhs)} with a kernel of rank {len(rhs)}")
    features, kernel_features = lhs[numbers.input_feature], rhs[numbers.kernel_input_feature]
    outputs = rhs[numbers.kernel_output_feature]
    if groups < 1 or features != kernel_features * groups or outputs % groups:
        raise ConversionError(
            f"{features} input features in {groups} groups do not fit a kernel of {kernel_features} features and "
            f"{outputs} outputs"
        )
    result = [0] * len(lhs)
    result[numbers.output_batch] = lhs[numbers.input_batch]
    result[numbers.output_feature] = outputs
    for i, (source, kernel, target) in enumerate(
        zip(numbers.input_spatial, numbers.kernel_spatial, numbers.output_spatial, strict=True)
    ):
        result[target] = window.output_size(i, lhs[source], rhs[kernel])
    return tuple(result)


@irdl_op_definition
class DotGeneralOp(IRDLOperation):
    """Batched matrix product: result dimensions are batch, lhs free, rhs free."""

    name = "stablehlo.dot_general"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    dot_dimension_numbers = prop_def(DotDimensionNumbersAttr)
    precision_config = opt_prop_def(ArrayAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, numbers: DotDimensionNumbers, element: Attribute | None = None
    ) -> None:
        result = dot_shape(shape(lhs), shape(rhs), numbers)
        super().__init__(
            operands=[lhs, rhs],
            properties={"dot_dimension_numbers": DotDimensionNumbersAttr(numbers)},
            result_types=[TensorType(element or tensor(lhs).element_type, result)],
        )

    @property
    def numbers(self) -> DotDimensionNumbers:
        """Which dimensions are batch and contracting ones."""
        return self.dot_dimension_numbers.data


def dot_shape(lhs: Sequence[int], rhs: Sequence[int], numbers: DotDimensionNumbers) -> tuple[int, ...]:
    """The result shape; raises ConversionError where paired dimensions differ in size."""
    pairs = [
        *zip(numbers.lhs_batching_dimensions, numbers.rhs_batching_dimensions, strict=True),
        *zip(numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions, strict=True),
    ]
    for i, j in pairs:
        if lhs[i] != rhs[j]:
            raise ConversionError(f"matrix product of {tuple(lhs)} and {tuple(rhs)}: {lhs[i]} and {rhs[j]} differ")
    return (
        *(lhs[i] for i in numbers.lhs_batching_dimensions),
        *(lhs[i] for i in numbers.lhs_free(len(lhs))),
        *(rhs[i] for i in numbers.rhs_free(len(rhs))),
    )
