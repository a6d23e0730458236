"""The differences of paired operators: attributes, constants, the type of the result, and what they read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from qconvert.dialects.traits import Contraction
from qconvert.ir import UniformQuantizedType, quantized
from qconvert.validation.parameters.attributes import attribute_facts, body_facts
from qconvert.validation.parameters.constants import Fact, type_facts
from qconvert.validation.parameters.operands import Programs, operand_facts, source_difference
from qconvert.validation.parameters.operators import WIDE
from qconvert.validation.parameters.words import by_channel


def facts_of(programs: Programs, one: Operation, other: Operation) -> list[Fact]:
    """Return how two paired operators differ."""
    found = list(attribute_facts(one, other))
    found += body_facts(one, other, programs.purposes)
    found += operand_facts(programs, one, other)
    found += _results(programs, one, other)
    return found or list(_type_facts(one.operands, other.operands, one.results, other.results))


def port_facts(programs: Programs) -> Iterator[tuple[str, Fact]]:
    """Yield the inputs and outputs that differ, by name: their number, types, and the operators that make outputs."""
    first, second = programs.first, programs.second
    for name, mine, theirs in (
        ("inputs", list(first.arguments), list(second.arguments)),
        ("outputs", first.outputs, second.outputs),
    ):
        if len(mine) != len(theirs):
            yield name, Fact("number", f"{len(mine)} against {len(theirs)}")
    for (value, name), other in zip(first.arguments.items(), second.arguments, strict=False):
        yield from ((name, fact) for fact in type_facts("", quantized(value), quantized(other), programs.purposes))
        yield from ((name, fact) for fact in _type_facts((), (), (value,), (other,)))
    for name, value, other in zip(first.output_names, first.outputs, second.outputs, strict=False):
        differs = source_difference(programs, value, other)
        if differs is not None:
            yield name, Fact("output", f"is {differs}", is_form=True)


def _type_facts(
    inputs: Sequence[SSAValue], others: Sequence[SSAValue], results: Sequence[SSAValue], second: Sequence[SSAValue]
) -> Iterator[Fact]:
    """Yield how shapes and plain element types of results differ that do not follow from those of the inputs."""
    for parameter, part in (("shape", _shape), ("element type", _plain_element)):
        mine, theirs = ([part(value) for value in values] for values in (results, second))
        if mine != theirs and [part(value) for value in inputs] == [part(value) for value in others]:
            yield Fact(parameter, f"{_listed(mine)} against {_listed(theirs)}")


def _listed(parts: Sequence[object]) -> str:
    return ", ".join(map(str, parts))


def _shape(value: SSAValue) -> object:
    return list(value.type.get_shape()) if isinstance(value.type, TensorType) else str(value.type)


def _plain_element(value: SSAValue) -> str:
    """Return the element type of a value, of a quantized one none: its type is compared by scale and storage."""
    is_plain = isinstance(value.type, TensorType) and quantized(value) is None
    return str(value.type.element_type) if is_plain and isinstance(value.type, TensorType) else "quantized"


def _results(programs: Programs, one: Operation, other: Operation) -> Iterator[Fact]:
    """Yield how the quantized types of results differ that do not follow from those of the operands."""
    for mine, theirs in zip(one.results, other.results, strict=False):
        elements = quantized(mine), quantized(theirs)
        factors = [_factor(op, element) for op, element in zip((one, other), elements, strict=True)]
        if factors[0] is not None and factors[1] is not None:
            text = by_channel("factor", factors[0], factors[1])
            if text is not None:
                yield Fact("factor of the sum's scale", text)
        elif not (_is_inherited(one, mine) and _is_inherited(other, theirs)):
            yield from type_facts("", *elements, programs.purposes)


def _is_inherited(op: Operation, result: SSAValue) -> bool:
    return quantized(result) in [quantized(operand) for operand in op.operands[:1]]


def _factor(op: Operation, element: UniformQuantizedType | None) -> NDArray[np.float64] | None:
    """Return the scales of sums divided by those that follow from the operands; None for other results.

    The scales of products are products of scales. An average divides the scales of its sums by their number.
    """
    operands = [
        each for each in map(quantized, op.operands[: 2 if op.has_trait(Contraction) else 1]) if each is not None
    ]
    if element is None or element.storage.width < WIDE or not operands:
        return None
    expected = np.ones(1)
    for each in operands:
        if each.scales.size not in (1, element.scales.size) and element.scales.size != 1:
            return None
        expected = expected * each.scales
    if expected.size not in (1, element.scales.size):
        return None
    return (element.scales / expected).astype(np.float32).astype(np.float64)
