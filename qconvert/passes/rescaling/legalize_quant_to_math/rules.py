"""What a rule is, and what rules share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.ir import Attribute, Operation, Region, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.ir.arithmetic import Arithmetic
from qconvert.ir.types import Tensor, storage_element, tensor, with_element
from qconvert.rewriting.rebuild import remade
from qconvert.support.registry import Registry


@dataclass(frozen=True, slots=True)
class Site:
    """Where an op is rewritten: its operands without quantized types, and the builder in front of it.

    ``follows`` is the arithmetic that the op follows; ``convert_region`` rewrites a region in place.
    """

    operands: tuple[SSAValue, ...]
    build: OpBuilder
    follows: Arithmetic | None
    convert_region: Callable[[Region], None]


Rule: TypeAlias = Callable[[Any, Site], "SSAValue | tuple[SSAValue, ...]"]
"""Builds the results of an op, without quantized types; the op itself is still there, with its types."""

RULES: Registry[type[Operation], Rule] = Registry("plain arithmetic", __name__, ("op", "site"))
lowers = RULES.register


def plain(type: Tensor) -> Tensor:
    """A tensor type with storage integers in place of a quantized element."""
    return with_element(type, storage_element(type.element_type))


def on_storage(op: Operation, site: Site) -> tuple[SSAValue, ...]:
    """The same op on storage integers, its regions rewritten."""
    types: list[Attribute] = [plain(tensor(result)) for result in op.results]
    made = remade(op, site.operands, types)
    for region in made.regions:
        site.convert_region(region)
    site.build.add(made)
    return tuple(made.results)
