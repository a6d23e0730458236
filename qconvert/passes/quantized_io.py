"""Function arguments and results that are quantized themselves instead of being converted at the edge."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from qconvert.dialects import stablehlo
from qconvert.dialects.types import quantized
from qconvert.passes.base import Pass, PassResult, Refusal, erase_dead


@dataclass(frozen=True)
class QuantizedIO(Pass):
    """Give a function's arguments and results their quantized types.

    ::

        f32 %x ── uniform_quantize ── q ...          q %x ── ...
        ui8 %x ── bitcast_convert ── q ...           q %x ── ...
        ... q ── uniform_dequantize ── return f32    ... q ── return q

    An argument qualifies if all its users quantize it to one type (or read its bits as one). The caller then passes
    and gets storage integers.
    """

    name = "quantized-io"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every function that the outside calls; refusals name the arguments that stay float."""
        refusals: list[Refusal] = []
        changed = False
        for function in [op for op in module.walk() if isinstance(op, FuncOp) and _is_public(op)]:
            for argument in tuple(function.body.block.args):
                changed |= _quantize_argument(argument, refusals)
            changed |= _quantize_results(function)
            function.update_function_type()  # type: ignore[no-untyped-call]
        return PassResult(changed, tuple(refusals))


def _is_public(function: FuncOp) -> bool:
    """Whether a function with a body is there for others than the module's own ops."""
    return not function.is_declaration and function.sym_visibility is None


def _quantize_argument(argument: BlockArgument, refusals: list[Refusal]) -> bool:
    users = list(dict.fromkeys(use.operation for use in argument.uses))
    converting = [op for op in users if _converts(op)]
    if not converting:
        return False
    types = {op.results[0].type for op in converting}
    if len(converting) < len(users) or len(types) > 1:
        where = "other ops use it as it is" if len(types) == 1 else "it is quantized to several types"
        refusals.append(Refusal("func.func", None, f"argument {argument.index} keeps its type: {where}"))
        return False
    value = Rewriter.replace_value_with_new_type(argument, types.pop())
    for op in converting:
        op.results[0].replace_all_uses_with(value)
    erase_dead(converting)
    return True


def _converts(op: Operation) -> bool:
    """Whether an op only gives its operand a quantized type."""
    is_conversion = isinstance(op, stablehlo.UniformQuantizeOp | stablehlo.BitcastConvertOp)
    return is_conversion and quantized(op.operands[0]) is None and quantized(op.results[0]) is not None


def _quantize_results(function: FuncOp) -> bool:
    terminator = function.get_return_op()
    if terminator is None:
        return False
    before = list(terminator.operands)
    terminator.operands = [_quantized_source(value) for value in before]
    erase_dead([value.owner for value in before if isinstance(value.owner, Operation)])
    return list(terminator.operands) != before


def _quantized_source(value: SSAValue) -> SSAValue:
    return value.owner.operand if isinstance(value.owner, stablehlo.UniformDequantizeOp) else value
