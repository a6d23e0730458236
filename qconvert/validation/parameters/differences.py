"""What differs between paired operators: attributes, constants, the type of the result, and what they read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ConvolutionOp, DotGeneralOp
from qconvert.dialects.traits import Contraction
from qconvert.ir import ElementsAttr, quantized
from qconvert.validation.parameters.constants import Fact, constant_facts, held_of, type_facts
from qconvert.validation.parameters.operators import Operators, kind
from qconvert.validation.parameters.pairing import Pairs
from qconvert.validation.parameters.words import against, by_channel, named

_IGNORED = ("input_names", "output_names", "acc_type", "per_channel", "scale32", "value", "values", "operandSegmentSizes")
"""The attributes that follow from others, or are compared as elements."""

_WIDE = 16
"""The width of storage in bits above which integers are sums, whose scale follows from the factors'."""

_DEFAULT_MODES = ("#tosa.nan_mode<PROPAGATE>",)
"""The modes that TOSA's operators have if none is stated."""

_RESCALE = "tosa.rescale"

_COMMUTATIVE = ("add", "multiply", "mul", "maximum", "minimum", "and", "or", "xor")


class Programs(NamedTuple):
    """Two programs, the operators that they have in common, and counts of what was changed on purpose."""

    first: Operators
    second: Operators
    pairs: Pairs
    purposes: Counter[str]


def facts_of(programs: Programs, one: Operation, other: Operation) -> list[Fact]:
    """Return how two paired operators differ."""
    found = list(_attributes(one, other))
    found += _regions(programs, one, other)
    found += _operands(programs, one, other)
    found += _results(programs, one, other)
    if not found and _types(one.operands) == _types(other.operands) and _shapes(one) != _shapes(other):
        found.append(Fact("shape", f"{_shapes(one)} against {_shapes(other)}"))
    return found


def _types(values: Any) -> list[Attribute]:
    return [value.type for value in values]


def _shapes(op: Operation) -> str:
    shapes = [list(result.type.get_shape()) for result in op.results if isinstance(result.type, TensorType)]
    return ", ".join(map(str, shapes))


def _attributes(one: Operation, other: Operation) -> Iterator[Fact]:
    """Yield the attributes that differ; an absent one equals one that states the default."""
    mine, theirs = ({**op.properties, **op.attributes} for op in (one, other))
    for name in dict.fromkeys((*mine, *theirs)):
        first, second = mine.get(name), theirs.get(name)
        if first == second or name in _IGNORED or name.startswith(("qconvert.", "tosa.")):
            continue
        texts = [_readable(each) for each in (first, second)]
        given = second if first is None else first
        if texts[0] != texts[1] and not (None in texts and _is_default(given)):
            yield Fact(named(name), _against(*texts))


def _against(first: Any, second: Any) -> str:
    if isinstance(first, float) and isinstance(second, float):
        return against(first, second)
    return " against ".join("none" if each is None else str(each) for each in (first, second))


def _readable(attribute: Attribute | None) -> Any:
    """Return an attribute as numbers where it has them, else as text."""
    if attribute is None:
        return None
    if isinstance(attribute, DenseArrayBase):
        return list(attribute.get_values())
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        return np.asarray(attribute.get_values()).reshape(attribute.get_type().get_shape()).tolist()
    if isinstance(attribute, ElementsAttr):
        return attribute.array.tolist()
    if isinstance(attribute, IntegerAttr | FloatAttr):
        return attribute.value.data
    return str(attribute)


def _is_default(attribute: Attribute | None) -> bool:
    """Return True for what need not be stated: strides and dilations of 1, pads of 0, flags that are off."""
    found = _readable(attribute)
    if found is None or isinstance(found, str):
        return found in _DEFAULT_MODES
    numbers = np.asarray(found).reshape(-1).tolist()
    return all(number == 0 for number in numbers) or (isinstance(found, list) and all(number == 1 for number in numbers))


def _regions(programs: Programs, one: Operation, other: Operation) -> Iterator[Fact]:
    """Yield how the bodies of two operators differ; types inside follow from those outside."""
    mine, theirs = ([inner for inner in op.walk() if inner is not op] for op in (one, other))
    if [inner.name for inner in mine] != [inner.name for inner in theirs]:
        yield Fact("body", f"{_listed(mine)} against {_listed(theirs)}", is_form=True)
        return
    for first, second in zip(mine, theirs, strict=True):
        yield from _attributes(first, second)
        if held_of(first) is not None:
            yield from constant_facts("", first, second, programs.purposes, derived=True)


def _listed(ops: list[Operation]) -> str:
    return ", ".join(dict.fromkeys(kind(op) for op in ops if not op.name.endswith(".return"))) or "nothing"


def _operands(programs: Programs, one: Operation, other: Operation) -> Iterator[Fact]:
    """Yield how constants differ, and the values that come from another operator."""
    if len(one.operands) != len(other.operands):
        yield Fact("inputs", f"{len(one.operands)} against {len(other.operands)}", is_form=True)
        return
    places = list(range(len(one.operands)))
    swapped = places[::-1] if kind(one) in _COMMUTATIVE and len(places) == 2 else places
    if swapped != places and not _agree(programs, one, other, places) and _agree(programs, one, other, swapped):
        places = swapped
    if one.name == other.name == _RESCALE:
        yield from _factors(one, other)
    for place, theirs in enumerate(places):
        if one.name == _RESCALE and place in (1, 2):
            continue
        yield from _operand(programs, one, other, (place, theirs))


