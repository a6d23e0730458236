"""``reduce`` with optional conversion regions, and ``return``.

Source: StableHLO's specification and its RFC on quantized reductions: ``input_conversion`` is applied to every input
element and initial value, the body combines accumulators, ``output_conversion`` is applied once to each result.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import DenseArrayBase, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    SameVariadicOperandSize,
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, Pure

from qconvert.dialects.stablehlo.base import as_tuple, check, integers
from qconvert.dialects.stablehlo.elementwise import BinaryOp
from qconvert.dialects.types import shape, tensor


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends a region of a reduction and gives its values."""

    name = "stablehlo.return"
    results_ = var_operand_def(TensorType)
    traits = traits_def(IsTerminator(), Pure())

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[list(values)])


def binary_body(kind: type[BinaryOp], element: Attribute) -> Region:
    """A region that combines two scalars of ``element`` with one op."""
    scalar = TensorType(element, ())
    block = Block(arg_types=(scalar, scalar))
    combined = kind(block.args[0], block.args[1])
    block.add_ops([combined, ReturnOp(combined.result)])
    return Region(block)


def conversion(element: Attribute, build: Callable[[SSAValue], Sequence[Operation]]) -> Region:
    """A region that takes one scalar of ``element`` through the ops that ``build`` makes."""
    block = Block(arg_types=(TensorType(element, ()),))
    ops = list(build(block.args[0]))
    block.add_ops([*ops, ReturnOp(ops[-1].results[0])])
    return Region(block)


class ReductionOp(IRDLOperation, ABC):
    """What ``reduce`` and ``reduce_window`` share: inputs, initial values, a body and optional conversions.

    ``parts`` is (body) or (input_conversion, body, output_conversion), where an empty region is the identity.
    """

    @property
    def has_conversions(self) -> bool:
        """Whether conversion regions are given."""
        return len(self.regions) == 3

    @property
    def body(self) -> Region:
        """The region that combines two accumulators."""
        return self.regions[1] if self.has_conversions else self.regions[0]

    @property
    def input_conversion(self) -> Region | None:
        """The region from an input element to the accumulator; None is the identity."""
        return self.regions[0] if self.has_conversions and self.regions[0].blocks else None

    @property
    def output_conversion(self) -> Region | None:
        """The region from the accumulator to a result element; None is the identity."""
        return self.regions[2] if self.has_conversions and self.regions[2].blocks else None

    @property
    def accumulator(self) -> Attribute:
        """The element type the body combines."""
        return tensor(self.body.block.args[0]).element_type

    @property
    def combiner(self) -> Operation | None:
        """The one binary op a plain body consists of, or None where the body is more than that."""
        ops = list(self.body.block.ops)
        return ops[0] if len(ops) == 2 and isinstance(ops[0], BinaryOp) else None

    def verify_regions(self) -> None:
        """A reduction has one region or, with conversions, three."""
        check(len(self.regions) in (1, 3), self.name, f"found {len(self.regions)} regions, expected 1 or 3")


def result_element(regions: Sequence[Region]) -> Attribute:
    """The element type a reduction with these regions gives."""
    last = regions[-1] if regions[-1].blocks else regions[len(regions) // 2]
    terminator = last.block.last_op
    assert terminator is not None
    return tensor(terminator.operands[0]).element_type


@irdl_op_definition
class ReduceOp(ReductionOp):
    """Combines the elements along ``dimensions``, which the result lacks."""

    name = "stablehlo.reduce"
    inputs = var_operand_def(TensorType)
    init_values = var_operand_def(TensorType)
    dimensions = prop_def(DenseArrayBase)
    results_ = var_result_def(TensorType)
    parts = var_region_def("single_block")
    traits = traits_def(Pure())

    irdl_options = (SameVariadicOperandSize(),)

    def __init__(
        self, operand: SSAValue, init_value: SSAValue, dimensions: Sequence[int], parts: Sequence[Region]
    ) -> None:
        kept = [size for i, size in enumerate(shape(operand)) if i not in dimensions]
        super().__init__(
            operands=[[operand], [init_value]],
            properties={"dimensions": integers(dimensions)},
            result_types=[[TensorType(result_element(parts), kept)]],
            regions=[list(parts)],
        )

    @property
    def reduced(self) -> tuple[int, ...]:
        """The dimensions that are reduced."""
        return as_tuple(self.dimensions)

    def verify_(self) -> None:
        """Check the number of regions and that every operand has an initial value."""
        self.verify_regions()
        check(len(self.inputs) == len(self.init_values), "reduce (C2)", "inputs and initial values differ in number")
