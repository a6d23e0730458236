"""Conversions around and inside quantized reductions, moved into regions of the reduction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo.constraints import baseline
from qconvert.interpreter.core import dequantize, quantize
from qconvert.interpreter.implementation import Array
from qconvert.ir import TENSOR, UniformQuantizedType, element_type, numpy_dtype, quantized, shape, tensor, with_element
from qconvert.rewriting import (
    Pass,
    PassResult,
    builder_before,
    constant_of,
    converted_elements,
    converts,
    erase_dead,
    input_stage,
    promotion,
    rebuilt,
    refuse,
    replace,
    split_accumulation,
    with_stages,
)

_CONVERSIONS = (stablehlo.UniformQuantizeOp, stablehlo.BitcastConvertOp, stablehlo.ReshapeOp)


class ExpandReductionConversions(Pass):
    """Give a reduction that accumulates in a wider type its conversions as regions.

    ::

        q8 x ── uniform_quantize ── reduce_window {add} ── bitcast_convert ── uniform_quantize ── q8 y
        q8 x ── reduce {add on i32} ── bitcast_convert ── uniform_quantize ── q8 y
        q8 x ── reduce from q32 {add (to i32 x) to acc} ── bitcast_convert ── uniform_quantize ── q8 y

        q8 x ── reduce {to i32} {add} {bitcast; to q8} ── q8 y

    A conversion in front is included if the initial value also exists in the operand's type. Conversions behind are
    included up to the first value that has a name in the source or several users; a reshape between them follows.

    A result that stays in the accumulator's type is refused: the RFC wants its storage to be the elements'
    (baseline_element_type).
    """

    name = "expand-reduction-conversions"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every quantized reduction in place. Plain reductions, which need no conversion, stay."""
        changed, refusals = False, []
        for op in list(module.walk()):
            if not isinstance(op, stablehlo.ReductionOp) or quantized(op.results[0]) is None:
                continue
            plan = _plan(op)
            if isinstance(plan, _Plan):
                _expand(op, plan)
                changed = True
            elif plan is not None:
                refusals.append(refuse(op, plan))
        return PassResult(changed, tuple(refusals))


class _Plan(NamedTuple):
    """A reduction with all conversions: operands, initial value, regions, and the ops behind that the last replaces."""

    operands: tuple[SSAValue, ...]
    initial: SSAValue | Array
    stages: tuple[Region, ...]
    chain: tuple[Operation, ...]


def _expand(op: stablehlo.ReductionOp, plan: _Plan) -> None:
    build = builder_before(op, *plan.chain)
    initial, element = plan.initial, element_type(plan.operands[0])
    start = initial if isinstance(initial, SSAValue) else build.constant(initial, element)
    replaced = build.add(with_stages(op, (*plan.operands, start), plan.stages))
    if shape(replaced) != shape(plan.chain[-1].results[0]):
        replaced = build.add(stablehlo.ReshapeOp(replaced, shape(plan.chain[-1].results[0])))
    old_operands = [value.owner for value in op.operands if isinstance(value.owner, Operation)]
    replace(plan.chain[-1], replaced)
    erase_dead([op, *plan.chain[:-1]])
    erase_dead([owner for owner in old_operands if owner.parent is not None])


def _plan(op: stablehlo.ReductionOp) -> _Plan | str | None:
    """Return the reduction with conversions, the reason why there is none, or None if nothing is converted."""
    if op.output_conversion is not None:
        return None
    source = _source(op)
    if source is None or isinstance(source, str):
        return source
    chain = () if TENSOR in op.attributes else tuple(_chain(op.results[0]))
    behind = next((end for end in range(len(chain), 0, -1) if _is_baseline(source.operands[0], chain[end - 1])), 0)
    if not behind:
        return f"its result stays in {op.accumulator}: conversions keep the elements' storage (baseline_element_type)"
    narrow = _region_of(list(chain[:behind]), op.accumulator)
    return _Plan(source.operands, source.initial, (source.conversion, source.body, narrow), chain[:behind])


