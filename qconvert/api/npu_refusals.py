"""The ops of a TOSA module that Vela does not compile.

Vela's message names the kind of an operation at most, and only the first. So the first half of the module is compiled,
then more or fewer ops of it, until the op is found with which Vela refuses them. That op is left out, and the search
starts again, until the rest of the module compiles. Ops that the NPU is known to lack are compiled first, alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import FunctionType, IntegerType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import ConstantLike

from qconvert.backends.ethos_u.npu import Npu
from qconvert.backends.tosa.target import attach_target, target_of
from qconvert.engines import tosa
from qconvert.engines.vela import Compiled, Refused, Vela
from qconvert.interpreter.core import main_function
from qconvert.ir import element_type, module_bytes

MOST_KINDS = 24
"""Largest number of different ops that are looked for."""

Part: TypeAlias = tuple[Operation, ...]
"""One op; or ops that values of 48 bits or of one bit join, in the order of the module."""


@dataclass(frozen=True)
class RefusedPart:
    """Ops that Vela refuses, and its reason."""

    ops: Part
    reason: str


@dataclass(frozen=True)
class Refusals:
    """The refused parts in order; ``is_complete`` if the rest of the module compiles without them."""

    parts: tuple[RefusedPart, ...]
    is_complete: bool


def find_refusals(module: ModuleOp, vela: Vela, npu: Npu, *, most: int = MOST_KINDS) -> Refusals:
    """Return the parts of a module's main function that Vela refuses; at most ``most`` different ones."""
    parts = _parts(main_function(module))
    found = _lacking(parts, vela, npu)
    is_complete = False
    while not is_complete and len(set(map(_signature, found))) < most:
        rest = [part for part in parts if part not in found]
        refused = _first_refused(rest, vela)
        if refused is None:
            is_complete = True
        else:
            found |= _alike(*refused, rest, vela)
    return Refusals(tuple(RefusedPart(part, found[part]) for part in parts if part in found), is_complete)


def _lacking(parts: Sequence[Part], vela: Vela, npu: Npu) -> dict[Part, str]:
    """Return the parts with ops that the NPU lacks, and Vela's reasons: each kind of them is compiled alone."""
    found: dict[Part, str] = {}
    for part in parts:
        if part in found or all(npu.has(type(op)) for op in part):
            continue
        answer = _compile([part], vela)
        if isinstance(answer, Refused):
            found |= {each: answer.reason for each in parts if _signature(each) == _signature(part)}
    return found


def _alike(part: Part, reason: str, others: Sequence[Part], vela: Vela) -> dict[Part, str]:
    """Return a refused part with its reason; and the other parts like it, if Vela refuses it alone, too."""
    if isinstance(_compile([part], vela), Compiled):
        return {part: reason}
    return {each: reason for each in others if _signature(each) == _signature(part)}


def _parts(function: FuncOp) -> list[Part]:
    """Return the parts of a function, constants left out.

    A part has all ops that make and take a value of 48 bits or of one bit, because Vela takes no argument of these
    types and returns none.
    """
    order = {op: i for i, op in enumerate(function.body.block.ops)}
    part_of: dict[Operation, Part] = {}
    for op in order:
        if op.has_trait(ConstantLike) or isinstance(op, ReturnOp):
            continue
        makers = [value.owner for value in op.operands if isinstance(value.owner, Operation) and _is_inner(value)]
        joined = {op, *(each for maker in makers for each in part_of.get(maker, ()))}
        part = tuple(sorted(joined, key=order.__getitem__))
        part_of |= dict.fromkeys(part, part)
    return list(dict.fromkeys(part_of.values()))


def _is_inner(value: SSAValue) -> bool:
    element = element_type(value) if isinstance(value.type, TensorType) else None
    return isinstance(element, IntegerType) and element.width.data in {1, 48}


def _first_refused(parts: Sequence[Part], vela: Vela) -> tuple[Part, str] | None:
    """Return the part with which the first parts are refused, and the reason; None if all parts compile."""
    answer = _compile(parts, vela) if parts else None
    if not isinstance(answer, Refused):
        return None
    reason, compiled, refused = answer.reason, 0, len(parts)
    while refused - compiled > 1:
        middle = (compiled + refused) // 2
        answer = _compile(parts[:middle], vela)
        if isinstance(answer, Refused):
            reason, refused = answer.reason, middle
        else:
            compiled = middle
    return parts[compiled], reason


def _signature(part: Part) -> tuple[object, ...]:
    """Return what Vela's answer depends on: kinds, types and attributes of ops, but not the values of constants."""
    return tuple((op.name, *map(_types, (op.operands, op.results)), frozenset(op.properties.items())) for op in part)


def _types(values: Sequence[SSAValue]) -> tuple[Attribute, ...]:
    return tuple(value.type for value in values)


def _compile(parts: Sequence[Part], vela: Vela) -> Compiled | Refused:
    module = _module_of({op for part in parts for op in part})
    attach_target(module)
    return vela.compile(tosa.serialize(module_bytes(module), target=target_of(module)))


def _module_of(kept: Collection[Operation]) -> ModuleOp:
    """Return a module of some ops of one block.

    Values of other ops become its arguments, but for constants, and values that other ops use its results.
    """
    block = next(iter(kept)).parent
    assert block is not None
    taken = dict.fromkeys(value for op in block.ops if op in kept for value in op.operands)
    constants = {v.owner for v in taken if isinstance(v.owner, Operation) and v.owner.has_trait(ConstantLike)}
    outside = [value for value in taken if value.owner not in kept and value.owner not in constants]
    body = Block(arg_types=[value.type for value in outside])
    values: dict[SSAValue, SSAValue] = dict(zip(outside, body.args, strict=True))
    for op in block.ops:
        if op in kept or op in constants:
            body.add_op(op.clone(values))
    made = [result for op in block.ops if op in kept for result in op.results]
    results = [values[value] for value in made if any(use.operation not in kept for use in value.uses)]
    body.add_op(ReturnOp(*results))
    type = FunctionType.from_lists([value.type for value in outside], [value.type for value in results])
    return ModuleOp([FuncOp("main", type, Region(body))])
