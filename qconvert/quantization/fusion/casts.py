"""Casts at the ports of regions: a quantize and a dequantize at each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import LocationAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.quant_region import RegionOp
from qconvert.interpreter import evaluate_op
from qconvert.ir import (
    ARITHMETIC,
    ONNX_ARITHMETIC,
    TENSOR,
    UniformQuantizedType,
    describe,
    element_type,
    expressed,
    quantized,
    shape,
)
from qconvert.rewriting import constant_of, erase
from qconvert.support.errors import ConversionError


def cast_ports(module: ModuleOp) -> None:
    """Put a quantize and a dequantize at every port of a region that has uniform parameters.

    ::

        %y = region(%x: s1, %w: s2) -> s3        %y = region(dq(q %x : s1), dq(q %w : s2)); dq(q %y : s3)

    There is one pair for each value and type. A constant is quantized here. A value that is already dequantized from
    the port's type, or quantized to it, gets no second pair, so that it is rounded once if both ends agree. If they
    differ, the second pair is a rescale. Ports that are not uniform stay float.

    Raises ConversionError naming the region's node if a bias does not fit 32 bits of its type.
    """
    casts = _Casts()
    for region in [op for op in module.walk() if isinstance(op, RegionOp)]:
        casts.arriving(region)
        casts.leaving(region)


@dataclass(slots=True)
class _Casts:
    """The pairs made so far, by value and type."""

    pairs: dict[tuple[SSAValue, UniformQuantizedType], SSAValue] = field(default_factory=dict)

    def arriving(self, region: RegionOp) -> None:
        """Dequantize the operands of the region."""
        for i, (value, spec) in enumerate(zip(tuple(region.inputs), region.specs[0], strict=True)):
            if isinstance(spec, UniformQuantizedType) and not _is_dequantized(value, spec):
                region.operands[i] = self._pair(value, spec, region)

    def leaving(self, region: RegionOp) -> None:
        """Quantize the region's results for all their users."""
        for value, spec in zip(region.outputs, region.specs[1], strict=True):
            users = [use.operation for use in value.uses]
            if isinstance(spec, UniformQuantizedType) and not all(_is_quantize(user, spec) for user in users):
                dequantized = self._pair(value, spec, region)
                for use in [use for use in value.uses if use.operation in users]:
                    use.operation.operands[use.index] = dequantized
                _take_over(dequantized, users)

    def _pair(self, value: SSAValue, spec: UniformQuantizedType, region: RegionOp) -> SSAValue:
        key = (value, spec)
        if key not in self.pairs:
            self.pairs[key] = _cast(value, spec, region)
        return self.pairs[key]


def _cast(value: SSAValue, spec: UniformQuantizedType, region: RegionOp) -> SSAValue:
    quantize: Operation = stablehlo.UniformQuantizeOp(value, spec)
    quantize.attributes[ARITHMETIC] = ONNX_ARITHMETIC
    constant = constant_of(value)
    if constant is not None:
        quantize = _quantized_constant(constant, quantize, spec, region)
    dequantize = stablehlo.UniformDequantizeOp(quantize.results[0], expressed(spec))
    _insert_after(value, (quantize, dequantize), region.location)
    return dequantize.result


def _is_dequantized(value: SSAValue, spec: UniformQuantizedType) -> bool:
    return isinstance(value.owner, stablehlo.UniformDequantizeOp) and quantized(value.owner.operand) == spec


def _is_quantize(op: Operation, spec: UniformQuantizedType) -> bool:
    return isinstance(op, stablehlo.UniformQuantizeOp) and element_type(op.result) == spec


def _quantized_constant(
    constant: stablehlo.ConstantOp, quantize: Operation, spec: UniformQuantizedType, region: RegionOp
) -> stablehlo.ConstantOp:
    """Return a constant's integers; a 32-bit bias is computed in f64."""
    try:
        if spec.storage.width == 32 and spec.has_zero_zero_point:
            scales = spec.broadcast(spec.scales, shape(constant.output))
            integers, _ = numerics.quantize_bias(constant.array, scales)
        else:
            (integers,) = evaluate_op(quantize, [constant.array])
    except ConversionError as error:
        raise error.located(node=describe(region), op=region.name) from error
    quantize.drop_all_references()
    return stablehlo.ConstantOp.of(integers, spec)


def _take_over(dequantized: SSAValue, users: Iterable[Operation]) -> None:
    """Let one quantize replace the model's own quantizes of the same type behind it: ``q(dq(q(x)))`` is ``q(x)``."""
    assert isinstance(dequantized.owner, stablehlo.UniformDequantizeOp)
    (integers,) = dequantized.owner.operands
    for user in dict.fromkeys(users):
        if isinstance(user, stablehlo.UniformQuantizeOp) and user.result.type == integers.type:
            assert isinstance(integers.owner, Operation)
            kept = {key: value for key, value in user.attributes.items() if key in (ARITHMETIC, TENSOR)}
            integers.owner.attributes.update(kept)
            user.result.replace_all_uses_with(integers)
            erase(user)


def _insert_after(value: SSAValue, ops: tuple[Operation, ...], location: LocationAttr) -> None:
    """Insert ops behind the op that makes a value, with that op's location."""
    owner = value.owner
    for op in ops:
        op.location = owner.location if isinstance(owner, Operation) else location
    if isinstance(owner, Block):
        first = owner.first_op
        assert first is not None
        owner.insert_ops_before(ops, first)
    else:
        block = owner.parent
        assert block is not None
        block.insert_ops_after(ops, owner)
