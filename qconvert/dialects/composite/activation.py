"""Activations that StableHLO lacks.

Source: the ONNX operator of the same name.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, TensorType, UnitAttr, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert import numerics
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.composite.formula import Formula
from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check_broadcasts, check_real
from qconvert.dialects.stablehlo import (
    AbsOp,
    AddOp,
    ComparisonDirection,
    DivideOp,
    ExponentialMinusOneOp,
    ExponentialOp,
    LogisticOp,
    LogPlusOneOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    NegateOp,
    SignOp,
    SubtractOp,
    TanhOp,
)
from qconvert.dialects.traits import Elementwise, Range
from qconvert.ir import Tensor, element_type, shape, tensor, tensor_type, with_element

SQRT_HALF = math.sqrt(0.5)
GELU_INNER = math.sqrt(2 / math.pi)
"""The constant of gelu's tanh form, ``0.5 x (1 + tanh(GELU_INNER x + GELU_INNER GELU_CUBIC x^3))``."""
GELU_CUBIC = 0.044715


class ActivationOp(InferredOp, CompositeOp, ABC):
    """An elementwise function of one operand; operand and result may be quantized."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Elementwise())

    def __init__(self, operand: SSAValue, element: Attribute | None = None, **numbers: float) -> None:
        super().__init__(
            operands=[operand],
            properties={name: FloatAttr(value, f64) for name, value in numbers.items()},
            result=tensor_type(element or element_type(operand), ()),
        )

    def infer(self) -> Tensor:
        """Return the operand's shape with the result's elements."""
        return with_element(tensor(self.operand), element_type(self.result))

    def verify_(self) -> None:
        """Check that operand and result have one shape and stand for values of one type."""
        super().verify_()
        check_real(self.name, (self.operand, self.result))

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Write the function of the float operand."""
        (x,) = operands
        return self.written(Formula(build, x), x)

    @abstractmethod
    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write the function of ``x`` in primitives."""


class AlphaActivationOp(ActivationOp, ABC):
    """An activation with one parameter."""

    alpha = prop_def(FloatAttr)

    def __init__(self, operand: SSAValue, alpha: float, element: Attribute | None = None) -> None:
        super().__init__(operand, element, alpha=alpha)

    @property
    def factor(self) -> float:
        """The parameter as a number."""
        return self.alpha.value.data


@irdl_op_definition
class CeluOp(AlphaActivationOp):
    """``max(x, 0) + min(0, alpha (exp(x / alpha) - 1))``."""

    name = "qconvert.celu"

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write with the exponential minus one where x is negative."""
        power = formula(ExponentialMinusOneOp, formula(DivideOp, x, self.factor))
        return formula.choose(x, ComparisonDirection.GE, 0.0, x, formula(MultiplyOp, power, self.factor))


@irdl_op_definition
class EluOp(AlphaActivationOp):
    """``x >= 0 ? x : alpha (exp(x) - 1)``."""

    name = "qconvert.elu"

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write with the exponential minus one where x is negative."""
        power = formula(MultiplyOp, formula(ExponentialMinusOneOp, x), self.factor)
        return formula.choose(x, ComparisonDirection.GE, 0.0, x, power)


@irdl_op_definition
class ErfOp(ActivationOp):
    """The Gauss error function."""

    name = "qconvert.erf"
    traits = traits_def(Range(-1.0, 1.0))

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write as a rational below the split and a polynomial in the tail.

        The result is within 2 ulp in float32 without fused multiply-add, and exactly 1 from ``ERF_F32_LIMIT`` on. One
        rational over the whole range is not enough: its roundings near |x| = 2 alone cost 6 ulp.
        """
        x = formula.clamp(-numerics.ERF_F32_LIMIT, x, numerics.ERF_F32_LIMIT)
        size, square = formula(AbsOp, x), formula(MultiplyOp, x, x)
        numerator = formula.polynomial(numerics.ERF_F32_NUMERATOR, square)
        denominator = formula.polynomial(numerics.ERF_F32_DENOMINATOR, square)
        near = formula(AddOp, x, formula(MultiplyOp, x, formula(DivideOp, numerator, denominator)))
        tail = formula.polynomial(numerics.ERF_F32_TAIL, formula(SubtractOp, size, numerics.ERF_F32_CENTRE))
        far = formula(MultiplyOp, formula(SignOp, x), formula(SubtractOp, 1.0, tail))
        return formula.choose(size, ComparisonDirection.LT, numerics.ERF_F32_SPLIT, near, far)


