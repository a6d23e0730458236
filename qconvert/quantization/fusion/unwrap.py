"""Regions removed, with their float ops in their place."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.dialects.builder import main_block
from qconvert.dialects.quant_region import RegionOp, ReturnOp
from qconvert.ir import HINT
from qconvert.quantization.fusion.casts import cast_ports
from qconvert.rewriting import Pass, PassResult


@dataclass(frozen=True)
class UnwrapRegions(Pass):
    """Replace every ``quant.region``, which ``fuse-kernels`` made, by its float ops.

    With ``casts`` a port of uniform parameters leaves a quantize and a dequantize behind, for targets with other
    kernels. Without it the specs are dropped.
    """

    casts: bool = False

    name = "unwrap-regions"

    def apply(self, module: ModuleOp) -> PassResult:
        """Unwrap every region, inner regions after outer ones."""
        if self.casts:
            cast_ports(module)
        found = [op for op in module.walk() if isinstance(op, RegionOp)]
        for region in found:
            inline(region)
        return PassResult(bool(found))


def inline(region: RegionOp) -> list[Operation]:
    """Put a region's ops in its place; return them, in order."""
    block, inner = main_block(region), region.body.block
    for argument, value in zip(inner.args, region.inputs, strict=True):
        argument.replace_all_uses_with(value)
    ops = [op for op in inner.ops if not isinstance(op, ReturnOp)]
    for op in ops:
        op.detach()
        op.attributes.pop(HINT, None)
        block.insert_op_before(op, region)
    for output, value in zip(region.outputs, region.returned, strict=True):
        output.replace_all_uses_with(value)
    block.erase_op(region)
    return ops
