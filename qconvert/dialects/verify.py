"""Verification at two levels: the rules of the IR, and the rules of StableHLO's specification for quantized programs.

The ops' own ``verify_`` are the first level. The second is for modules that StableHLO's tools read; its rules are
cited by their number in the specification, as ``dot_general (C15)``. Where StableHLO's own verifier checks more than
the specification does, this module checks that as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ModuleOp, TensorType, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation, OptPropertyDef
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from qconvert import numerics
from qconvert.dialects.op_checks import check, check_quantized
from qconvert.dialects.port_names import check_port_names
from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.dialects.stablehlo.contraction_base import ContractionOp
from qconvert.ir import (
    AnyQuantizedType,
    CalibratedQuantizedType,
    Tensor,
    UniformQuantizedType,
    describe,
    described,
    made_types,
    numpy_dtype,
    place,
)
from qconvert.support.errors import ConversionError

_QUOTED = 120
_DIALECTS = ("stablehlo.", "func.", "builtin.")
STORAGE_WIDTHS = (2, 4, 8, 16, 32)
"""The bits of storage that the operands and results of StableHLO's ops may have."""

_ORDER_ONLY = "stablehlo.token"
"""The type of values that order effects."""

Check: TypeAlias = Callable[[Operation], None]
"""A check of one op, which raises VerifyException."""


def verify_module(module: ModuleOp, *more: Check) -> None:
    """Check a module at the level of the IR: every op by its own rules, values defined before they are used.

    ``more`` are checks of an op besides its own rules. Raises ConversionError naming the source node, the op, what is
    wrong and the types of its operands.
    """
    for error in module_errors(module, *more):
        raise error


def module_errors(module: ModuleOp, *more: Check) -> Iterator[ConversionError]:
    """Yield all errors that :func:`verify_module` may raise, one for each op at most.

    An op is not checked if it uses an op that lacks a property.
    """
    yield from _function_errors(module)
    checked: set[Attribute] = set()
    incomplete: set[Operation] = set()
    for op in module.walk():
        if incomplete and any(operand.owner in incomplete for operand in op.operands):
            continue
        for error in _op_errors(op, partial(_verify_op, checked=checked), *more):
            if not _is_complete(op):
                incomplete.add(op)
            yield error
    for op in module.walk():
        yield from _op_errors(op, partial(_verify_arguments, checked=checked))
    yield from _order_errors(module.body.block, set())


def verify_stablehlo(module: ModuleOp, besides: tuple[str, ...] = ()) -> None:
    """Check that StableHLO accepts a module: only StableHLO's ops and the named ops, and its quantization constraints.

    Raises ConversionError naming the source node, the constraint by its number and the types of the op's operands.
    """
    verify = stablehlo_check(besides)
    for op in module.walk():
        for error in _op_errors(op, verify):
            raise error


def stablehlo_check(besides: tuple[str, ...] = ()) -> Check:
    """Return the check of one op for :func:`verify_stablehlo`."""
    checked: set[Attribute] = set()

    def verify(op: Operation) -> None:
        if op.name not in besides:
            _verify_for_stablehlo(op, checked)

    return verify


def only_dialects(names: tuple[str, ...]) -> Check:
    """Return the check that an op is of one of the dialects."""

    def verify(op: Operation) -> None:
        check(op.dialect_name() in names, op.name, "only ops of {} may be here", ", ".join(names))

    return verify


def verify_contraction(op: Operation) -> None:
    """Check the constraints on quantized operands of ``convolution`` and ``dot_general``; other ops pass.

    They are C28 to C34 and C14 to C20, which StableHLO's RFC on hybrid ops states. The IR keeps operands that violate
    them until a backend has rewritten them. Raises VerifyException.
    """
    if isinstance(op, ContractionOp):
        op.verify_quantized()


def _op_errors(op: Operation, *checks: Check) -> Iterator[ConversionError]:
    """Yield the error of the first check that an op fails: a later check may rely on an earlier one."""
    try:
        for verify in checks:
            verify(op)
    except VerifyException as error:
        types = ", ".join(map(described, op.operand_types))
        shown = types if len(types) <= _QUOTED else f"{types[:_QUOTED]}..."
        found = str(error).removeprefix(f"{op.name}: ") + (f" (operands: {shown})" if types else "")
        yield ConversionError(found, node=describe(op), op=op.name, file=place(op))
    except ConversionError as error:
        yield error.located(node=describe(op), op=op.name, file=place(op))


