"""The base of ``convolution`` and ``dot_general``, with the element types that go together in them.

Source: StableHLO's specification, constraints of ``convolution`` and ``dot_general``, and its RFC on hybrid quantized
ops, which proposed the constraints on quantized operands; differing numbers are given as ``C18, RFC C17``.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, NamedTuple

from xdsl.dialects.builtin import ArrayAttr, IntegerType, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check, check_expressed
from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.dialects.stablehlo.constraints import Listed, check_per_tensor, cited
from qconvert.dialects.traits import Contraction
from qconvert.ir import element_type, expressed, is_float, quantized


class ContractionConstraints(NamedTuple):
    """The numbers of the constraints that both contractions share.

    The first three require that operands and result express one type: with nothing quantized, with both operands
    quantized, and with the right-hand side alone. The others concern both operands quantized, the right-hand side alone
    quantized, equal storage types, and a per-axis result, which needs a per-axis right-hand side.
    """

    plain: str
    both: str
    hybrid: str
    kinds: str
    storage: str
    granularity: str

    def check_expressed(self, mnemonic: str, lhs: SSAValue, rhs: SSAValue, result: SSAValue) -> None:
        """Check that operands and result express values of one type; plain numbers may be summed in another type."""
        number = self.hybrid if quantized(lhs) is None else self.both
        if quantized(rhs) is None:
            if isinstance(expressed(element_type(lhs)), IntegerType):
                return
            number = self.plain
            if all(is_float(element_type(value)) for value in (lhs, rhs, result)):
                check_expressed(f"{mnemonic} ({number})", (lhs, rhs))
                return
        check_expressed(f"{mnemonic} ({number})", (lhs, rhs, result))


class ContractionOp(InferredOp, StableHLOOp, ABC):
    """The base of sums of products of two operands, activations and weights."""

    CONSTRAINTS: ClassVar[ContractionConstraints]

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    precision_config = opt_prop_def(ArrayAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), Contraction())

    @property
    def is_hybrid(self) -> bool:
        """True if the left-hand side is float and the right-hand side quantized, which is then dequantized first.

        The weights stay integers in the program until then (StableHLO's RFC on weight-only quantization,
        ``hybrid_dequantize_then_op``).
        """
        return quantized(self.lhs) is None and quantized(self.rhs) is not None

    def verify_(self) -> None:
        """Check that shapes fit, and that operands and result stand for values of one type."""
        super().verify_()
        self.CONSTRAINTS.check_expressed(self.name.removeprefix("stablehlo."), self.lhs, self.rhs, self.result)

    def verify_quantized(self) -> None:
        """Check that quantized operands and results go together."""
        values = (self.lhs, self.rhs, self.result)
        lhs, rhs, result = (quantized(value) for value in values)
        listed, numbers = Listed(values), self.CONSTRAINTS
        check_per_tensor(self, (self.lhs,))
        if lhs is None and rhs is None and result is None:
            return
        consistent = rhs is not None and (lhs is None) == (result is None)
        found = "rhs must be quantized, and lhs and result alike, found {}"
        check(consistent, cited(self, numbers.kinds), found, listed)
        assert rhs is not None
        if lhs is None or result is None:
            return
        same = (lhs.storage.width, lhs.storage.signed) == (rhs.storage.width, rhs.storage.signed)
        check(same, cited(self, numbers.storage), "storage types of lhs and rhs differ: {}", listed)
        fits = rhs.is_per_axis or not result.is_per_axis
        check(fits, cited(self, numbers.granularity), "a per-axis result of a per-tensor rhs: {}", result)
