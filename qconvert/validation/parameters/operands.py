"""How what two operators read differs: constants, and the operators that values come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ConvolutionOp, DotGeneralOp, as_tuple
from qconvert.dialects.traits import Contraction, MovesElements
from qconvert.ir import UniformQuantizedType, array_of, quantized, shape
from qconvert.support.arrays import Array
from qconvert.validation.parameters.attributes import attribute_facts
from qconvert.validation.parameters.constants import Fact, constant_facts, held_of
from qconvert.validation.parameters.operators import COMMUTATIVE, Operators, is_contraction, kind
from qconvert.validation.parameters.pairing import Pairs
from qconvert.validation.parameters.words import by_channel, named

RESCALE = "tosa.rescale"

FORWARDING = ("convert", "subtract", "uniform_dequantize", "transpose", "reshape", "broadcast_in_dim")
"""The ops between a constant and the op that computes with it."""

_INPUT_ZERO_POINT = "zero point of the input"

_TOSA_CHANNELS = {"tosa.conv2d": 0, "tosa.conv3d": 0, "tosa.depthwise_conv2d": 2, "tosa.transpose_conv2d": 0}
"""The dimension of the output channels of weights."""


class Programs(NamedTuple):
    """Two programs, the operators that they have in common, and counts of what was changed on purpose."""

    first: Operators
    second: Operators
    pairs: Pairs
    purposes: Counter[str]


def operand_facts(programs: Programs, one: Operation, other: Operation) -> Iterator[Fact]:
    """Yield how constants differ, and the values that come from another operator."""
    if len(one.operands) != len(other.operands):
        yield Fact("inputs", f"{len(one.operands)} against {len(other.operands)}", is_form=True)
        return
    places = list(range(len(one.operands)))
    swapped = places[::-1] if kind(one) in COMMUTATIVE and len(places) == 2 else places
    if swapped != places and not _agree(programs, one, other, places) and _agree(programs, one, other, swapped):
        places = swapped
    if one.name == other.name == RESCALE:
        yield from _factors(one, other)
    for place, theirs in enumerate(places):
        if one.name == RESCALE and place in (1, 2):
            continue
        yield from _operand(programs, one, other, (place, theirs))


def _agree(programs: Programs, one: Operation, other: Operation, places: list[int]) -> bool:
    """Return True if the operands come from the same operators, and the same ones are constants."""
    return all(source_difference(programs, one.operands[i], other.operands[j]) is None for i, j in enumerate(places))


def _operand(programs: Programs, one: Operation, other: Operation, places: tuple[int, int]) -> Iterator[Fact]:
    first, second = one.operands[places[0]], other.operands[places[1]]
    differs = source_difference(programs, first, second)
    if differs is not None:
        yield Fact("inputs", f"input {places[0]} is {differs}", is_form=True)
    elif first in programs.first.fixed and not _follows(programs, (one, other), places, (first, second)):
        derived = _is_derived(one, places[0]) and _is_derived(other, places[1])
        yield from _fixed(programs, role_of(one, places[0]), first, second, derived=derived)


def _follows(
    programs: Programs, ops: tuple[Operation, Operation], places: tuple[int, int], values: tuple[SSAValue, SSAValue]
) -> bool:
    """Return True for a constant that follows from the input, so that a difference is named where it comes from.

    Such are sizes of operators whose input has other sizes, and zero points that are those of the rescale in front.
    """
    is_size = not all(isinstance(value.type, TensorType) for value in values)
    if is_size and _shape(ops[0].operands[0]) != _shape(ops[1].operands[0]):
        return True
    if role_of(ops[0], places[0]) != _INPUT_ZERO_POINT:
        return False
    sides = zip((programs.first, programs.second), ops, values, strict=True)
    return all(_is_zero_point_of_input(program, op, value) for program, op, value in sides)


def _is_zero_point_of_input(program: Operators, op: Operation, value: SSAValue) -> bool:
    """Return True if a constant is the zero point of the rescale that makes the input, which may have been moved."""
    source = op.operands[0]
    while isinstance(source.owner, Operation) and source.owner.has_trait(MovesElements):
        source = source.owner.operands[0]
    rescale = source.owner
    if not isinstance(rescale, Operation) or rescale.name != RESCALE or rescale.operands[4] not in program.fixed:
        return False
    mine, theirs = (_elements(each) for each in (rescale.operands[4], value))
    return mine is not None and theirs is not None and np.array_equal(mine, theirs)


def _elements(value: SSAValue) -> Array | None:
    """Return the elements of a small constant, None for a value that is none."""
    held = held_of(value.owner) if isinstance(value.owner, Operation) else None
    return None if held is None else array_of(held)


def _shape(value: SSAValue) -> object:
    return value.type.get_shape() if isinstance(value.type, TensorType) else value.type


def source_difference(programs: Programs, first: SSAValue, second: SSAValue) -> str | None:
    """Return where two values come from if these are not the same."""
    fixed = first in programs.first.fixed, second in programs.second.fixed
    if all(fixed):
        return None
    if any(fixed):
        return " against ".join("a constant" if each else "computed" for each in fixed)
    mine = programs.first.source(first, programs.pairs.forth)
    theirs = programs.second.source(second, programs.pairs.back)
    if isinstance(mine, Operation) and programs.pairs.forth[mine] is theirs:
        return None
    if isinstance(mine, SSAValue) and isinstance(theirs, SSAValue):
        places = programs.first.argument_place(mine), programs.second.argument_place(theirs)
        if places[0] is not None and places[0] == places[1]:
            return None
    return f"{programs.first.origin(mine)} against {programs.second.origin(theirs)}"


def _fixed(programs: Programs, role: str, first: SSAValue, second: SSAValue, *, derived: bool) -> Iterator[Fact]:
    """Yield how two values differ that are computed from constants: the constants, and what is done with them."""
    one, other = first.owner, second.owner
    if one is other or not isinstance(one, Operation) or not isinstance(other, Operation):
        return
    if one.name != other.name or len(one.operands) != len(other.operands):
        yield Fact(role, f"computed by {kind(one)} against {kind(other)}", is_form=True)
    elif held_of(one) is not None:
        yield from constant_facts(role, one, other, programs.purposes, derived=derived, axis=_channel_axis(first))
    else:
        if not _is_same_broadcast(one, other):
            yield from (Fact(f"{role}, {fact.parameter}", fact.text) for fact in attribute_facts(one, other))
        for mine, theirs in zip(one.operands, other.operands, strict=True):
            yield from _fixed(programs, role, mine, theirs, derived=derived)


def _is_same_broadcast(one: Operation, other: Operation) -> bool:
    """Return True for broadcasts to one shape along the same dimensions, those of size 1 not counted."""
    if not isinstance(one, stablehlo.BroadcastInDimOp) or not isinstance(other, stablehlo.BroadcastInDimOp):
        return False
    axes = [
        [axis for axis, size in zip(as_tuple(op.broadcast_dimensions), shape(op.operand), strict=True) if size != 1]
        for op in (one, other)
    ]
    return axes[0] == axes[1] and shape(one.results[0]) == shape(other.results[0])


def _is_derived(op: Operation, place: int) -> bool:
    """Return True for a constant whose type follows from other operands': an initial value, and what is added to sums.

    Sums have the product of the scales of activations and weights.
    """
    if isinstance(op, stablehlo.ReductionOp):
        return True
    others = [quantized(value) for index, value in enumerate(op.operands) if index != place]
    element = quantized(op.operands[place])
    if element is None or is_contraction(op):
        return False
    return any(each is not None and _are_alike(each, element) for each in others)


def _are_alike(one: UniformQuantizedType, other: UniformQuantizedType) -> bool:
    return np.array_equal(one.scales, other.scales) and np.array_equal(one.zero_points, other.zero_points)


def role_of(op: Operation, place: int) -> str:
    """Return what an operand is to its operator."""
    if op.has_trait(Contraction) and place == 1:
        return "weights"
    if isinstance(op, stablehlo.AddOp) and any(_is_sum(value) for value in op.operands):
        return "bias"
    if isinstance(op, IRDLOperation):
        names = [name for name, _ in op.get_irdl_definition().operands]
        if len(names) == len(op.operands):
            return named(names[place])
    return f"constant {place}"


def _is_sum(value: SSAValue) -> bool:
    """Return True for the result of a contraction, which may have been reshaped."""
    owner = value.owner
    while isinstance(owner, Operation) and kind(owner) in ("reshape", "transpose", "broadcast_in_dim", "convert"):
        owner = owner.operands[0].owner
    return isinstance(owner, Operation) and owner.has_trait(Contraction)


def _channel_axis(value: SSAValue) -> int | None:
    """Return the dimension of the output channels of a contraction's weights, None for other constants."""
    uses = list(value.uses)
    if len(uses) != 1 or not isinstance(value.type, TensorType):
        return None
    op, place = uses[0].operation, uses[0].index
    if kind(op) in ("convert", "subtract", "uniform_dequantize") and _shape(op.results[0]) == _shape(value):
        return _channel_axis(op.results[0])
    if place != 1 or not (op.has_trait(Contraction) or op.name in _TOSA_CHANNELS):
        return None
    if isinstance(op, ConvolutionOp):
        return op.dimension_numbers.data.kernel_output_feature
    if isinstance(op, DotGeneralOp):
        return len(value.type.get_shape()) - 1
    return _TOSA_CHANNELS.get(op.name)


def _factors(one: Operation, other: Operation) -> Iterator[Fact]:
    """Yield how the factors of two RESCALEs differ, each a multiplier and a shift to the right."""
    mine, theirs = map(factors_of, (one, other))
    text = None if mine is None or theirs is None else by_channel("factor", mine, theirs)
    if text is not None:
        yield Fact("RESCALE factor", text)


def factors_of(op: Operation) -> NDArray[np.float64] | None:
    """Return the factors of a RESCALE, by channel or one; None for another op, and where they are no constants."""
    if op.name != RESCALE:
        return None
    multiplier, shift = (_elements(value) for value in op.operands[1:3])
    if multiplier is None or shift is None:
        return None
    return np.asarray(np.ldexp(multiplier.astype(np.float64), -shift.astype(np.int64)))
