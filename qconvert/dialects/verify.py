"""Verification at two levels: the rules of the IR, and the rules of StableHLO's specification for quantized programs.

The ops' own ``verify_`` are the first level. The second is for modules that StableHLO's tools read; its rules are
cited by their number in the specification, as ``dot_general (C15)``. Where StableHLO's own verifier checks more than
the specification does, this module checks that as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import AnyFloat, BFloat16Type, Float16Type, Float32Type, ModuleOp, TensorType, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.op_checks import check, check_quantized
from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.ir import AnyQuantizedType, CalibratedQuantizedType, Tensor, UniformQuantizedType, describe, place
from qconvert.support.errors import ConversionError

_QUOTED = 120
_DIALECTS = ("stablehlo.", "func.", "builtin.")
_SCALES: dict[type[AnyFloat], tuple[float, float]] = {
    Float16Type: (2.0**-24, 65504.0),
    BFloat16Type: (2.0**-133, (2 - 2.0**-7) * 2.0**127),
    Float32Type: (2.0**-149, (2 - 2.0**-23) * 2.0**127),
}
"""The smallest and largest scale of each expressed type."""

_ORDER_ONLY = "stablehlo.token"
"""The type of values that order effects."""

_Check: TypeAlias = Callable[[Operation], None]


def verify_module(module: ModuleOp) -> None:
    """Check a module at the level of the IR: every op by its own rules, values defined before they are used.

    Raises ConversionError naming the source node, the op, what is wrong and the types of its operands.
    """
    _verify_names(module)
    checked: set[Attribute] = set()
    for op in module.walk():
        _checked(op, lambda op: _verify_op(op, checked))
    for op in module.walk():
        _checked(op, lambda op: _verify_arguments(op, checked))
    _verify_order(module.body.block, set())


def verify_stablehlo(module: ModuleOp, besides: tuple[str, ...] = ()) -> None:
    """Check that StableHLO accepts a module: only StableHLO's ops and the named ops, and its quantization constraints.

    Raises ConversionError naming the source node, the constraint by its number and the types of the op's operands.
    """
    checked: set[Attribute] = set()
    for op in module.walk():
        if op.name not in besides:
            _checked(op, lambda op: _verify_for_stablehlo(op, checked))


def _checked(op: Operation, verify: _Check) -> None:
    try:
        verify(op)
    except VerifyException as error:
        types = ", ".join(str(type) for type in op.operand_types)
        shown = types if len(types) <= _QUOTED else f"{types[:_QUOTED]}..."
        found = str(error).removeprefix(f"{op.name}: ") + (f" (operands: {shown})" if types else "")
        raise ConversionError(found, node=describe(op), op=op.name, file=place(op)) from error


def _verify_names(module: ModuleOp) -> None:
    """Check that no two functions have one name."""
    names: set[str] = set()
    for function in module.ops:
        if isinstance(function, FuncOp):
            if function.sym_name.data in names:
                found = f"there is a function @{function.sym_name.data} already"
                raise ConversionError(found, op=function.name, file=place(function))
            names.add(function.sym_name.data)


def _verify_op(op: Operation, checked: set[Attribute]) -> None:
    _verify_quantized(op.name, op.operand_types, checked)
    op.verify_()
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


def _verify_order(block: Block, defined: set[SSAValue]) -> None:
    """Check that every operand is defined earlier in its block or around it."""
    defined = defined | set(block.args)
    for op in block.ops:
        for operand in op.operands:
            if operand not in defined:
                found = "a value is used before it is defined"
                raise ConversionError(found, node=describe(op), op=op.name, file=place(op))
        for region in op.regions:
            for inner in region.blocks:
                _verify_order(inner, defined)
        defined.update(op.results)


def _verify_for_stablehlo(op: Operation, checked: set[Attribute]) -> None:
    check(op.name.startswith(_DIALECTS), op.name, "StableHLO does not have this op; lower it first")
    for found in _types(op):
        if found not in checked:
            _verify_element(found)
            checked.add(found)
    if isinstance(op, StableHLOOp):
        op.verify_quantized()


def _types(op: Operation) -> Iterator[Attribute]:
    yield from op.result_types
    for region in op.regions:
        for block in region.blocks:
            yield from block.arg_types


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
    if element.is_sub_channel:
        raise VerifyException(f"quantized type (C10): {element} has scales for blocks, which no op takes")
    low, high = _SCALES.get(type(element.expressed_type), (0.0, math.inf))
    smallest, largest = element.scales.min(), element.scales.max()
    scale = smallest if smallest < low else largest
    if not low <= scale <= high:
        raise VerifyException(f"quantized type (C4): scale {scale} is out of the range of {element.expressed_type}")
