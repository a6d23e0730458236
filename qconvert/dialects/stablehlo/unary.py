"""Elementwise ops of one operand that differ only in their names.

Source: StableHLO's specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import ClassVar

from xdsl.irdl import irdl_op_definition, traits_def

from qconvert.dialects.stablehlo.constraints import ANALYTIC, INTEGERS, NUMBERS, REAL, Kind, check_baseline
from qconvert.dialects.stablehlo.elementwise import UnaryOp
from qconvert.dialects.traits import Bitwise, KeepsMultiples, Layer, NotIn, Range, Steps
from qconvert.ir import Tensor, complex_part, element_type, is_complex, with_element


@irdl_op_definition
class AbsOp(UnaryOp):
    name = "stablehlo.abs"
    BASELINE: ClassVar[str] = ""
    KINDS: ClassVar[Sequence[Kind]] = (*ANALYTIC, Kind.SIGNED)
    traits = traits_def(Range(0.0, inf), KeepsMultiples())

    def infer(self) -> Tensor:
        """Return the operand's shape (C1) with the result's elements, for complex numbers those of their parts (C2)."""
        type = super().infer()
        operand = element_type(self.operand)
        return with_element(type, complex_part(operand)) if is_complex(operand) else type

    def verify_elements(self) -> None:
        """Check that operand and result of real numbers stand for values of one type."""
        if not is_complex(element_type(self.operand)):
            super().verify_elements()

    def verify_quantized(self) -> None:
        """Check that operand and result of real numbers differ in scales and zero points at most (C2)."""
        super().verify_quantized()
        if not is_complex(element_type(self.operand)):
            check_baseline(self, "C2", (self.operand, self.result))


@irdl_op_definition
class CbrtOp(UnaryOp):
    name = "stablehlo.cbrt"
    traits = traits_def(NotIn("no operator computes it on floats", Layer.TOSA, Layer.TFLITE))


@irdl_op_definition
class CeilOp(UnaryOp):
    name = "stablehlo.ceil"
    KINDS: ClassVar[Sequence[Kind]] = REAL
    traits = traits_def(Steps())


@irdl_op_definition
class CosineOp(UnaryOp):
    name = "stablehlo.cosine"
    traits = traits_def(Range(-1.0, 1.0))


@irdl_op_definition
class ExponentialOp(UnaryOp):
    name = "stablehlo.exponential"
    traits = traits_def(Range(0.0, inf))


@irdl_op_definition
class ExponentialMinusOneOp(UnaryOp):
    name = "stablehlo.exponential_minus_one"
    traits = traits_def(NotIn("no operator computes it on floats", Layer.TFLITE))


@irdl_op_definition
class FloorOp(UnaryOp):
    name = "stablehlo.floor"
    KINDS: ClassVar[Sequence[Kind]] = REAL
    traits = traits_def(Steps())


@irdl_op_definition
class LogOp(UnaryOp):
    name = "stablehlo.log"


@irdl_op_definition
class LogPlusOneOp(UnaryOp):
    name = "stablehlo.log_plus_one"
    traits = traits_def(NotIn("no operator computes it on floats", Layer.TFLITE))


@irdl_op_definition
class LogisticOp(UnaryOp):
    name = "stablehlo.logistic"
    traits = traits_def(Range(0.0, 1.0))


@irdl_op_definition
class NegateOp(UnaryOp):
    name = "stablehlo.negate"
    KINDS: ClassVar[Sequence[Kind]] = NUMBERS
    traits = traits_def(KeepsMultiples())


@irdl_op_definition
class NotOp(UnaryOp):
    name = "stablehlo.not"
    KINDS: ClassVar[Sequence[Kind]] = (*INTEGERS, Kind.BOOLEAN)
    traits = traits_def(Bitwise())


@irdl_op_definition
class RoundNearestEvenOp(UnaryOp):
    name = "stablehlo.round_nearest_even"
    KINDS: ClassVar[Sequence[Kind]] = REAL
    traits = traits_def(Steps())


@irdl_op_definition
class RoundNearestAfzOp(UnaryOp):
    name = "stablehlo.round_nearest_afz"
    KINDS: ClassVar[Sequence[Kind]] = REAL
    traits = traits_def(Steps(), NotIn("no operator computes it on floats", Layer.TFLITE))


@irdl_op_definition
class RsqrtOp(UnaryOp):
    name = "stablehlo.rsqrt"


@irdl_op_definition
class SignOp(UnaryOp):
    name = "stablehlo.sign"
    KINDS: ClassVar[Sequence[Kind]] = (*ANALYTIC, Kind.SIGNED)
    traits = traits_def(Range(-1.0, 1.0), Steps())


@irdl_op_definition
class SineOp(UnaryOp):
    name = "stablehlo.sine"
    traits = traits_def(Range(-1.0, 1.0))


@irdl_op_definition
class SqrtOp(UnaryOp):
    name = "stablehlo.sqrt"
    traits = traits_def(Range(0.0, inf))


@irdl_op_definition
class TanOp(UnaryOp):
    name = "stablehlo.tan"
    traits = traits_def(NotIn("no operator computes it on floats", Layer.TFLITE))


@irdl_op_definition
class TanhOp(UnaryOp):
    name = "stablehlo.tanh"
    traits = traits_def(Range(-1.0, 1.0))
