"""Softmax, and normalizations by mean and variance.

Source: ONNX Softmax-13, LogSoftmax-13, LayerNormalization-17, RMSNormalization-23, InstanceNormalization-6,
LpNormalization-1; TensorFlow Lite L2_NORMALIZATION.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import inf, prod
from typing import TypeAlias

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check, check_broadcasts, check_real
from qconvert.dialects.stablehlo import AddOp, DivideOp, ExponentialOp, LogOp, MultiplyOp, SqrtOp, SubtractOp
from qconvert.dialects.traits import Range
from qconvert.ir import Tensor, element_type, expressed, shape, tensor, tensor_type, with_element


class NormalizationOp(InferredOp, CompositeOp, ABC):
    """The base of functions of a whole slice of the operand; the result has the operand's shape."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def infer(self) -> Tensor:
        """Return the operand's shape with the result's elements."""
        return with_element(tensor(self.operand), element_type(self.result))

    def verify_(self) -> None:
        """Check that the shapes agree, and that the axis, if there is one, is a dimension of the operand."""
        super().verify_()
        check_real(self.name, (self.operand, self.result))
        axis = self.properties.get("axis")
        if isinstance(axis, IntegerAttr):
            check(0 <= axis.value.data < len(shape(self.operand)), self.name, f"axis {axis.value.data}")


def _elements(operand: SSAValue, element: Attribute | None) -> Tensor:
    """Return a result type with the given element type, else with the operand's expressed type."""
    return tensor_type(element or expressed(element_type(operand)), ())


def _reduced(
    build: OpBuilder, value: SSAValue, axes: Sequence[int], kind: type[stablehlo.BinaryOp], start: float
) -> SSAValue:
    """Reduce float ``value`` over ``axes`` and broadcast back to its shape."""
    element = tensor(value).element_type
    reduced = build.add(
        stablehlo.ReduceOp(value, build.filled(start, element), axes, [stablehlo.binary_body(kind, element)])
    )
    kept = [i for i in range(len(shape(value))) if i not in axes]
    return build.add(stablehlo.BroadcastInDimOp(reduced, shape(value), kept))


def _mean(build: OpBuilder, value: SSAValue, axes: Sequence[int]) -> SSAValue:
    """Return the mean over ``axes`` in the shape of ``value``."""
    count = prod(shape(value)[i] for i in axes)
    return build.add(DivideOp(_reduced(build, value, axes, AddOp, 0.0), build.filled_like(count, value)))


def _normal(build: OpBuilder, value: SSAValue, axes: Sequence[int], epsilon: float) -> SSAValue:
    """Return ``value / sqrt(mean(value^2) + epsilon)``."""
    mean = _mean(build, build.add(MultiplyOp(value, value)), axes)
    deviation = build.add(SqrtOp(build.add(AddOp(mean, build.filled_like(epsilon, value)))))
    return build.add(DivideOp(value, deviation))


def _centred(build: OpBuilder, value: SSAValue, axes: Sequence[int]) -> SSAValue:
    return build.add(SubtractOp(value, _mean(build, value, axes)))


class AxisOp(NormalizationOp, ABC):
    """The base of normalizations along one axis."""

    axis = prop_def(IntegerAttr)

    def __init__(self, operand: SSAValue, axis: int, element: Attribute | None = None) -> None:
        super().__init__(
            operands=[operand], properties={"axis": stablehlo.integer(axis)}, result=_elements(operand, element)
        )

    def _shifted(self, build: OpBuilder, x: SSAValue) -> SSAValue:
        """Return ``x - max(x)``."""
        return build.add(SubtractOp(x, _reduced(build, x, [self.axis.value.data], stablehlo.MaximumOp, -inf)))


@irdl_op_definition
class LogSoftmaxOp(AxisOp):
    """``x - max - log(sum(exp(x - max)))`` along ``axis``."""

    name = "qconvert.log_softmax"

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Compute maximum, difference, exponential, sum, logarithm and difference."""
        shifted = self._shifted(build, operands[0])
        total = _reduced(build, build.add(ExponentialOp(shifted)), [self.axis.value.data], AddOp, 0.0)
        return build.add(SubtractOp(shifted, build.add(LogOp(total))))


@irdl_op_definition
class SoftmaxOp(AxisOp):
    """``exp(x - max) / sum(exp(x - max))`` along ``axis``."""

    name = "qconvert.softmax"
    traits = traits_def(Range(0.0, 1.0))

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Compute maximum, difference, exponential, sum and quotient."""
        powers = build.add(ExponentialOp(self._shifted(build, operands[0])))
        return build.add(DivideOp(powers, _reduced(build, powers, [self.axis.value.data], AddOp, 0.0)))


