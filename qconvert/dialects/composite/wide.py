"""Convolutions of 16-bit activations with their bias as one op, because their sums need more than 32 bits.

Source: TensorFlow Lite's CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED of 16-bit activations and 8-bit weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo import (
    AddOp,
    ConvDimensionNumbers,
    ConvDimensionNumbersAttr,
    ConvertOp,
    ConvolutionOp,
    ConvolutionWindow,
    MultiplyOp,
)
from qconvert.dialects.traits import Contraction, Layer, NotIn
from qconvert.ir import ElementsAttr, Tensor, UniformQuantizedType, element_type, i64, quantized, shape, tensor_type


@irdl_op_definition
class WideConvolutionOp(InferredOp, CompositeOp):
    """``quantize(convolution(lhs, rhs) + bias)``: exact integers in 64 bits, rescaled once.

    ``lhs`` has 16-bit storage, ``rhs`` 8-bit with scales for each output or for all; ``bias`` is i64, one integer for
    each output in steps of ``s_lhs * s_rhs``. The result's features are its last dimension.
    """

    name = "qconvert.wide_convolution"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    bias = operand_def(TensorType)
    window_strides = prop_def(DenseArrayBase)
    padding = prop_def(ElementsAttr)
    lhs_dilation = prop_def(DenseArrayBase)
    rhs_dilation = prop_def(DenseArrayBase)
    dimension_numbers = prop_def(ConvDimensionNumbersAttr)
    feature_group_count = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Contraction(), NotIn("only models that are quantized already have it", Layer.KERNELS))

    def __init__(
        self,
        operands: tuple[SSAValue, SSAValue, SSAValue],
        numbers: ConvDimensionNumbers,
        window: ConvolutionWindow,
        element: Attribute,
        *,
        feature_group_count: int = 1,
    ) -> None:
        """Make the op; ``operands`` are lhs, rhs and bias, ``element`` is the result's element type."""
        super().__init__(
            operands=operands,
            properties={
                "window_strides": stablehlo.integers(window.strides),
                "padding": stablehlo.padding_attribute(window.padding),
                "lhs_dilation": stablehlo.integers(window.lhs_dilation),
                "rhs_dilation": stablehlo.integers(window.rhs_dilation),
                "dimension_numbers": ConvDimensionNumbersAttr(numbers),
                "feature_group_count": stablehlo.integer(feature_group_count),
            },
            result=tensor_type(element, ()),
        )

    @property
    def numbers(self) -> ConvDimensionNumbers:
        """The roles of the dimensions."""
        return self.dimension_numbers.data

    @property
    def window(self) -> ConvolutionWindow:
        """Strides, padding and dilations."""
        rank = len(self.numbers.input_spatial)
        return ConvolutionWindow(
            stablehlo.as_tuple(self.window_strides),
            stablehlo.padding_pairs(self.padding, rank),
            stablehlo.as_tuple(self.lhs_dilation),
            stablehlo.as_tuple(self.rhs_dilation),
        )

    @property
    def groups(self) -> int:
        """The number of feature groups."""
        return self.feature_group_count.value.data

    @property
    def batch_groups(self) -> int:
        """Always 1."""
        return 1

    @property
    def accumulator_scales(self) -> NDArray[np.float64]:
        """``s_lhs * s_rhs``: one for all outputs, or one for each."""
        lhs, rhs = quantized(self.lhs), quantized(self.rhs)
        assert lhs is not None
        assert rhs is not None
        return lhs.product_scales(rhs)

    def infer(self) -> Tensor:
        """Return the sizes of the convolution with the result's elements."""
        sizes = stablehlo.convolution_shape(shape(self.lhs), shape(self.rhs), self.numbers, self.window, self.groups)
        return tensor_type(element_type(self.result), sizes)

    def verify_(self) -> None:
        """Check storage widths, the bias's type and length, and the result's shape and features."""
        for value, width in ((self.lhs, 16), (self.rhs, 8)):
            element = element_type(value)
            fits = isinstance(element, UniformQuantizedType) and element.storage.width == width
            check(fits, self.name, f"{width}-bit quantized values are needed, found {value.type}")
        super().verify_()
        sizes = shape(self.result)
        check(self.numbers.output_feature == len(sizes) - 1, self.name, "the result's features must be last")
        check(self.bias.type == tensor_type(i64, sizes[-1:]), self.name, f"a bias of {self.bias.type}")

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Convolve in float and add the bias times its scales."""
        lhs, rhs, bias = operands
        made = build.add(ConvolutionOp(lhs, rhs, self.numbers, self.window, feature_group_count=self.groups))
        element = element_type(made)
        steps = build.add(ConvertOp(bias, element))
        scales = np.broadcast_to(self.accumulator_scales, shape(bias)).astype(np.float32)
        real = build.add(MultiplyOp(steps, build.constant(scales, element)))
        return build.add(AddOp(made, build.broadcast(real, shape(made))))
