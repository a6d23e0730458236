"""Quantized activations of fewer than eight bits, held in bytes of a narrower range."""

from __future__ import annotations

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from qconvert.dialects import stablehlo
from qconvert.ir import Storage, UniformQuantizedType, quantized, quantized_element, tensor, with_element
from qconvert.rewriting import Pass, PassResult, builder_before, erase_dead, shifted_constant

_BYTE = 8


class ByteStorage(Pass):
    """Hold quantized values of fewer than eight bits in eight bits with the same range, arguments and results too.

    ::

        i4:s:zp ── op ── i4:s:zp

        i8<-8:7>:s:zp ── op ── i8<-8:7>:s:zp

    The integers stay the same: an op clamps its results to the range of their storage. Constant weights of 4 bits keep
    their type, because TOSA's contractions take it beside activations of 8 bits.
    """

    name = "byte-storage"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every function with a body."""
        changed = False
        for function in (op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration):
            changed |= _widen(function)
        return PassResult(changed)


def _widen(function: FuncOp) -> bool:
    constants = [op for op in function.walk() if isinstance(op, stablehlo.ConstantOp) and _is_narrow(op.output)]
    changed = [_widen_constant(op) for op in constants]
    kept = {op.output for op in constants}
    values = [value for op in function.walk() for value in _values(op) if _is_narrow(value) and value not in kept]
    for value in values:
        Rewriter.replace_value_with_new_type(value, with_element(tensor(value), _in_byte(quantized_element(value))))
    if values:
        terminator = function.body.block.last_op
        assert isinstance(terminator, ReturnOp)
        function.function_type = FunctionType.from_lists(
            function.body.block.arg_types, [operand.type for operand in terminator.operands]
        )
    return bool(values) or any(changed)


def _values(op: Operation) -> list[SSAValue]:
    arguments = [argument for region in op.regions for block in region.blocks for argument in block.args]
    return [*op.results, *arguments]


def _is_narrow(value: SSAValue) -> bool:
    element = quantized(value)
    return element is not None and element.storage.width < _BYTE


def _in_byte(element: UniformQuantizedType) -> UniformQuantizedType:
    storage = element.storage
    return element.with_storage(Storage(_BYTE, storage.signed, storage.minimum, storage.maximum))


def _widen_constant(op: stablehlo.ConstantOp) -> bool:
    """Let the users of a constant that are no contractions with 4-bit weights use its integers in bytes."""
    element = quantized_element(op.output)
    uses = [use for use in op.output.uses if not _is_weight(use.operation, use.index, element)]
    if not uses:
        return False
    made = builder_before(op).add(shifted_constant(op, element, _in_byte(element)))
    for use in uses:
        use.operation.operands[use.index] = made
    erase_dead([op])
    return True


def _is_weight(user: Operation, index: int, element: UniformQuantizedType) -> bool:
    return isinstance(user, stablehlo.ContractionOp) and index == 1 and element.storage.width == 4
