"""StableHLO's constraints on quantized operands of the ops that only text brings; see ``verify_rules``."""

from __future__ import annotations

from xdsl.ir import Operation

from qconvert.dialects.stablehlo.base import check
from qconvert.dialects.stablehlo.batch_normalization import BatchNormGradOp, BatchNormInferenceOp, BatchNormTrainingOp
from qconvert.dialects.stablehlo.collective import (
    AllGatherOp,
    AllReduceOp,
    AllToAllOp,
    CollectiveBroadcastOp,
    CollectivePermuteOp,
    ReduceScatterOp,
)
from qconvert.dialects.stablehlo.computation import MapOp, SortOp
from qconvert.dialects.stablehlo.dynamic import DynamicIotaOp, DynamicPadOp, DynamicSliceOp, DynamicUpdateSliceOp
from qconvert.dialects.stablehlo.linear_algebra import CholeskyOp, TriangularSolveOp
from qconvert.dialects.stablehlo.representation import CountLeadingZerosOp, IsFiniteOp, PopcntOp, ReducePrecisionOp
from qconvert.dialects.stablehlo.scatter import ScatterOp
from qconvert.dialects.stablehlo.select_and_scatter import SelectAndScatterOp
from qconvert.dialects.stablehlo.tuples import OptimizationBarrierOp
from qconvert.dialects.verify_rules import (
    FLOAT,
    INTEGERS,
    QUANTIZED,
    RULES,
    check_reduction,
    is_promotable,
    op_name,
    per_tensor,
    same_baseline,
    takes,
)
from qconvert.ir.types import element_type

REDUCED_BY: dict[type[Operation], str] = {AllReduceOp: "C5", ReduceScatterOp: "C7", ScatterOp: "C23"}
"""The constraint on what the computation of an op combines."""


@RULES.register(
    *(AllGatherOp, AllToAllOp, CollectiveBroadcastOp, CollectivePermuteOp, DynamicPadOp, DynamicSliceOp),
    *(DynamicUpdateSliceOp, MapOp, OptimizationBarrierOp, SortOp),
)
def per_tensor_only(op: Operation) -> None:
    per_tensor(op_name(op), op.operands)


@RULES.register(SelectAndScatterOp)
def select_and_scatter(op: Operation) -> None:
    assert isinstance(op, SelectAndScatterOp)
    check_reduction(op, "C10", "C12")


@RULES.register(DynamicIotaOp)
def per_tensor_result(op: Operation) -> None:
    per_tensor(op_name(op), op.results)


@RULES.register(*REDUCED_BY)
def reducing(op: Operation) -> None:
    name = op_name(op)
    per_tensor(name, op.operands)
    for value, argument in zip(op.operands, op.regions[0].block.args, strict=False):
        element, accumulator = element_type(value), element_type(argument)
        if argument.index < len(op.results):
            promotable = is_promotable(element, accumulator)
            check(promotable, f"{name} ({REDUCED_BY[type(op)]})", f"{element} cannot be promoted to {accumulator}")


@RULES.register(CountLeadingZerosOp, PopcntOp)
def on_integers(op: Operation) -> None:
    takes(op, INTEGERS)
    same_baseline(f"{op_name(op)} (C1)", (*op.operands, *op.results))


@RULES.register(IsFiniteOp)
def is_finite(op: Operation) -> None:
    takes(op, (FLOAT, QUANTIZED))
    per_tensor("is_finite", op.operands)


@RULES.register(ReducePrecisionOp, CholeskyOp)
def on_floats(op: Operation) -> None:
    takes(op, (FLOAT, QUANTIZED))
    per_tensor(op_name(op), op.operands)
    same_baseline(f"{op_name(op)} (C1)", (*op.operands, *op.results))


@RULES.register(BatchNormInferenceOp, BatchNormTrainingOp, BatchNormGradOp)
def batch_normalization(op: Operation) -> None:
    takes(op, (FLOAT, QUANTIZED))
    per_tensor(op_name(op), op.operands)
    same_baseline(f"{op_name(op)} (C2)", (*op.operands, *op.results))


@RULES.register(TriangularSolveOp)
def triangular_solve(op: Operation) -> None:
    takes(op, (FLOAT, QUANTIZED))
    per_tensor("triangular_solve", op.operands)
    same_baseline("triangular_solve (C1)", op.operands)
    same_baseline("triangular_solve (C4)", (op.operands[1], *op.results))
