"""The signature of a rule, and the rules that need no rescale: the same op on the storage integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.ir import Operation, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.ir import UniformQuantizedType, element_type, quantized, storage_element
from qconvert.rewriting import as_element, as_integers, computed
from qconvert.support.errors import ConversionError
from qconvert.support.registry import Registry

Rewrite: TypeAlias = Callable[[OpBuilder], SSAValue]
"""Builds the quantized (or boolean) value that replaces an op. Matching itself changes nothing."""

LOWERINGS: Registry[type[Operation], Callable[[Any], Rewrite | None]] = Registry("tosa.rescale", __name__, ("op",))
lowers = LOWERINGS.register
"""Registers a rule: it returns a rewrite, or None if the op may stay, or raises ConversionError with a reason."""


def quantized_types(values: Sequence[SSAValue]) -> list[UniformQuantizedType]:
    """Return the quantized types of values; raise ConversionError if one is not quantized."""
    found = []
    for value in values:
        element = quantized(value)
        if element is None:
            raise ConversionError(f"an operand or result is not quantized: {element_type(value)}")
        found.append(element)
    return found


def per_tensor_types(values: Sequence[SSAValue]) -> list[UniformQuantizedType]:
    """Return the quantized types of values; raise ConversionError if one is not quantized or has several scales."""
    found = quantized_types(values)
    if not all(element.is_per_tensor for element in found):
        raise ConversionError("an operand or result is quantized per axis, which elementwise ops cannot be")
    return found


def one_type(op: Operation) -> bool:
    """Return whether all quantized operands and results of an op have the same element type."""
    found = {element for value in (*op.operands, *op.results) if (element := quantized(value)) is not None}
    return len(found) == 1


def on_integers(op: Operation) -> Rewrite:
    """Return the rewrite to the same op on storage integers, for ops that mean the same on them."""

    def rewrite(build: OpBuilder) -> SSAValue:
        element = element_type(op.results[0])
        operands = [as_integers(build, operand) for operand in op.operands]
        return as_element(build, computed(build, op, operands, storage_element(element)), element)

    return rewrite
