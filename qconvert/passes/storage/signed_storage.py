"""Unsigned quantized values of a function, converted to signed integers of the same width."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.quant_ops import StorageCastOp
from qconvert.ir import element_type, quantized, quantized_element, tensor, with_element
from qconvert.rewriting import Pass, PassResult, builder_before, contract, erase, shifted_constant


@contract("signed quantized integers", remedy="Run the pass signed-storage first")
def SIGNED(op: Operation) -> str | None:  # noqa: N802
    """Writers compute on signed integers. Conversions, calls and returns may take and give unsigned ones.

    So may transposes: sink-transposes moves those of arguments in front of the conversion.
    """
    free = stablehlo.UniformQuantizeOp | stablehlo.BitcastConvertOp | StorageCastOp | FuncOp | ReturnOp
    if isinstance(op, free | stablehlo.TransposeOp) or _calls(op):
        return None
    unsigned = next((value for value in (*op.operands, *op.results) if _is_unsigned(value)), None)
    return None if unsigned is None else f"found {quantized_element(unsigned).storage}"


class SignedStorage(Pass):
    """Hold every unsigned quantized value, except the function's arguments and results, in signed integers.

    ::

        argument ui8:s:zp ── op ── ui8

        argument ui8:s:zp ── uniform_quantize ── i8:s:zp-128 ── op ── i8
    """

    name = "signed-storage"
    ensures = (SIGNED,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every function with a body."""
        functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
        changed = [make_signed(function) for function in functions]
        return PassResult(any(changed))


def _is_unsigned(value: SSAValue) -> bool:
    element = quantized(value)
    return element is not None and not element.storage.signed


def make_signed(function: FuncOp) -> bool:
    """Retype all unsigned quantized values whose bits are only used inside; return whether there were any.

    Bits are used outside by the function's arguments and results, by calls, and by the plain integers of a
    ``bitcast_convert`` or ``quant.scast``. There a ``uniform_quantize`` at the same scale is inserted.
    """
    bits = {op for op in function.walk() if _needs_bits(op)}  # before the types of operands change
    fixed: set[SSAValue] = {argument for argument in function.body.block.args if _is_unsigned(argument)}
    for argument in tuple(fixed):
        first = function.body.block.first_op
        assert first is not None
        _use_signed(argument, OpBuilder(before=first), bits)
    for op in list(function.walk()):
        if isinstance(op, ReturnOp):
            _restore_operands(op, fixed)
        elif op in bits:
            _restore_operands(op, fixed)
            _convert_results(op, fixed, bits)
    values = [value for op in function.walk() for value in _values(op) if _is_unsigned(value) and value not in fixed]
    for value in values:
        _retype(value)
    return bool(values)


def _keeps_bits(op: stablehlo.BitcastConvertOp) -> bool:
    """Return whether the bitcast of the signed integers has the same bits as before.

    That is so if both sides change by the same number of integers.
    """
    source, target = quantized(op.operand), quantized(op.result)
    if source is None or target is None:
        return not (_is_unsigned(op.operand) or _is_unsigned(op.result))
    return source.storage.signed == target.storage.signed


def _values(op: Operation) -> list[SSAValue]:
    arguments = [argument for region in op.regions for block in region.blocks for argument in block.args]
    return [*op.results, *arguments]


def _restore_operands(op: Operation, fixed: set[SSAValue]) -> None:
    """Convert operands back to unsigned integers for an op that uses their bits."""
    for index, value in enumerate(tuple(op.operands)):
        if _is_unsigned(value) and value not in fixed:
            restored = builder_before(op).add(stablehlo.UniformQuantizeOp(value, element_type(value)))
            op.operands[index] = restored
            fixed.add(restored)


def _convert_results(op: Operation, fixed: set[SSAValue], bits: Collection[Operation]) -> None:
    for result in op.results:
        after = op.next_op
        if _is_unsigned(result) and after is not None:
            fixed.add(result)
            _use_signed(result, OpBuilder(op.location, before=after), bits)


def _use_signed(value: SSAValue, build: OpBuilder, bits: Collection[Operation]) -> None:
    """Let all users of ``value`` use its signed form, except ``bits``, the ops that need its bits."""
    users = [use for use in value.uses if use.operation not in bits]
    if users:
        element = quantized_element(value)
        converted = build.add(stablehlo.UniformQuantizeOp(value, element.signed))
        for use in users:
            use.operation.operands[use.index] = converted


def _needs_bits(op: Operation) -> bool:
    if isinstance(op, stablehlo.BitcastConvertOp):
        return not _keeps_bits(op)
    return isinstance(op, ReturnOp | StorageCastOp) or _calls(op)


def _calls(op: Operation) -> bool:
    """Return whether an op passes its operands to a function, whose types do not change."""
    return any(isinstance(value, SymbolRefAttr) for value in op.properties.values())


def _retype(value: SSAValue) -> None:
    element = quantized_element(value)
    op = value.owner
    if isinstance(op, stablehlo.ConstantOp):
        made = shifted_constant(op, element, element.signed)
        block = op.parent
        assert block is not None
        block.insert_op_before(made, op)
        value.replace_all_uses_with(made.output)
        erase(op)
    else:
        Rewriter.replace_value_with_new_type(value, with_element(tensor(value), element.signed))