def _agree(programs: Programs, one: Operation, other: Operation, places: list[int]) -> bool:
    """Return True if the operands come from the same operators, and the same ones are constants."""
    return all(_source_fact(programs, one.operands[i], other.operands[j]) is None for i, j in enumerate(places))


def _operand(programs: Programs, one: Operation, other: Operation, places: tuple[int, int]) -> Iterator[Fact]:
    first, second = one.operands[places[0]], other.operands[places[1]]
    differs = _source_fact(programs, first, second)
    if differs is not None:
        yield Fact("inputs", f"input {places[0]} is {differs}", is_form=True)
    elif first in programs.first.fixed and not _follows_shape(one, other, first, second):
        derived = _is_derived(one, places[0]) and _is_derived(other, places[1])
        yield from _fixed(programs, _role(one, places[0]), first, second, derived=derived)


def _follows_shape(one: Operation, other: Operation, first: SSAValue, second: SSAValue) -> bool:
    """Return True for sizes of operators whose input has other sizes: these are named where they come from."""
    is_size = not isinstance(first.type, TensorType) or not isinstance(second.type, TensorType)
    return is_size and _shape(one.operands[0]) != _shape(other.operands[0])


def _shape(value: SSAValue) -> object:
    return value.type.get_shape() if isinstance(value.type, TensorType) else value.type


def _source_fact(programs: Programs, first: SSAValue, second: SSAValue) -> str | None:
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
    if mine in programs.first.arguments and theirs in programs.second.arguments:
        positions = [list(each.arguments).index(value) for each, value in ((programs.first, mine), (programs.second, theirs))]
        if positions[0] == positions[1]:
            return None
    return " against ".join(_origin(*each) for each in ((programs.first, mine), (programs.second, theirs)))


def _origin(program: Operators, source: Operation | SSAValue) -> str:
    if isinstance(source, Operation):
        return f"the result of {program.layer(source)}"
    return f"the input {program.arguments.get(source, '')}"


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
        yield from (Fact(f"{role}, {fact.parameter}", fact.text) for fact in _attributes(one, other))
        for mine, theirs in zip(one.operands, other.operands, strict=True):
            yield from _fixed(programs, role, mine, theirs, derived=derived)


def _is_derived(op: Operation, place: int) -> bool:
    """Return True for a constant that is added to sums of its own scale: the scale follows from the factors'."""
    others = [quantized(value) for index, value in enumerate(op.operands) if index != place]
    element = quantized(op.operands[place])
    if element is None or element.storage.width <= _WIDE:
        return False
    return any(each is not None and np.array_equal(each.scales, element.scales) for each in others)


def _role(op: Operation, place: int) -> str:
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


def _channel_axis(value: SSAValue) -> int:
    """Return the dimension of the output channels of weights, 0 for other constants."""
    for use in value.uses:
        op = use.operation
        if isinstance(op, ConvolutionOp) and use.index == 1:
            return op.dimension_numbers.data.kernel_output_feature
        if isinstance(op, DotGeneralOp) and use.index == 1 and isinstance(value.type, TensorType):
            return len(value.type.get_shape()) - 1
        if op.name == "tosa.depthwise_conv2d" and use.index == 1:
            return 2
    return 0


def _factors(one: Operation, other: Operation) -> Iterator[Fact]:
    """Yield how the factors of two RESCALEs differ, each a multiplier and a shift to the right."""
    factors = []
    for op in (one, other):
        helds = [held_of(value.owner) if isinstance(value.owner, Operation) else None for value in op.operands[1:3]]
        if helds[0] is None or helds[1] is None:
            return
        multiplier, shift = (np.asarray(held.array() if hasattr(held, "array") else held) for held in helds)
        factors.append(np.ldexp(multiplier.astype(np.float64), -shift.astype(np.int64)))
    text = by_channel("factor", factors[0], factors[1])
    if text is not None:
        yield Fact("RESCALE factor", text)


def _results(programs: Programs, one: Operation, other: Operation) -> Iterator[Fact]:
    """Yield how the quantized types of results differ that are not those of an operand."""
    for mine, theirs in zip(one.results, other.results, strict=False):
        elements = quantized(mine), quantized(theirs)
        if any(element is not None and element.storage.width > _WIDE for element in elements):
            if isinstance(one, stablehlo.BitcastConvertOp):
                yield from _quotients(one, other)
            continue
        if _is_inherited(one, mine) and _is_inherited(other, theirs):
            continue
        yield from type_facts("", *elements, programs.purposes)


def _is_inherited(op: Operation, result: SSAValue) -> bool:
    return quantized(result) in [quantized(operand) for operand in op.operands[:1]]


def _quotients(one: Operation, other: Operation) -> Iterator[Fact]:
    """Yield how the numbers differ by which the scales of sums are divided, as those of averages are."""
    ratios = []
    for op in (one, other):
        elements = quantized(op.operands[0]), quantized(op.results[0])
        if elements[0] is None or elements[1] is None:
            return
        ratios.append((elements[1].scales / elements[0].scales).astype(np.float32).astype(np.float64))
    text = by_channel("factor", ratios[0], ratios[1])
    if text is not None:
        yield Fact("factor", text)
