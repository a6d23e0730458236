"""Softmax and layer normalization.

Source: ONNX Softmax-13 and LayerNormalization-17.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects import stablehlo
from qconvert.dialects.build import OpBuilder
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.stablehlo.base import integer
from qconvert.dialects.stablehlo.elementwise import BinaryOp
from qconvert.dialects.types import expressed, shape, tensor, with_element


def reduce_keeping(
    build: OpBuilder, value: SSAValue, axes: Sequence[int], kind: type[BinaryOp], initial: float
) -> SSAValue:
    """Reduce float ``value`` over ``axes`` and broadcast back to its shape."""
    element = tensor(value).element_type
    body = stablehlo.binary_body(kind, element)
    reduced = build.add(stablehlo.ReduceOp(value, build.filled(initial, element), axes, [body]))
    kept = [i for i in range(len(shape(value))) if i not in axes]
    return build.add(stablehlo.BroadcastInDimOp(reduced, shape(value), kept))


@irdl_op_definition
class SoftmaxOp(CompositeOp):
    """``exp(x - max) / sum(exp(x - max))`` along ``axis``."""

    name = "qconvert.softmax"
    operand = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, axis: int, element: Attribute | None = None) -> None:
        type = tensor(operand)
        result = with_element(type, element or expressed(type.element_type))
        super().__init__(operands=[operand], properties={"axis": integer(axis)}, result_types=[result])

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Maximum, subtract, exponential, sum, divide."""
        (x,) = operands
        axes = [self.axis.value.data]
        largest = reduce_keeping(build, x, axes, stablehlo.MaximumOp, -np.inf)
        powers = build.add(stablehlo.ExponentialOp(build.add(stablehlo.SubtractOp(x, largest))))
        return build.add(stablehlo.DivideOp(powers, reduce_keeping(build, powers, axes, stablehlo.AddOp, 0.0)))


@irdl_op_definition
class LayerNormalizationOp(CompositeOp):
    """``(x - mean) / sqrt(variance + epsilon) * scale + bias`` over the dimensions from ``axis`` on.

    ``scale`` and the optional ``bias`` have the shape of the normalized dimensions.
    """

    name = "qconvert.layer_normalization"
    operand = operand_def(TensorType)
    scale = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    epsilon = prop_def(FloatAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(
        self,
        operand: SSAValue,
        scale: SSAValue,
        bias: SSAValue | None,
        *,
        axis: int,
        epsilon: float,
        element: Attribute | None = None,
    ) -> None:
        type = tensor(operand)
        result = with_element(type, element or expressed(type.element_type))
        super().__init__(
            operands=[operand, scale, bias],
            properties={"axis": integer(axis), "epsilon": FloatAttr(epsilon, f64)},
            result_types=[result],
        )

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Mean, centred value, variance, reciprocal square root, scale and bias."""
        x, rest = operands[0], operands[1:]
        axes = list(range(self.axis.value.data, len(shape(x))))
        count = float(np.prod([shape(x)[i] for i in axes]))
        mean = self._mean(build, x, axes, count)
        centred = build.add(stablehlo.SubtractOp(x, mean))
        variance = self._mean(build, build.add(stablehlo.MultiplyOp(centred, centred)), axes, count)
        shifted = build.add(stablehlo.AddOp(variance, build.filled_like(self.epsilon.value.data, variance)))
        deviation = build.add(stablehlo.SqrtOp(shifted))
        result = build.add(stablehlo.DivideOp(centred, deviation))
        for kind, parameter in zip((stablehlo.MultiplyOp, stablehlo.AddOp), rest, strict=False):
            result = build.add(kind(result, build.broadcast(parameter, shape(x))))
        return result

    @staticmethod
    def _mean(build: OpBuilder, x: SSAValue, axes: Sequence[int], count: float) -> SSAValue:
        total = reduce_keeping(build, x, axes, stablehlo.AddOp, 0.0)
        return build.add(stablehlo.DivideOp(total, build.filled_like(count, total)))


NORMALIZATIONS: tuple[type[CompositeOp], ...] = (LayerNormalizationOp, SoftmaxOp)