def _is_baseline(element: SSAValue, last: Operation) -> bool:
    return baseline(element_type(element)) == baseline(element_type(last.results[0]))


class _Source(NamedTuple):
    """A reduction before any conversion: operands, an initial value of their type, the conversion and the body."""

    operands: tuple[SSAValue, ...]
    initial: SSAValue | Array
    conversion: Region
    body: Region


def _source(op: stablehlo.ReductionOp) -> _Source | str | None:
    """Return the reduction before conversion, a reason against it, or None if nothing is converted."""
    if op.is_left_to_right:
        return _accumulated(op)
    if converts(op):
        if len(op.elements) != 1:
            return "it reduces several operands at once; split-reductions comes first"
        return _Source(converted_elements(op), op.initials[0], input_stage(op), op.body.clone())
    before = [value.owner for value in converted_elements(op)]
    if any(not isinstance(owner, stablehlo.UniformQuantizeOp) or TENSOR in owner.attributes for owner in before):
        return None
    given = tuple(owner.operands[0] for owner in before if isinstance(owner, Operation))
    narrow, *others = {element_type(value) for value in given}
    if others or len(op.elements) != 1 or quantized(given[0]) is None:
        return None
    initial = _narrowed(op.initials[0], quantized(given[0]))
    if isinstance(initial, str):
        return initial
    return _Source(given, initial, promotion(narrow, op.accumulator), op.body.clone())


def _accumulated(op: stablehlo.ReductionOp) -> _Source | str:
    """Return a reduction of elements and accumulators before conversion, or a reason against it."""
    stages = split_accumulation(op.body)
    if stages is None:
        return "its body is more than a conversion of the element and one op on it and the accumulator"
    initial = _narrowed(op.initials[0], quantized(op.elements[0]))
    return initial if isinstance(initial, str) else _Source(converted_elements(op), initial, *stages)


def _narrowed(value: SSAValue, element: UniformQuantizedType | None) -> SSAValue | Array | str:
    """Return an initial value in the elements' type, or the reason why that type cannot represent it."""
    owner = value.owner
    if isinstance(owner, stablehlo.UniformQuantizeOp) and element_type(owner.operand) == element:
        return owner.operand
    constant = constant_of(value)
    if constant is None:
        return "its initial value, in the accumulator's type, is not a constant"
    type = tensor(constant.output)
    if element is None or element.storage.width >= 32 or not element.is_per_tensor:
        return "its elements are not quantized per tensor in less than 32 bits"
    narrow = with_element(type, element)
    found = quantize(dequantize(constant.array, type), narrow, None)
    back = quantize(dequantize(found, narrow), type, None)
    if not np.array_equal(back, constant.array):
        return f"its elements' type {element} cannot represent the initial value {constant.array.item()}"
    return found.astype(numpy_dtype(element))


def _chain(value: SSAValue) -> list[Operation]:
    """Return the conversions behind a value, each the only user of the previous one."""
    chain: list[Operation] = []
    while True:
        users = [use.operation for use in value.uses]
        if len(users) != 1 or not isinstance(users[0], _CONVERSIONS):
            return chain
        element = quantized(users[0].results[0])
        if not isinstance(element, UniformQuantizedType) or not element.is_per_tensor:
            return chain
        chain.append(users[0])
        if TENSOR in users[0].attributes:
            return chain
        value = users[0].results[0]


def _region_of(chain: list[Operation], element: Attribute) -> Region:
    """Return ops on tensors as a region on a scalar."""
    block = Block(arg_types=(TensorType(element, ()),))
    value: SSAValue = block.args[0]
    for op in chain:
        if isinstance(op, stablehlo.ReshapeOp):
            continue
        made = rebuilt(op, [value], [TensorType(element_type(op.results[0]), ())])
        made.attributes.pop(TENSOR, None)
        block.add_op(made)
        value = made.results[0]
    block.add_op(stablehlo.ReturnOp(value))
    return Region(block)
