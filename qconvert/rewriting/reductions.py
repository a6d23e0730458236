"""Rewrites between the forms of a reduction."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import ARITHMETIC, TENSOR, element_type, tensor, with_element


def with_stages(
    op: stablehlo.ReductionOp, operands: Sequence[SSAValue], stages: Sequence[Region]
) -> stablehlo.ReductionOp:
    """Return the same reduction of other operands through other regions.

    The ``select`` region of ``select_and_scatter`` is retyped to the new elements. The attributes for arithmetic and
    for the source's tensor are dropped.
    """
    others = op.regions[: len(op.regions) - len(op.stages)]
    element = element_type(operands[0])
    return type(op).create(
        operands=operands,
        properties=dict(op.properties),
        attributes={name: value for name, value in op.attributes.items() if name not in (ARITHMETIC, TENSOR)},
        result_types=[with_element(tensor(op.results[0]), stablehlo.result_element(stages))],
        regions=[*(_retyped(region, element) for region in others), *stages],
    )


def selects_by_comparing(op: stablehlo.ReductionOp) -> bool:
    """Return whether each region beside the stages holds one comparison, which means the same at any wider type."""
    others = op.regions[: len(op.regions) - len(op.stages)]
    return all([type(inner) for inner in region.block.ops] == _COMPARISON for region in others)


_COMPARISON = [stablehlo.CompareOp, stablehlo.ReturnOp]


def _retyped(region: Region, element: Attribute) -> Region:
    """Return a copy of a region that takes scalars of another element type."""
    block = Block(arg_types=[TensorType(element, ())] * len(region.block.args))
    copy_ops(region, block, block.args)
    return Region(block)


def copy_ops(region: Region, block: Block, arguments: Sequence[SSAValue]) -> SSAValue:
    """Append copies of a region's ops to a block, with other values for its arguments; return its first result.

    The ``return`` is copied only if ``arguments`` are the block's own.
    """
    values: dict[SSAValue, SSAValue] = dict(zip(region.block.args, arguments, strict=True))
    ends = list(arguments) == list(block.args)
    for op in region.block.ops:
        if isinstance(op, stablehlo.ReturnOp) and not ends:
            return values[op.operands[0]]
        block.add_op(op.clone(values))
    last = block.last_op
    assert isinstance(last, Operation)
    return last.operands[0]


def converted_elements(op: stablehlo.ReductionOp) -> tuple[SSAValue, ...]:
    """Return the operands that the input conversion applies to: all but the initial values."""
    return tuple(op.operands[: len(op.operands) - len(op.initials)])
