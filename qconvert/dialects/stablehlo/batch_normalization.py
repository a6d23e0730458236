"""``batch_norm_inference``, ``batch_norm_training`` and ``batch_norm_grad``.

Source: StableHLO's specification. Models trained elsewhere have them; ONNX's BatchNormalization becomes arithmetic.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import Float32Type, FloatAttr, IntegerAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import StableHLOOp, integer
from qconvert.dialects.stablehlo.constraints import REAL, Kind
from qconvert.dialects.traits import ComputesReals
from qconvert.ir import shape, tensor


class BatchNormOp(StableHLOOp, ABC):
    """The base of batch normalizations: tensors of the operand's shape, vectors with an entry for each feature."""

    KINDS: ClassVar[Sequence[Kind]] = REAL
    PER_AXIS: ClassVar[bool] = False
    BASELINE: ClassVar[str] = "C2"
    epsilon = prop_def(FloatAttr[Float32Type])
    feature_index = prop_def(IntegerAttr)
    traits = traits_def(Pure(), ComputesReals())

    def __init__(self, operands: Sequence[SSAValue], epsilon: float, feature_index: int) -> None:
        features = len(self.get_irdl_definition().results) - 1
        super().__init__(
            operands=list(operands),
            properties={"epsilon": FloatAttr(epsilon, 32), "feature_index": integer(feature_index)},
            result_types=[tensor(operands[0]), *[tensor(operands[1])] * features],
        )

    @property
    def feature(self) -> int:
        """The feature dimension."""
        return self.feature_index.value.data

    def check_shapes(self, like_operand: Sequence[SSAValue], vectors: Sequence[tuple[str, SSAValue]]) -> None:
        """Check the feature dimension (C1), values of the operand's shape, and each vector under its constraint."""
        operand = self.operands[0]
        extents = shape(operand)
        inside = 0 <= self.feature < len(extents)
        check(inside, f"{self.name} (C1)", f"feature_index {self.feature} of a tensor of rank {len(extents)}")
        for value in like_operand:
            same = shape(value) == extents
            check(same, self.name, "found {} where the operand is {}", value.type, operand.type)
        for constraint, value in vectors:
            fits = shape(value) == (extents[self.feature],)
            check(fits, f"{self.name} ({constraint})", "{} for {} features", value.type, extents[self.feature])


@irdl_op_definition
class BatchNormInferenceOp(BatchNormOp):
    """``(operand - mean) / sqrt(variance + epsilon) * scale + offset``."""

    name = "stablehlo.batch_norm_inference"
    operand = operand_def(TensorType)
    scale = operand_def(TensorType)
    offset = operand_def(TensorType)
    mean = operand_def(TensorType)
    variance = operand_def(TensorType)
    result = result_def(TensorType)

    def verify_(self) -> None:
        """Check the entries of the vectors (C1, C3 to C6) and the result's shape (C7)."""
        vectors = zip(("C3", "C4", "C5", "C6"), self.operands[1:], strict=True)
        self.check_shapes([self.result], list(vectors))


@irdl_op_definition
class BatchNormTrainingOp(BatchNormOp):
    """Normalization by the operand's own mean and variance, which are results too."""

    name = "stablehlo.batch_norm_training"
    operand = operand_def(TensorType)
    scale = operand_def(TensorType)
    offset = operand_def(TensorType)
    output = result_def(TensorType)
    batch_mean = result_def(TensorType)
    batch_var = result_def(TensorType)

    def verify_(self) -> None:
        """Check the entries of the vectors (C1, C3 to C6) and the output's shape (C7)."""
        values = (self.scale, self.offset, self.batch_mean, self.batch_var)
        self.check_shapes([self.output], list(zip(("C3", "C4", "C5", "C6"), values, strict=True)))


@irdl_op_definition
class BatchNormGradOp(BatchNormOp):
    """Gradients of ``batch_norm_training`` by operand, scale and offset."""

    name = "stablehlo.batch_norm_grad"
    operand = operand_def(TensorType)
    scale = operand_def(TensorType)
    mean = operand_def(TensorType)
    variance = operand_def(TensorType)
    grad_output = operand_def(TensorType)
    grad_operand = result_def(TensorType)
    grad_scale = result_def(TensorType)
    grad_offset = result_def(TensorType)

    def verify_(self) -> None:
        """Check that each gradient has the shape of its operand (C1, C3 to C5)."""
        vectors = [("C4", value) for value in (self.mean, self.variance, self.grad_scale, self.grad_offset)]
        self.check_shapes([self.grad_output, self.grad_operand], [("C5", self.scale), *vectors])
