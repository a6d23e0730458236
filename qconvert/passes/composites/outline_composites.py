"""Composites written as ``stablehlo.composite`` ops, each with its decomposition."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite import CoordinatesAttr
from qconvert.passes.composites.decompose_composites import NO_COMPOSITES, DecomposeComposites, quantized_result
from qconvert.rewriting import Pass, PassResult, builder_before, free_symbol, in_float, replace


class OutlineComposites(Pass):
    """Write every composite as ``stablehlo.composite``, with its decomposition as a private function.

    ::

        %y = qconvert.softmax %x {axis = 1}

        %y = composite "qconvert.softmax" %x {composite_attributes = {axis = 1}, decomposition = @qconvert.softmax_0}
        func private @qconvert.softmax_0(%x) { maximum, subtract, ... }

    Equal composites share a function. Composites inside a decomposition are decomposed. A quantized composite becomes
    the float composite between a dequantize and a quantize.
    """

    name = "outline-composites"
    ensures = (NO_COMPOSITES,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every composite in place; append the functions to the module."""
        composites = [op for op in module.walk() if isinstance(op, composite.CompositeOp)]
        outliner = _Outliner(module)
        for op in composites:
            build = builder_before(op)
            replace(op, *outliner.outlined(op, build))
        DecomposeComposites().apply(module)
        return PassResult(bool(composites))


@dataclass(slots=True)
class _Outliner:
    """Makes one function for all composites of the same name, operand types and properties."""

    module: ModuleOp
    functions: dict[Hashable, FuncOp] = field(default_factory=dict)

    def outlined(self, op: composite.CompositeOp, build: OpBuilder) -> tuple[SSAValue, ...]:
        operands = [in_float(build, operand) for operand in op.operands]
        types = tuple(operand.type for operand in operands)
        key = (op.name, types, frozenset(op.properties.items()))
        function = self.functions.get(key)
        if function is None:
            function = self.functions[key] = self._function(op, types)
        made = stablehlo.CompositeOp(op.name, operands, function, _plain(op.properties))
        build.add(made)
        return tuple(quantized_result(build, op, value) for value in made.results)

    def _function(self, op: composite.CompositeOp, types: tuple[Attribute, ...]) -> FuncOp:
        block, build = Block(arg_types=types), OpBuilder()  # no location, because the function may serve several nodes
        results = op.decompose(build, block.args)
        values = (results,) if isinstance(results, SSAValue) else results
        block.add_ops([*build.ops, ReturnOp(*values)])
        returned = [value.type for value in values]
        function = FuncOp(free_symbol(self.module, op.name), (types, returned), Region(block), visibility="private")
        self.module.body.block.add_op(function)
        return function


def _plain(properties: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """Return properties as StableHLO's tools read them: attributes of our dialects become strings."""
    return {
        name: StringAttr(value.data) if isinstance(value, CoordinatesAttr) else value
        for name, value in properties.items()
    }
