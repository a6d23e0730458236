"""Quantized values of storage widths that a format lacks, held in wider integers of the same range."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from qconvert.dialects import stablehlo
from qconvert.ir import Storage, UniformQuantizedType, describe, quantized, quantized_element, tensor, with_element
from qconvert.rewriting import Contract, Pass, PassResult, builder_before, contract, erase_dead, shifted_constant
from qconvert.support.errors import ConversionError

WIDTHS_IN_TOSA = (8, 16, 32)
_WIDEST = 32
_WEIGHT_WIDTH = 4
_BYTE = 8


def storage_widths(widths: tuple[int, ...]) -> Contract:
    """Return the contract that integers of quantized results have one of the widths; constants may have 4 bits too."""

    @contract(
        f"quantized integers of {', '.join(map(str, widths))} bits, or signed ones of {_WIDEST} bits",
        remedy="Run the pass widen-storage first, or requantize the values to fewer bits",
    )
    def of_known_width(op: Operation) -> str | None:
        is_constant = isinstance(op, stablehlo.ConstantOp)
        for value in _values(op):
            element = quantized(value)
            storage = None if element is None else element.storage
            if storage and not _has(widths, storage) and not (is_constant and storage.width == _WEIGHT_WIDTH):
                return f"found {storage}"
        return None

    return of_known_width


def _has(widths: tuple[int, ...], storage: Storage) -> bool:
    """Return whether a storage needs no wider one."""
    if storage.width == _WIDEST:
        return storage.signed
    return storage.width in widths


@dataclass(frozen=True)
class WidenStorage(Pass):
    """Hold quantized values of other widths in the next of ``widths``, with the same range, arguments and results too.

    ::

        i4:s:zp ── op ── i4:s:zp

        i8<-8:7>:s:zp ── op ── i8<-8:7>:s:zp

    The integers stay the same: an op clamps its results to the range of their storage. Unsigned integers of 17 to 31
    bits become signed ones of 32 bits. Signed integers of 32 bits, the accumulators, stay. Constant weights of 4 bits
    keep their type, because TOSA's contractions take it beside activations of 8 bits. Raises ConversionError naming the
    node of a value that fits none of the widths, as ``ui32`` does.
    """

    widths: tuple[int, ...] = WIDTHS_IN_TOSA

    name = "widen-storage"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every function with a body."""
        changed = False
        for function in (op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration):
            changed |= self._widen(function)
        return PassResult(changed)

    def _widen(self, function: FuncOp) -> bool:
        constants = [op for op in function.walk() if isinstance(op, stablehlo.ConstantOp) and self._is_other(op.output)]
        changed = [self._widen_constant(op) for op in constants]
        kept = {op.output for op in constants}
        values = [
            value for op in function.walk() for value in _values(op) if self._is_other(value) and value not in kept
        ]
        for value in values:
            Rewriter.replace_value_with_new_type(value, with_element(tensor(value), self._widened(value)))
        if values:
            terminator = function.body.block.last_op
            assert isinstance(terminator, ReturnOp)
            function.function_type = FunctionType.from_lists(
                function.body.block.arg_types, [operand.type for operand in terminator.operands]
            )
        return bool(values) or any(changed)

    def _is_other(self, value: SSAValue) -> bool:
        element = quantized(value)
        return element is not None and not _has(self.widths, element.storage)

    def _widened(self, value: SSAValue) -> UniformQuantizedType:
        element = quantized_element(value)
        storage, owner = element.storage, value.owner
        for width in self.widths:
            low, high = Storage.limits(width, signed=storage.signed or width == _WIDEST)
            if low <= storage.minimum and storage.maximum <= high and width >= storage.width:
                return element.with_storage(Storage(width, low < 0, storage.minimum, storage.maximum))
        raise ConversionError(
            f"values of {storage} do not fit the format's integers: signed ones of at most {self.widths[-1]} bits",
            node=describe(owner) if isinstance(owner, Operation) else None,
            op=owner.name if isinstance(owner, Operation) else None,
            hint="Requantize them to fewer bits",
        )

    def _widen_constant(self, op: stablehlo.ConstantOp) -> bool:
        """Let the users of a constant that are no contractions with 4-bit weights use its integers in wider storage."""
        element = quantized_element(op.output)
        uses = [use for use in op.output.uses if not _is_weight(use.operation, use.index, element)]
        if not uses:
            return False
        made = builder_before(op).add(shifted_constant(op, element, self._widened(op.output)))
        for use in uses:
            use.operation.operands[use.index] = made
        erase_dead([op])
        return True


def _values(op: Operation) -> list[SSAValue]:
    arguments = [argument for region in op.regions for block in region.blocks for argument in block.args]
    return [*op.results, *arguments]


def _is_weight(user: Operation, index: int, element: UniformQuantizedType) -> bool:
    """Return whether an operand is 4-bit weights beside activations of at most 8 bits, or beside floats."""
    if not isinstance(user, stablehlo.ContractionOp) or index != 1 or element.storage.width != _WEIGHT_WIDTH:
        return False
    activations = quantized(user.lhs)
    return activations is None or activations.storage.width <= _BYTE
