"""Conversions around and inside quantized reductions, moved into regions of the reduction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo.reduction import ReductionOp, conversion
from qconvert.interpreter.core import dequantize, quantize
from qconvert.interpreter.implementation import Array
from qconvert.ir import TENSOR, UniformQuantizedType, element_type, numpy_dtype, quantized, tensor, with_element
from qconvert.passes.reductions.accumulate_reductions import split_accumulation
from qconvert.rewriting import (
    Pass,
    PassResult,
    builder_before,
    constant_of,
    converted_elements,
    erase_dead,
    rebuilt,
    replace,
    with_stages,
)

_CONVERSIONS = (stablehlo.UniformQuantizeOp, stablehlo.BitcastConvertOp)


class ExpandReductionConversions(Pass):
    """Give a reduction that accumulates in a wider type its conversions as regions.

    ::

        q8 x ── uniform_quantize ── reduce_window {add} ── bitcast_convert ── uniform_quantize ── q8 y
        q8 x ── reduce {add on i32} ── bitcast_convert ── uniform_quantize ── q8 y
        q8 x ── reduce from q32 {add (to i32 x) to acc} ── bitcast_convert ── uniform_quantize ── q8 y

        q8 x ── reduce {to i32} {add} {bitcast; to q8} ── q8 y

    A conversion in front is included if the initial value also exists in the operand's type. Conversions behind are
    included up to the first value that has a name in the source or several users.
    """

    name = "expand-reduction-conversions"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every quantized reduction in place. Plain reductions, which need no conversion, stay."""
        changed = False
        for op in list(module.walk()):
            if isinstance(op, ReductionOp) and len(op.elements) == 1 and quantized(op.results[0]) is not None:
                changed |= _expand(op)
        return PassResult(changed)


def _expand(op: ReductionOp) -> bool:
    source = _source(op)
    is_open = op.output_conversion is None and TENSOR not in op.attributes
    chain = _chain(op.results[0]) if is_open else []
    if source is None or (op.has_conversions and not chain):
        return False
    narrow = _region_of(chain, op.accumulator) if chain else _kept(op.output_conversion)
    last = chain[-1] if chain else op
    build = builder_before(op, *chain)
    start = build.constant(source.initial, element_type(source.operands[0]))
    replaced = build.add(with_stages(op, (*source.operands, start), [source.conversion, source.body, narrow]))
    old_operands = [value.owner for value in op.operands if isinstance(value.owner, Operation)]
    replace(last, replaced)
    erase_dead([op, *chain[:-1]] if chain else [])
    erase_dead([owner for owner in old_operands if owner.parent is not None])
    return True


def _kept(region: Region | None) -> Region:
    return Region() if region is None else region.clone()


@dataclass(frozen=True)
class _Source:
    """A reduction before any conversion: operands, an initial value of their type, the conversion and the body."""

    operands: tuple[SSAValue, ...]
    initial: Array
    conversion: Region
    body: Region


def _source(op: ReductionOp) -> _Source | None:
    """Return the reduction before conversion; None if nothing is converted or the initial value does not fit."""
    operands, constant = converted_elements(op), constant_of(op.initials[0])
    element, body = element_type(op.elements[0]), op.body
    if constant is None:
        return None
    if op.has_conversions:
        return _Source(operands, constant.array, _kept(op.input_conversion), body.clone())
    if op.is_left_to_right:
        stages, initial = split_accumulation(body), _narrowed(constant, quantized(op.elements[0]))
        return None if stages is None or initial is None else _Source(operands, initial, *stages)
    if element != op.accumulator:
        return _Source(operands, constant.array, _promotion(element, op.accumulator), body.clone())
    before = [value.owner for value in operands]
    if any(not isinstance(owner, stablehlo.UniformQuantizeOp) or TENSOR in owner.attributes for owner in before):
        return None
    given = tuple(owner.operands[0] for owner in before if isinstance(owner, Operation))
    narrow, *others = {element_type(value) for value in given}
    initial = None if others else _narrowed(constant, quantized(given[0]))
    return None if initial is None else _Source(given, initial, _promotion(narrow, op.accumulator), body.clone())


def _promotion(source: Attribute, target: Attribute) -> Region:
    return conversion(source, lambda scalar: [stablehlo.UniformQuantizeOp(scalar, target)])


def _narrowed(constant: stablehlo.ConstantOp, element: UniformQuantizedType | None) -> Array | None:
    """Return the initial value in the elements' type, if that type represents it exactly; else None."""
    type = tensor(constant.output)
    if element is None or element.storage.width >= 32 or not element.is_per_tensor:
        return None
    narrow = with_element(type, element)
    value = quantize(dequantize(constant.array, type), narrow, None)
    back = quantize(dequantize(value, narrow), type, None)
    return value.astype(numpy_dtype(element)) if np.array_equal(back, constant.array) else None


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
        made = rebuilt(op, [value], [TensorType(element_type(op.results[0]), ())])
        made.attributes.pop(TENSOR, None)
        block.add_op(made)
        value = made.results[0]
    block.add_op(stablehlo.ReturnOp(value))
    return Region(block)
