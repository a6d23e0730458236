"""Regions made of matched ops, or of other regions, in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import main_block
from qconvert.dialects.quant_region import PortSpec, RegionOp, ReturnOp, unknown_spec
from qconvert.ir import HINT, element_type, is_float_tensor, merged, quantized
from qconvert.quantization.fusion.matching import Match, Taken
from qconvert.rewriting import constant_of, erase_dead, rebuilt


def enclose(match: Match) -> RegionOp:
    """Put matched ops into a region at the place of the last op, with the constants that nothing else uses.

    If the model has a dequantize in front of an input, or only quantizes of one type behind the result, the port's spec
    is that type.
    """
    body, ops = _Body(match.taken[-1].op), [taken.op for taken in match.taken]
    for taken in match.taken:
        body.take(taken)
    (result,) = ops[-1].results
    body.block.add_op(ReturnOp([body.copies[result]]))
    region = RegionOp(body.inputs, body.block, match.kernel, [_arriving(v) for v in body.inputs], [_leaving(result)])
    region.location = merged(ops)
    main_block(ops[-1]).insert_op_before(region, ops[-1])
    result.replace_all_uses_with(region.outputs[0])
    erase_dead([*sorted(body.copied, key=lambda op: len(op.operands)), *ops])
    return region


def _arriving(value: SSAValue) -> PortSpec:
    """Return the spec that the model gives an input of a region."""
    owner = value.owner
    element = quantized(owner.operand) if isinstance(owner, stablehlo.UniformDequantizeOp) else None
    return element or unknown_spec(value)


def _leaving(value: SSAValue) -> PortSpec:
    """Return the spec that the model gives a result of a region."""
    users = {use.operation for use in value.uses}
    elements = {quantized(user.result) if isinstance(user, stablehlo.UniformQuantizeOp) else None for user in users}
    element = elements.pop() if len(elements) == 1 else None
    return element or unknown_spec(value)


@dataclass(slots=True)
class _Body:
    """The block of a region that is being built; the region will stand in front of ``before``.

    ``copied`` lists the constants and broadcasts that the block has copies of.
    """

    before: Operation
    block: Block = field(default_factory=Block)
    inputs: list[SSAValue] = field(default_factory=list)
    copies: dict[SSAValue, SSAValue] = field(default_factory=dict)
    copied: list[Operation] = field(default_factory=list)

    def take(self, taken: Taken) -> None:
        """Copy one op into the block."""
        op = rebuilt(taken.op, [self._inner(operand, taken) for operand in taken.op.operands])
        self.block.add_op(op)
        self.copies[taken.op.results[0]] = op.results[0]

    def _inner(self, operand: SSAValue, taken: Taken) -> SSAValue:
        """Return the value for an operand inside: a result of the kernel, a copied constant, or a new argument."""
        if operand in self.copies:
            return self.copies[operand]
        owner, constant = operand.owner, constant_of(operand)
        if constant is not None and (taken.keeps_constants or not is_float_tensor(operand)):
            return self._copy(constant, [])
        if isinstance(owner, stablehlo.BroadcastInDimOp):
            return self._copy(owner, [self._inner(owner.operand, taken)])
        if constant is not None and isinstance(taken.op, stablehlo.BinaryOp):
            return self._repeated(constant, is_bias=taken.is_bias)
        return self._argument(operand)

    def _copy(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        copy = rebuilt(op, operands)
        self.block.add_op(copy)
        self.copied.append(op)
        return copy.results[0]

    def _argument(self, value: SSAValue) -> SSAValue:
        self.inputs.append(value)
        return self.block.insert_arg(value.type, len(self.block.args))

    def _repeated(self, constant: stablehlo.ConstantOp, *, is_bias: bool) -> SSAValue:
        """Return a repeated constant as an argument without repetition, and its broadcast inside."""
        array = constant.array
        if not array.size:
            return self._argument(constant.output)
        last = [array.ndim - 1] if is_bias else []
        kept = sorted({*_varying(array), *last})
        once = array[tuple(slice(None) if axis in kept else 0 for axis in range(array.ndim))]
        if once.shape == array.shape or (once.size == array.size and not is_bias):
            return self._argument(constant.output)
        small = stablehlo.ConstantOp.of(np.array(once, order="C"), element_type(constant.output))
        small.location = constant.location
        main_block(self.before).insert_op_before(small, self.before)
        self.copied.append(constant)
        spread = stablehlo.BroadcastInDimOp(self._argument(small.output), array.shape, kept)
        spread.location = constant.location
        self.block.add_op(spread)
        return spread.result


def _varying(array: NDArray[Any]) -> list[int]:
    """Return the dimensions along which elements differ; dimensions of stride 0 are skipped."""
    once = array[tuple(slice(None) if stride else slice(0, 1) for stride in array.strides)]
    sizes = enumerate(once.shape)
    return [axis for axis, size in sizes if size > 1 and not (once == once.take([0], axis)).all()]


def join(regions: Sequence[RegionOp], kernel: str) -> RegionOp:
    """Join regions, each the only user of the previous one, into one region at the place of the last.

    The specs of values in between stay as hints (:data:`~qconvert.ir.attributes.HINT`) at the ops that make them.
    """
    body, inputs, specs = Block(), list[SSAValue](), list[PortSpec]()
    copies: dict[SSAValue, SSAValue] = {}
    for region in regions:
        for argument, outer, spec in zip(region.body.block.args, region.inputs, region.specs[0], strict=True):
            if outer not in copies:
                inputs.append(outer)
                specs.append(spec)
                copies[argument] = body.insert_arg(outer.type, len(body.args))
            else:
                copies[argument] = copies[outer]
        _copy_ops(region, body, copies)
    for region in regions[:-1]:
        _leave_hints(region, copies)
    last = regions[-1]
    body.add_op(ReturnOp([copies[value] for value in last.returned]))
    joined = RegionOp(inputs, body, kernel, specs, last.specs[1])
    joined.location = merged(regions)
    main_block(last).insert_op_before(joined, last)
    for old, new in zip(last.outputs, joined.outputs, strict=True):
        old.replace_all_uses_with(new)
    erase_dead(regions)
    return joined


def _copy_ops(region: RegionOp, body: Block, copies: dict[SSAValue, SSAValue]) -> None:
    """Copy the ops of a region; its outputs are mapped to the copies of the returned values."""
    for op in region.body.block.ops:
        if not isinstance(op, ReturnOp):
            copy = rebuilt(op, [copies[operand] for operand in op.operands])
            body.add_op(copy)
            copies.update(zip(op.results, copy.results, strict=True))
    copies.update((output, copies[value]) for output, value in zip(region.outputs, region.returned, strict=True))


def _leave_hints(region: RegionOp, copies: dict[SSAValue, SSAValue]) -> None:
    """Write the specs of a region's outputs as hints at the ops that make them."""
    for output, spec in zip(region.outputs, region.specs[1], strict=True):
        maker = copies[output].owner
        if spec != unknown_spec(output) and isinstance(maker, Operation):
            maker.attributes[HINT] = spec