@irdl_op_definition
class L2NormalizationOp(AxisOp):
    """``x / sqrt(max(sum(x^2), floor))`` along ``axis``."""

    name = "qconvert.l2_normalization"
    traits = traits_def(Range(-1.0, 1.0))
    floor = prop_def(FloatAttr)

    def __init__(self, operand: SSAValue, axis: int, floor: float, element: Attribute | None = None) -> None:
        super().__init__(operand, axis, element)
        self.properties["floor"] = FloatAttr(floor, f64)

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Compute squares, their sum, its maximum with the floor, root and quotient."""
        [x] = operands
        total = _reduced(build, build.add(MultiplyOp(x, x)), [self.axis.value.data], AddOp, 0.0)
        least = build.filled_like(self.floor.value.data, total)
        return build.add(DivideOp(x, build.add(SqrtOp(build.add(stablehlo.MaximumOp(total, least))))))


@irdl_op_definition
class InstanceNormalizationOp(NormalizationOp):
    """``(x - mean) / sqrt(variance + epsilon) * scale + bias`` over all dimensions from 2 on.

    ``scale`` and ``bias`` have one value for each element of dimension 1.
    """

    name = "qconvert.instance_normalization"
    operand = operand_def(TensorType)  # declared again, because a subclass's own operands come first
    scale = operand_def(TensorType)
    bias = operand_def(TensorType)
    epsilon = prop_def(FloatAttr)

    def __init__(
        self, operand: SSAValue, scale: SSAValue, bias: SSAValue, epsilon: float, element: Attribute | None = None
    ) -> None:
        super().__init__(
            operands=[operand, scale, bias],
            properties={"epsilon": FloatAttr(epsilon, f64)},
            result=_elements(operand, element),
        )

    def verify_(self) -> None:
        """Check that scale and bias fit, in addition to the checks of every normalization."""
        super().verify_()
        for value in (self.scale, self.bias):
            fits = len(shape(self.operand)) > 1 and shape(value) == shape(self.operand)[1:2]
            check(fits, self.name, "{} for the features of {}", value.type, self.operand.type)

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Compute mean, centred value and deviation; then apply scale and bias."""
        x, *parameters = operands
        axes = range(2, len(shape(x)))
        scale, bias = (build.add(stablehlo.BroadcastInDimOp(value, shape(x), [1])) for value in parameters)
        normal = _normal(build, _centred(build, x, axes), axes, self.epsilon.value.data)
        return build.add(AddOp(build.add(MultiplyOp(normal, scale)), bias))


@irdl_op_definition
class LayerNormalizationOp(NormalizationOp):
    """``(x - mean) / sqrt(variance + epsilon) * scale + bias`` over the dimensions from ``axis`` on.

    ``scale`` and the optional ``bias`` broadcast to the operand's shape, trailing dimensions aligned.
    """

    name = "qconvert.layer_normalization"
    operand = operand_def(TensorType)  # declared again, because a subclass's own operands come first
    scale = operand_def(TensorType)
    bias = opt_operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    epsilon = prop_def(FloatAttr)

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
        super().__init__(
            operands=[operand, scale, bias],
            properties={"axis": stablehlo.integer(axis), "epsilon": FloatAttr(epsilon, f64)},
            result=_elements(operand, element),
        )

    def verify_(self) -> None:
        """Check that scale and bias fit, in addition to the checks of every normalization."""
        super().verify_()
        for value in self.operands[1:]:
            check_broadcasts(self.name, value, self.operand)

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Compute mean, centred value and deviation; then apply scale and bias."""
        x, scale, *bias = operands
        axes = range(self.axis.value.data, len(shape(x)))
        normal = _normal(build, _centred(build, x, axes), axes, self.epsilon.value.data)
        result = build.add(MultiplyOp(normal, build.broadcast(scale, shape(x))))
        return build.add(AddOp(result, build.broadcast(bias[0], shape(x)))) if bias else result


@irdl_op_definition
class RmsNormalizationOp(NormalizationOp):
    """``x / sqrt(mean(x^2) + epsilon) * scale`` over the dimensions from ``axis`` on.

    ``scale`` broadcasts to the operand's shape, trailing dimensions aligned.
    """

    name = "qconvert.rms_normalization"
    operand = operand_def(TensorType)  # declared again, because a subclass's own operands come first
    scale = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    epsilon = prop_def(FloatAttr)

    def __init__(
        self, operand: SSAValue, scale: SSAValue, *, axis: int, epsilon: float, element: Attribute | None = None
    ) -> None:
        super().__init__(
            operands=[operand, scale],
            properties={"axis": stablehlo.integer(axis), "epsilon": FloatAttr(epsilon, f64)},
            result=_elements(operand, element),
        )

    def verify_(self) -> None:
        """Check that the scale fits, in addition to the checks of every normalization."""
        super().verify_()
        check_broadcasts(self.name, self.scale, self.operand)

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Compute the mean of squares and the deviation; then apply the scale."""
        x, scale = operands
        axes = range(self.axis.value.data, len(shape(x)))
        normal = _normal(build, x, axes, self.epsilon.value.data)
        return build.add(MultiplyOp(normal, build.broadcast(scale, shape(x))))


ByVariance: TypeAlias = InstanceNormalizationOp | LayerNormalizationOp | RmsNormalizationOp
"""Normalizations that divide by a deviation and apply a factor, and a summand where there is one."""
