"""The signature of a rule, and helpers that rules share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.ir import Attribute, Operation, Region, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.ir import Arithmetic, Tensor, storage_element, tensor, with_element
from qconvert.rewriting import rebuilt
from qconvert.support.registry import Registry


@dataclass(frozen=True, slots=True)
class RuleContext:
    """The operands of an op without quantized types, and the builder in front of the op.

    ``follows`` is the arithmetic that the op follows; ``convert_region`` rewrites a region in place.
    """

    operands: tuple[SSAValue, ...]
    build: OpBuilder
    follows: Arithmetic | None
    convert_region: Callable[[Region], None]


Rule: TypeAlias = Callable[[Any, RuleContext], "SSAValue | tuple[SSAValue, ...]"]
"""Builds the results of an op, without quantized types. The op itself still has its quantized types."""

RULES: Registry[type[Operation], Rule] = Registry("plain arithmetic", __name__, ("op", "context"))
lowers = RULES.register


def plain(type: Tensor) -> Tensor:
    """Return a tensor type with storage integers in place of a quantized element type."""
    return with_element(type, storage_element(type.element_type))


def on_storage(op: Operation, context: RuleContext) -> tuple[SSAValue, ...]:
    """Return the results of the same op on storage integers, with its regions rewritten."""
    types: list[Attribute] = [plain(tensor(result)) for result in op.results]
    made = rebuilt(op, context.operands, types)
    for region in made.regions:
        context.convert_region(region)
    context.build.add(made)
    return tuple(made.results)
