"""Ops that run their region on scalars of the inputs: ``map`` and ``sort``.

Source: StableHLO's specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, TensorType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import StableHLOOp, as_tuple, integer, integers
from qconvert.dialects.stablehlo.control import ReturnOp
from qconvert.dialects.traits import PassesIntegers
from qconvert.ir import element_type, i1, shape, tensor


def scalars(values: Sequence[SSAValue]) -> list[Attribute]:
    """Return the scalar type of each value's elements."""
    return [TensorType(element_type(value), ()) for value in values]


def signature(op: Operation, region: Region) -> tuple[list[Attribute], list[Attribute]]:
    """Return the types that a region of one block takes and returns; raises VerifyException unless all are scalars."""
    check(len(region.blocks) == 1, op.name, "a computation must be one block")
    block, last = region.block, region.block.last_op
    check(isinstance(last, ReturnOp), op.name, "a computation must end with stablehlo.return")
    returned = list(last.operand_types) if last is not None else []
    for type in (*block.arg_types, *returned):
        check(isinstance(type, TensorType) and not type.get_shape(), op.name, f"{type} is not a scalar")
    return list(block.arg_types), returned


def check_computation(
    op: Operation, constraint: str, region: Region, arguments: Sequence[Attribute], results: Sequence[Attribute]
) -> None:
    """Check that a region takes and returns scalars of these types; raises VerifyException naming the constraint."""
    found, name = signature(op, region), f"{op.name} ({constraint})"
    for what, types, expected in (("takes", found[0], arguments), ("returns", found[1], results)):
        listed, wanted = (", ".join(map(str, part)) for part in (types, expected))
        check(list(types) == list(expected), name, f"the computation {what} ({listed}), expected ({wanted})")


def check_one_shape(op: Operation, constraint: str, values: Sequence[SSAValue]) -> None:
    """Check that there are inputs and that all values have one shape."""
    check(len({shape(value) for value in values}) == 1, f"{op.name} ({constraint})", "shapes differ")


@irdl_op_definition
class MapOp(StableHLOOp):
    """``result[i] = computation(inputs[i]...)``."""

    name = "stablehlo.map"
    PER_AXIS: ClassVar[bool] = False
    inputs = var_operand_def(TensorType)
    dimensions = prop_def(DenseArrayBase)
    computation = region_def()
    result = result_def(TensorType)
    traits = traits_def(Pure(), PassesIntegers())

    def __init__(self, inputs: Sequence[SSAValue], computation: Region) -> None:
        terminator = computation.block.last_op
        assert terminator is not None
        extents = shape(inputs[0])
        super().__init__(
            operands=[list(inputs)],
            properties={"dimensions": integers(range(len(extents)))},
            regions=[computation],
            result_types=[TensorType(element_type(terminator.operands[0]), extents)],
        )

    def verify_(self) -> None:
        """Check shapes (C1, C2), mapped dimensions (C3) and the computation's types (C4)."""
        check(bool(self.inputs), f"{self.name} (C2)", "there are no inputs")
        check_one_shape(self, "C1", (*self.inputs, self.result))
        dimensions, rank = as_tuple(self.dimensions), len(shape(self.result))
        check(dimensions == tuple(range(rank)), f"{self.name} (C3)", f"dimensions {list(dimensions)} of rank {rank}")
        check_computation(self, "C4", self.computation, scalars(self.inputs), scalars([self.result]))


@irdl_op_definition
class SortOp(StableHLOOp):
    """Slices of all inputs along one dimension, sorted together in the order of ``comparator``."""

    name = "stablehlo.sort"
    PER_AXIS: ClassVar[bool] = False
    inputs = var_operand_def(TensorType)
    dimension = opt_prop_def(IntegerAttr)
    is_stable = opt_prop_def(BoolAttr)
    comparator = region_def()
    results_ = var_result_def(TensorType)
    traits = traits_def(Pure(), PassesIntegers())

    def __init__(self, inputs: Sequence[SSAValue], dimension: int, comparator: Region) -> None:
        super().__init__(
            operands=[list(inputs)],
            properties={"dimension": integer(dimension), "is_stable": BoolAttr.from_bool(True)},
            regions=[comparator],
            result_types=[[tensor(value) for value in inputs]],
        )

    @property
    def axis(self) -> int:
        """The dimension of the sorted slices, by default the last; a negative number counts from the end."""
        return -1 if self.dimension is None else self.dimension.value.data

    def verify_(self) -> None:
        """Check that types and shapes agree (C1 to C3), and that dimension (C4) and comparator (C5) fit."""
        check(bool(self.inputs), f"{self.name} (C1)", "there are no inputs")
        same = list(self.operand_types) == list(self.result_types)
        check(same, f"{self.name} (C2)", "results have other types than the inputs")
        check_one_shape(self, "C3", self.operands)
        rank = len(shape(self.inputs[0]))
        check(-rank <= self.axis < rank, f"{self.name} (C4)", f"dimension {self.axis} of a tensor of rank {rank}")
        pairs = [type for type in scalars(self.inputs) for _ in range(2)]
        check_computation(self, "C5", self.comparator, pairs, [TensorType(i1, ())])
