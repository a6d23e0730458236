"""The pass that wraps float ops in regions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from qconvert.dialects import stablehlo
from qconvert.dialects.quant_region import RegionOp
from qconvert.quantization.fusion.matching import match_any, match_chain
from qconvert.quantization.fusion.pattern import Chain, Pattern
from qconvert.quantization.fusion.regions import enclose, join
from qconvert.quantization.fusion.table import DEFAULT_PATTERNS
from qconvert.rewriting import Pass, PassResult


@dataclass(frozen=True)
class FuseKernels(Pass):
    """Wrap float ops into the logical kernels of a target, one ``quant.region`` each.

    ::

        %c = convolution(%x, %w)         %r = quant.region (%x, %w, %b) {
        %a = add %c, broadcast(%b)   ->     convolution, broadcast_in_dim, add, maximum, quant.return
        %r = maximum %a, 0               } {kernel = "convolution"}

    ``patterns`` are tried in order at every op, in program order. Then ``chains`` join regions to coarser ones, until
    nothing is left to join. A port of which the model says nothing has its element type as spec. Weights, biases and
    other constants are inputs; a repeated constant is an input before its repetition. Ops that begin no pattern stay,
    and so do ops of integers and hybrid ops. Ops on constants are left to ``fold``, which should run first. Private
    functions are left alone, because ``inline-calls`` inlines them.
    """

    patterns: tuple[Pattern, ...] = DEFAULT_PATTERNS
    chains: tuple[Chain, ...] = ()

    name = "fuse-kernels"

    def apply(self, module: ModuleOp) -> PassResult:
        """Fuse the public functions of a module."""
        changed = False
        for function in functions(module):
            changed |= fuse_block(function.body.block, self.patterns)
            while self._join_once(function):
                changed = True
        return PassResult(changed)

    def _join_once(self, function: FuncOp) -> bool:
        regions = [op for op in function.body.block.ops if isinstance(op, RegionOp)]
        for region in regions:
            for chain in self.chains:
                found = match_chain(region, chain)
                if found is not None:
                    join(found, chain.kernel)
                    return True
        return False


def fuse_block(block: Block, patterns: Sequence[Pattern]) -> bool:
    """Wrap the ops that patterns find in one block; broadcasts come last, as most of them belong to their users."""
    changed = False
    for op in sorted(block.ops, key=lambda op: isinstance(op, stablehlo.BroadcastInDimOp)):
        found = match_any(op, patterns) if op.parent is not None else None
        if found is not None:
            enclose(found)
            changed = True
    return changed


def functions(module: ModuleOp) -> Iterator[FuncOp]:
    """Yield the public functions of a module: ``@main``, and others that are not private."""
    for op in module.ops:
        if isinstance(op, FuncOp) and not op.is_declaration and (op.sym_name.data == "main" or not _is_private(op)):
            yield op


def _is_private(function: FuncOp) -> bool:
    return function.sym_visibility is not None and function.sym_visibility.data == "private"
