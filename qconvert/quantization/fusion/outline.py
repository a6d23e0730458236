"""Regions written as ops of the target's own."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.quant_region import PortSpec, RegionOp, ReturnOp
from qconvert.ir import ARITHMETIC, ONNX_ARITHMETIC, UniformQuantizedType, quantized
from qconvert.rewriting import builder_before, dequantized, erase, erase_dead, free_symbol, in_float


def outline_regions(module: ModuleOp, names: Mapping[str, str]) -> None:
    """Write each region of a kernel in ``names`` as ``stablehlo.composite`` of that name, in place.

    ::

        dq(q %y) with %y = region(dq %x) {tanh_of_sum}        dq(%y) with %y = composite "npu.tanh_of_sum" %x

    The ports are cast already (``cast_ports``). The decomposition dequantizes, computes the region's float ops and
    quantizes.
    """
    for region in [op for op in module.walk() if isinstance(op, RegionOp) and op.logical_kernel.data in names]:
        _outline(module, region, names[region.logical_kernel.data])


def _outline(module: ModuleOp, region: RegionOp, name: str) -> None:
    operands = [dequantized(value) or value for value in region.inputs]
    function = _decomposition(region, operands, free_symbol(module, name))
    module.body.block.add_op(function)
    made = stablehlo.CompositeOp(name, operands, function, {})
    build = builder_before(region)
    build.add(made)
    old_operands = [value.owner for value in region.inputs if isinstance(value.owner, Operation)]
    for output, result in zip(region.outputs, made.results, strict=True):
        _take_users(build, output, result)
    erase(region)
    erase_dead(old_operands)


def _take_users(build: OpBuilder, output: SSAValue, result: SSAValue) -> None:
    """Let the users of a float output use the op's result; quantizes of the output have it already."""
    for user in dict.fromkeys(use.operation for use in output.uses):
        if isinstance(user, stablehlo.UniformQuantizeOp) and user.result.type == result.type:
            user.result.replace_all_uses_with(result)
            erase(user)
    if output.uses:
        output.replace_all_uses_with(in_float(build, result))


def _decomposition(region: RegionOp, operands: list[SSAValue], symbol: str) -> FuncOp:
    block, build = Block(arg_types=[operand.type for operand in operands]), OpBuilder()
    values: dict[SSAValue, SSAValue] = {
        inner: in_float(build, argument) for inner, argument in zip(region.body.block.args, block.args, strict=True)
    }
    for op in region.body.block.ops:
        if not isinstance(op, ReturnOp):
            build.add(op.clone(values))
    pairs = zip(region.returned, region.specs[1], strict=True)
    returned = [_quantized(build, values[value], spec) for value, spec in pairs]
    block.add_ops([*build.ops, FuncReturnOp(*returned)])
    types = ([argument.type for argument in block.args], [value.type for value in returned])
    return FuncOp(symbol, types, Region(block), visibility="private")


def _quantized(build: OpBuilder, value: SSAValue, spec: PortSpec) -> SSAValue:
    if not isinstance(spec, UniformQuantizedType) or quantized(value) is not None:
        return value
    quantize = stablehlo.UniformQuantizeOp(value, spec)
    quantize.attributes[ARITHMETIC] = ONNX_ARITHMETIC  # as the ports of other regions
    return build.add(quantize)
