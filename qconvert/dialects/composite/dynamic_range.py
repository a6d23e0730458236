"""Dynamic-range quantization: activations are quantized at run time, and contractions compute in integers.

Source: ONNX DynamicQuantizeLinear-11, MatMulInteger-10, ConvInteger-10.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.composite.formula import Formula
from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check, check_broadcasts
from qconvert.dialects.stablehlo import (
    AddOp,
    CompareOp,
    ComparisonDirection,
    ConvDimensionNumbers,
    ConvDimensionNumbersAttr,
    ConvertOp,
    ConvolutionWindow,
    DivideOp,
    DotDimensionNumbers,
    DotDimensionNumbersAttr,
    RoundNearestEvenOp,
    SubtractOp,
)
from qconvert.dialects.traits import Layer, NotIn
from qconvert.ir import ElementsAttr, Tensor, element_type, f32, i32, integer_type, shape, tensor_type
from qconvert.numerics.dynamic_range import LEVELS

STORAGE = integer_type(8, signed=False)


@irdl_op_definition
class DynamicRangeQuantizeOp(CompositeOp):
    """A float tensor quantized over its own range, which is widened to hold 0; with its scale and zero point.

    ``scale = (max - min) / 255`` (1 where all is 0), ``zero_point = rne(-min / scale)``,
    ``result = clamp(rne(x / scale) + zero_point)``.
    """

    name = "qconvert.dynamic_range_quantize"
    operand = operand_def(TensorType)
    result = result_def(TensorType)
    scale = result_def(TensorType)
    zero_point = result_def(TensorType)
    traits = traits_def(Pure(), NotIn("it makes or takes integers of its own", Layer.FUSION, Layer.KERNELS))

    def __init__(self, operand: SSAValue) -> None:
        super().__init__(operands=[operand], result_types=_quantize_types(operand))

    def verify_(self) -> None:
        """Check that the operand is f32, and that the results are ui8 in its shape, an f32 and a ui8 scalar."""
        check(element_type(self.operand) == f32, self.name, f"found an operand of {self.operand.type}")
        check(list(self.result_types) == _quantize_types(self.operand), self.name, "the results have other types")

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
        """Compute range, scale and zero point in float; then divide, round, add, clamp and convert.

        This holds for finite elements; the target decides the result of a minimum or a clamp of NaN.
        """
        (x,) = operands
        low, scale = _range(build, x)
        scalar = Formula(build, scale)
        position = scalar.clamp(0.0, scalar(SubtractOp, 0.0, scalar(DivideOp, low, scale)), LEVELS)
        zero_point = scalar(RoundNearestEvenOp, position)
        steps = build.add(RoundNearestEvenOp(build.add(DivideOp(x, build.broadcast(scale, shape(x))))))
        shifted = build.add(AddOp(steps, build.broadcast(zero_point, shape(x))))
        clamped = build.clamp(shifted, 0.0, LEVELS)
        return build.add(ConvertOp(clamped, STORAGE)), scale, build.add(ConvertOp(zero_point, STORAGE))


def _quantize_types(operand: SSAValue) -> list[Tensor]:
    return [tensor_type(STORAGE, shape(operand)), tensor_type(f32, ()), tensor_type(STORAGE, ())]


def _range(build: OpBuilder, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Return the smallest element, but at most 0, and the scale."""
    zero = build.filled(0.0, f32)
    axes = range(len(shape(x)))
    low, high = (
        build.add(stablehlo.ReduceOp(x, zero, axes, [stablehlo.binary_body(kind, f32)]))
        for kind in (stablehlo.MinimumOp, stablehlo.MaximumOp)
    )
    scalar = Formula(build, zero)
    scale = scalar(DivideOp, scalar(SubtractOp, high, low), LEVELS)
    is_zero = build.add(CompareOp(high, low, ComparisonDirection.EQ))
    return low, build.add(stablehlo.SelectOp(is_zero, build.filled(1.0, f32), scale))


