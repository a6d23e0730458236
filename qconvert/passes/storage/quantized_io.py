"""Quantized function arguments and results, in place of conversions at the function's edge."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from qconvert.dialects import stablehlo
from qconvert.ir import TENSOR, quantized, tensor, with_element
from qconvert.rewriting import Pass, PassResult, Refusal, builder_before, dequantized, erase_dead, rebuilt, replace

_MOVEMENT = (stablehlo.ReshapeOp, stablehlo.TransposeOp)


class QuantizedIO(Pass):
    """Give a function's arguments and results their quantized types.

    ::

        f32 %x ── uniform_quantize ── q ...               q %x ── ...
        ui8 %x ── bitcast_convert ── q ...                q %x ── ...
        f32 %x ── reshape ── uniform_quantize ── q ...    q %x ── reshape ── q ...
        ... q ── uniform_dequantize ── return f32         ... q ── return q

    An argument qualifies if all its users quantize it to one type, or read its bits as one type. Reshapes and
    transposes may stand between. The caller then passes and receives storage integers.
    """

    name = "quantized-io"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every public function; refusals name the arguments that stay float."""
        refusals: list[Refusal] = []
        changed = False
        for function in [op for op in module.walk() if isinstance(op, FuncOp) and _is_public(op)]:
            ops = tuple(function.body.block.ops)
            move_to_edges(function)
            changed |= tuple(function.body.block.ops) != ops
            for argument in tuple(function.body.block.args):
                changed |= _quantize_argument(argument, refusals)
            changed |= _quantize_results(function)
            function.update_function_type()  # type: ignore[no-untyped-call]
        return PassResult(changed, tuple(refusals))


def _is_public(function: FuncOp) -> bool:
    """Return whether a function has a body and is not private."""
    return not function.is_declaration and function.sym_visibility is None


def move_to_edges(function: FuncOp) -> None:
    """Move the quantize of arguments and the dequantize of results outside of adjacent reshapes and transposes."""
    for argument in function.body.block.args:
        for user in [use.operation for use in argument.uses]:
            _quantize_before(user)
    terminator = function.get_return_op()
    if terminator is not None:
        terminator.operands = [_dequantized_after(value) for value in terminator.operands]


def _quantize_before(movement: Operation) -> None:
    """Quantize the operand of a movement if all users of its result quantize it to one type."""
    if not isinstance(movement, _MOVEMENT):
        return
    users = [use.operation for use in movement.result.uses]
    for user in users:
        _quantize_before(user)
    users = [use.operation for use in movement.result.uses]
    if not users or not all(isinstance(op, stablehlo.UniformQuantizeOp) for op in users):
        return
    elements = {quantized(op.results[0]) for op in users}
    element = elements.pop()
    if elements or element is None or not element.is_per_tensor:
        return
    first, *others = users
    quantize = rebuilt(first, [movement.operand], [with_element(tensor(movement.operand), element)])
    quantize.attributes.pop(TENSOR, None)  # the name belongs to the movement's result
    build = builder_before(movement)
    moved = rebuilt(movement, [build.add(quantize)], [first.results[0].type])
    build.add(moved)
    for op in (first, *others):
        replace(op, moved.results[0])
    erase_dead([movement])


def _dequantized_after(value: SSAValue) -> SSAValue:
    """Return a dequantized and then moved value as moved and then dequantized; any other value itself."""
    movement = value.owner
    if not isinstance(movement, _MOVEMENT):
        return value
    source = _dequantized_after(movement.operand).owner
    element = quantized(source.operand) if isinstance(source, stablehlo.UniformDequantizeOp) else None
    if element is None or not element.is_per_tensor:
        return value
    assert isinstance(source, stablehlo.UniformDequantizeOp)
    build = builder_before(movement)
    moved = rebuilt(movement, [source.operand], [with_element(tensor(value), element)])
    return build.add(rebuilt(source, [build.add(moved)], [value.type]))


def conversion_of(argument: BlockArgument) -> Operation | str | None:
    """Return the op that quantizes an argument to its only type; else the reason, or None if no user quantizes it."""
    users = list(dict.fromkeys(use.operation for use in argument.uses))
    converting = [op for op in users if _converts(op)]
    if not converting:
        return None
    if len({op.results[0].type for op in converting}) > 1:
        return "it is quantized to several types"
    return converting[0] if len(converting) == len(users) else "other ops use it as it is"


def _quantize_argument(argument: BlockArgument, refusals: list[Refusal]) -> bool:
    conversion = conversion_of(argument)
    if isinstance(conversion, str):
        refusals.append(Refusal("func.func", None, f"argument {argument.index} keeps its type: {conversion}"))
    if not isinstance(conversion, Operation):
        return False
    converting = [use.operation for use in argument.uses]
    value = Rewriter.replace_value_with_new_type(argument, conversion.results[0].type)
    for op in converting:
        op.results[0].replace_all_uses_with(value)
    erase_dead(converting)
    return True


def _converts(op: Operation) -> bool:
    """Return whether an op only gives its operand a quantized type."""
    is_conversion = isinstance(op, stablehlo.UniformQuantizeOp | stablehlo.BitcastConvertOp)
    return is_conversion and quantized(op.operands[0]) is None and quantized(op.results[0]) is not None


def _quantize_results(function: FuncOp) -> bool:
    terminator = function.get_return_op()
    if terminator is None:
        return False
    before = list(terminator.operands)
    terminator.operands = [dequantized(value) or value for value in before]
    erase_dead([value.owner for value in before if isinstance(value.owner, Operation)])
    return list(terminator.operands) != before