def _is_complete(op: Operation) -> bool:
    """Return False for an op that lacks a property."""
    if not isinstance(op, IRDLOperation):
        return True
    known = op.get_irdl_definition().properties
    return all(name in op.properties or isinstance(part, OptPropertyDef) for name, part in known.items())


def _function_errors(module: ModuleOp) -> Iterator[ConversionError]:
    """Yield an error for each op of a module that is no function, has another one's name or does not name its ports."""
    names: set[str] = set()
    for function in module.ops:
        if not isinstance(function, FuncOp):
            yield ConversionError("it stands outside of a function", op=function.name, file=place(function))
            continue
        if function.sym_name.data in names:
            found = f"there is a function @{function.sym_name.data} already"
            yield ConversionError(found, op=function.name, file=place(function))
        names.add(function.sym_name.data)
        yield from _op_errors(function, check_port_names)


def _verify_op(op: Operation, checked: set[Attribute]) -> None:
    _verify_quantized(op.name, op.operand_types, checked)
    op.verify_()
    if isinstance(op, StableHLOOp):
        op.verify_kinds()
    _verify_quantized(op.name, op.result_types, checked)
    for region in op.regions:
        for block in region.blocks:
            last = block.last_op
            ends = last is not None and last.has_trait(IsTerminator)
            check(ends or op.has_trait(NoTerminator), op.name, "a region does not end with a terminator")
            for argument in block.args:
                check(_is_value(argument.type), op.name, f"an argument must be a tensor, found {argument.type}")


def _is_value(type: Attribute) -> bool:
    """Return whether values can have the type: tensors, tokens and tuples of both."""
    if isinstance(type, TupleType):
        return all(_is_value(part) for part in type.types)
    return isinstance(type, TensorType) or type.name == _ORDER_ONLY


def _verify_arguments(op: Operation, checked: set[Attribute]) -> None:
    """Check the types of block arguments that no op uses; the types of used arguments are checked with their users."""
    for region in op.regions:
        for block in region.blocks:
            _verify_quantized(op.name, block.arg_types, checked)


def _verify_quantized(name: str, types: Sequence[Attribute], checked: set[Attribute]) -> None:
    """Check that per-axis types fit the tensors that have them, each type once."""
    for type in types:
        if type not in checked and isinstance(type, TensorType):
            check_quantized(name, cast(Tensor, type))
            checked.add(type)


def _order_errors(block: Block, defined: set[SSAValue]) -> Iterator[ConversionError]:
    """Yield an error for each op with an operand that is not defined earlier in its block or around it.

    ``defined`` are the values around the block; it is left as it was.
    """
    defined.update(block.args)
    for op in block.ops:
        if not defined.issuperset(op.operands):
            found = "a value is used before it is defined"
            yield ConversionError(found, node=describe(op), op=op.name, file=place(op))
        for region in op.regions:
            for inner in region.blocks:
                yield from _order_errors(inner, defined)
        defined.update(op.results)
    defined.difference_update(block.args, *(op.results for op in block.ops))


def _verify_for_stablehlo(op: Operation, checked: set[Attribute]) -> None:
    check(op.name.startswith(_DIALECTS), op.name, "StableHLO does not have this op; lower it first")
    for found in made_types(op):
        if found not in checked:
            _verify_element(found)
            checked.add(found)
    if isinstance(op, StableHLOOp):
        op.verify_quantized()


def _verify_element(found: Attribute) -> None:
    """Check an element type for the rules that StableHLO's verifier applies to any tensor."""
    if not isinstance(found, TensorType):
        return
    element = cast(Tensor, found).element_type
    # Messages are built only for errors: the text of a type with many scales is long.
    if isinstance(element, AnyQuantizedType | CalibratedQuantizedType):
        raise VerifyException(f"quantized type: {element} has no parameters yet")
    if not isinstance(element, UniformQuantizedType):
        return
    if element.storage.width not in STORAGE_WIDTHS:
        widths = f"{', '.join(map(str, STORAGE_WIDTHS[:-1]))} or {STORAGE_WIDTHS[-1]}"
        raise VerifyException(f"quantized type: StableHLO's storage has {widths} bits, found {element.storage}")
    if element.is_sub_channel:
        raise VerifyException(
            f"quantized type (C10): it has scales for blocks, which no op takes: {described(element)}"
        )
    low, high = numerics.positive_range(numpy_dtype(element.expressed_type))
    smallest, largest = element.data.scale_range
    scale = smallest if smallest < low else largest
    if not low <= scale <= high:
        raise VerifyException(f"quantized type (C4): scale {scale} is out of the range of {element.expressed_type}")