class IntegerContractionOp(InferredOp, CompositeOp, ABC):
    """The base of contractions of integers less their zero points, with sums in 32 bits.

    The zero points have their operand's element type and broadcast to its shape, trailing dimensions aligned.
    """

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    lhs_zero_point = operand_def(TensorType)
    rhs_zero_point = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), NotIn("it makes or takes integers of its own", Layer.FUSION, Layer.KERNELS))

    @abstractmethod
    def contraction(self, lhs: SSAValue, rhs: SSAValue) -> Operation:
        """Return the plain op on 32-bit integers."""

    def verify_(self) -> None:
        """Check for operands of at most 8 bits, zero points of their types, and a 32-bit result of the right shape."""
        for value, zero_point in ((self.lhs, self.lhs_zero_point), (self.rhs, self.rhs_zero_point)):
            element = element_type(value)
            narrow = isinstance(element, IntegerType) and 1 < element.width.data <= 8
            check(narrow, self.name, f"8-bit integers are needed, found {value.type}")
            check(
                element_type(zero_point) == element,
                self.name,
                f"{zero_point.type} cannot be the zero point of {value.type}",
            )
            check_broadcasts(self.name, zero_point, value)
        super().verify_()

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Convert to 32 bits, subtract the zero points, contract."""
        lhs, rhs, lhs_zero_point, rhs_zero_point = operands
        return build.add(self.contraction(_centred(build, lhs, lhs_zero_point), _centred(build, rhs, rhs_zero_point)))


def _centred(build: OpBuilder, value: SSAValue, zero_point: SSAValue) -> SSAValue:
    wide = build.add(ConvertOp(value, i32))
    owner = zero_point.owner
    if isinstance(owner, stablehlo.ConstantOp) and not owner.array.any():
        return wide
    offset = build.broadcast(build.add(ConvertOp(zero_point, i32)), shape(value))
    return build.add(SubtractOp(wide, offset))


@irdl_op_definition
class DynamicRangeDotGeneralOp(IntegerContractionOp):
    """``dot_general`` of integers less their zero points."""

    name = "qconvert.dynamic_range_dot_general"
    dot_dimension_numbers = prop_def(DotDimensionNumbersAttr)

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, zero_points: tuple[SSAValue, SSAValue], numbers: DotDimensionNumbers
    ) -> None:
        super().__init__(
            operands=[lhs, rhs, *zero_points],
            properties={"dot_dimension_numbers": DotDimensionNumbersAttr(numbers)},
        )

    def infer(self) -> Tensor:
        """Return batch, lhs free, rhs free dimensions."""
        return tensor_type(i32, stablehlo.dot_shape(shape(self.lhs), shape(self.rhs), self.dot_dimension_numbers.data))

    def contraction(self, lhs: SSAValue, rhs: SSAValue) -> Operation:
        """Return a plain ``dot_general``."""
        return stablehlo.DotGeneralOp(lhs, rhs, self.dot_dimension_numbers.data)


@irdl_op_definition
class DynamicRangeConvolutionOp(IntegerContractionOp):
    """``convolution`` of integers less their zero points; padding elements equal the zero point."""

    name = "qconvert.dynamic_range_convolution"
    window_strides = prop_def(DenseArrayBase)
    padding = prop_def(ElementsAttr)
    rhs_dilation = prop_def(DenseArrayBase)
    dimension_numbers = prop_def(ConvDimensionNumbersAttr)
    feature_group_count = prop_def(IntegerAttr)

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        zero_points: tuple[SSAValue, SSAValue],
        numbers: ConvDimensionNumbers,
        window: ConvolutionWindow,
        *,
        feature_group_count: int = 1,
    ) -> None:
        super().__init__(
            operands=[lhs, rhs, *zero_points],
            properties={
                "window_strides": stablehlo.integers(window.strides),
                "padding": stablehlo.padding_attribute(window.padding),
                "rhs_dilation": stablehlo.integers(window.rhs_dilation),
                "dimension_numbers": ConvDimensionNumbersAttr(numbers),
                "feature_group_count": stablehlo.integer(feature_group_count),
            },
        )

    @property
    def window(self) -> ConvolutionWindow:
        """The strides, padding and dilation of the kernel."""
        rank = len(self.dimension_numbers.data.input_spatial)
        return ConvolutionWindow.of(
            rank,
            strides=stablehlo.as_tuple(self.window_strides),
            padding=stablehlo.padding_pairs(self.padding, rank),
            rhs_dilation=stablehlo.as_tuple(self.rhs_dilation),
        )

    @property
    def groups(self) -> int:
        """The number of feature groups."""
        return self.feature_group_count.value.data

    def infer(self) -> Tensor:
        """Return the sizes of the convolution."""
        shapes = (shape(self.lhs), shape(self.rhs))
        return tensor_type(
            i32, stablehlo.convolution_shape(*shapes, self.dimension_numbers.data, self.window, self.groups)
        )

    def contraction(self, lhs: SSAValue, rhs: SSAValue) -> Operation:
        """Return a plain ``convolution``."""
        numbers = self.dimension_numbers.data
        return stablehlo.ConvolutionOp(lhs, rhs, numbers, self.window, feature_group_count=self.groups)