@irdl_op_definition
class GeluOp(ActivationOp):
    """``x / 2 (1 + erf(x / sqrt(2)))``, or with ``tanh`` the approximation by a hyperbolic tangent."""

    name = "qconvert.gelu"
    tanh = opt_prop_def(UnitAttr)

    def __init__(self, operand: SSAValue, *, tanh: bool = False, element: Attribute | None = None) -> None:
        super().__init__(operand, element)
        if tanh:
            self.tanh = UnitAttr()

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write with the composite erf, or with tanh."""
        if self.tanh is None:
            middle = formula(ErfOp, formula(MultiplyOp, x, SQRT_HALF))
        else:
            factor = formula.polynomial((GELU_INNER, GELU_INNER * GELU_CUBIC), formula(MultiplyOp, x, x))
            middle = formula(TanhOp, formula(MultiplyOp, x, factor))
        return formula(MultiplyOp, formula(MultiplyOp, x, 0.5), formula(AddOp, middle, 1.0))


@irdl_op_definition
class HardSigmoidOp(ActivationOp):
    """``max(0, min(1, alpha x + beta))``."""

    name = "qconvert.hard_sigmoid"
    traits = traits_def(Range(0.0, 1.0))
    alpha = prop_def(FloatAttr)
    beta = prop_def(FloatAttr)

    def __init__(self, operand: SSAValue, alpha: float, beta: float, element: Attribute | None = None) -> None:
        super().__init__(operand, element, alpha=alpha, beta=beta)

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write as a clamped line."""
        return formula.clamp(0.0, formula.polynomial((self.beta.value.data, self.alpha.value.data), x), 1.0)


@irdl_op_definition
class HardSwishOp(ActivationOp):
    """``x max(0, min(1, x / 6 + 1 / 2))``."""

    name = "qconvert.hard_swish"

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write as a clamped line times x."""
        return formula(MultiplyOp, x, formula.clamp(0.0, formula.polynomial((0.5, 1 / 6), x), 1.0))


@irdl_op_definition
class LeakyReluOp(AlphaActivationOp):
    """``x >= 0 ? x : alpha x``."""

    name = "qconvert.leaky_relu"

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write as a choice by sign."""
        return formula.choose(x, ComparisonDirection.GE, 0.0, x, formula(MultiplyOp, x, self.factor))


@irdl_op_definition
class MishOp(ActivationOp):
    """``x tanh(softplus(x))``."""

    name = "qconvert.mish"

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write as x times the tanh of the composite softplus."""
        return formula(MultiplyOp, x, formula(TanhOp, formula(SoftplusOp, x)))


@irdl_op_definition
class PReluOp(InferredOp, CompositeOp):
    """``x > 0 ? x : slope x``; the slope's shape broadcasts to the operand's."""

    name = "qconvert.prelu"
    operand = operand_def(TensorType)
    slope = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, slope: SSAValue, element: Attribute | None = None) -> None:
        super().__init__(operands=[operand, slope], result=tensor_type(element or element_type(operand), ()))

    def infer(self) -> Tensor:
        """Return the operand's shape with the result's elements."""
        return with_element(tensor(self.operand), element_type(self.result))

    def verify_(self) -> None:
        """Check that the slope fits, and that the result has the operand's shape."""
        super().verify_()
        check_real(self.name, (self.operand, self.slope, self.result))
        check_broadcasts(self.name, self.slope, self.operand)

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Write as a choice by sign."""
        x, slope = operands
        formula = Formula(build, x)
        scaled = formula(MultiplyOp, x, build.broadcast(slope, shape(x)))
        return formula.choose(x, ComparisonDirection.GT, 0.0, x, scaled)


@irdl_op_definition
class ReciprocalOp(ActivationOp):
    """``1 / x``."""

    name = "qconvert.reciprocal"

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write as a division."""
        return formula(DivideOp, 1.0, x)


@irdl_op_definition
class SeluOp(ActivationOp):
    """``gamma (max(0, x) + min(0, alpha (exp(x) - 1)))``."""

    name = "qconvert.selu"
    alpha = prop_def(FloatAttr)
    gamma = prop_def(FloatAttr)

    def __init__(self, operand: SSAValue, alpha: float, gamma: float, element: Attribute | None = None) -> None:
        super().__init__(operand, element, alpha=alpha, gamma=gamma)

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write as the sum of both halves."""
        power = formula(MultiplyOp, formula(ExponentialMinusOneOp, x), self.alpha.value.data)
        halves = formula(AddOp, formula(MaximumOp, x, 0.0), formula(MinimumOp, power, 0.0))
        return formula(MultiplyOp, halves, self.gamma.value.data)


@irdl_op_definition
class SoftplusOp(ActivationOp):
    """``log(1 + exp(x))``."""

    name = "qconvert.softplus"

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write as ``max(x, 0) + log1p(exp(-|x|))``, which does not overflow."""
        power = formula(ExponentialOp, formula(NegateOp, formula(AbsOp, x)))
        return formula(AddOp, formula(MaximumOp, x, 0.0), formula(LogPlusOneOp, power))


@irdl_op_definition
class SoftsignOp(ActivationOp):
    """``x / (1 + |x|)``."""

    name = "qconvert.softsign"
    traits = traits_def(Range(-1.0, 1.0))

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write as a division."""
        return formula(DivideOp, x, formula(AddOp, formula(AbsOp, x), 1.0))


@irdl_op_definition
class SwishOp(AlphaActivationOp):
    """``x sigmoid(alpha x)``."""

    name = "qconvert.swish"

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write as x times the logistic function."""
        return formula(MultiplyOp, x, formula(LogisticOp, formula(MultiplyOp, x, self.factor)))


@irdl_op_definition
class ThresholdedReluOp(AlphaActivationOp):
    """``x > alpha ? x : 0``."""

    name = "qconvert.thresholded_relu"

    def written(self, formula: Formula, x: SSAValue) -> SSAValue:
        """Write as a choice by comparison."""
        return formula.choose(x, ComparisonDirection.GT, self.factor, x, 0.0)
