"""Rewrites between the forms of a reduction."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import ARITHMETIC, TENSOR, UniformQuantizedType, element_type, quantized, tensor, with_element
from qconvert.rewriting.constants import constant_of


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
        result_types=[with_element(tensor(op.results[0]), element) for element in stablehlo.result_elements(stages)],
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


def converts(op: stablehlo.ReductionOp) -> bool:
    """Return whether a reduction converts: in its regions, or by a body wider than its operands."""
    given = (zip(values, op.accumulators, strict=True) for values in (op.elements, op.initials))
    return op.has_conversions or any(element_type(value) != element for pairs in given for value, element in pairs)


def is_promoted(op: stablehlo.ReductionOp) -> bool:
    """Return whether a reduction has StableHLO's form: at most a body wider than the operands, which it implies."""
    return not op.has_conversions and not op.is_left_to_right


def is_widening_sum(op: stablehlo.ReductionOp) -> bool:
    """Return whether a reduction is a sum from zero that gets more bits, then at most another scale, in its regions."""
    if len(op.elements) != 1 or op.is_left_to_right or not isinstance(op.combiner, stablehlo.AddOp):
        return False
    source, accumulator, initial = quantized(op.elements[0]), op.accumulator, constant_of(op.initials[0])
    if source is None or not isinstance(accumulator, UniformQuantizedType) or initial is None:
        return False
    same_scale = source.data.scales == accumulator.data.scales and source.is_per_tensor and accumulator.is_per_tensor
    from_zero = accumulator.has_zero_zero_point and (initial.array == source.zero_point).all()
    before, after = (_ops(region) for region in (op.input_conversion, op.output_conversion))
    widens = [type(inner) for inner in before] in ([], [stablehlo.UniformQuantizeOp])
    scales = all(isinstance(inner, stablehlo.BitcastConvertOp) for inner in after[:-1])
    ends = not after or isinstance(after[-1], stablehlo.UniformQuantizeOp)
    return bool(same_scale and from_zero and widens and scales and ends)


def _ops(region: Region | None) -> list[Operation]:
    """Return a region's ops without its return."""
    return [] if region is None else list(region.block.ops)[:-1]


def promotion(source: Attribute, target: Attribute) -> Region:
    """Return the conversion of an element that a body of another type implies."""
    return stablehlo.conversion(source, lambda scalar: [stablehlo.UniformQuantizeOp(scalar, target)])


def input_stage(op: stablehlo.ReductionOp) -> Region:
    """Return a copy of the input conversion of a reduction of one operand, also where the body's type implies it."""
    if op.input_conversion is not None:
        return op.input_conversion.clone()
    element = element_type(op.elements[0])
    return Region() if element == op.accumulator else promotion(element, op.accumulator)


def converted_elements(op: stablehlo.ReductionOp) -> tuple[SSAValue, ...]:
    """Return the operands that the input conversion applies to: all but the initial values."""
    return tuple(op.operands[: len(op.operands) - len(op.initials)])


def split_accumulation(body: Region) -> tuple[Region, Region] | None:
    """Split a body of an element and an accumulator into a conversion and a body of two accumulators.

    Returns None if the body is not a chain of ops on the element, followed by one op on its end and the accumulator.
    """
    *chain, last = body.block.ops
    if not chain:
        return None
    combiner = chain.pop()
    element, accumulator = body.block.args
    if not isinstance(combiner, stablehlo.BinaryOp) or list(last.operands) != [combiner.result]:
        return None
    end: SSAValue = element
    for op in chain:
        if list(op.operands) != [end] or len(op.results) != 1:
            return None
        end = op.results[0]
    if sorted(map(id, combiner.operands)) != sorted(map(id, (end, accumulator))):
        return None
    return _conversion(element.type, chain), _pairs(combiner, accumulator)


def _conversion(type: Attribute, chain: list[Operation]) -> Region:
    block = Block(arg_types=[type])
    value: SSAValue = block.args[0]
    for op in chain:
        made = op.clone({op.operands[0]: value})
        block.add_op(made)
        value = made.results[0]
    block.add_op(stablehlo.ReturnOp(value))
    return Region(block)


def _pairs(combiner: stablehlo.BinaryOp, accumulator: SSAValue) -> Region:
    """Return the combining op on two accumulators; the earlier one takes the accumulator's place."""
    block = Block(arg_types=[accumulator.type] * 2)
    earlier, later = block.args
    operands = (earlier, later) if combiner.lhs is accumulator else (later, earlier)
    made = combiner.clone(dict(zip(combiner.operands, operands, strict=True)))
    block.add_ops([made, stablehlo.ReturnOp(made.results[0])])
    return Region(block)
