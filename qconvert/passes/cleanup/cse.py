"""Common subexpressions: equal ops on equal operands are computed once."""

from __future__ import annotations

from collections.abc import Hashable

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.traits import ConstantLike, is_side_effect_free

from qconvert.dialects import stablehlo
from qconvert.ir import TENSOR, ElementsAttr, LateArray, merged
from qconvert.rewriting import Pass, PassResult, erase

_HASHED_BYTES = 1 << 12
"""Largest constant of StableHLO whose elements are compared, in bytes.

Larger constants are equal only if they share their array, because hashing weights costs more than it saves. For the
same reason late arrays are equal only if they are the same bytes of a file.
"""


class CommonSubexpressionElimination(Pass):
    """Use the first of several equal ops for all of them.

    ::

        %1 = dequantize %q; %2 = dequantize %q; add %1, %2

        %1 = dequantize %q; add %1, %1

    Equal ops have the same kind, operands, types, properties and attributes, arithmetic included. Ops that make source
    tensors of different names are not merged. The remaining op stands for the source nodes of all merged ops; a
    constant keeps its first node.
    """

    name = "cse"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every block once. Ops with regions are never merged."""
        return PassResult(_visit(module))


def _visit(op: Operation) -> bool:
    visited = [_visit_block(block) for region in op.regions for block in region.blocks]
    return any(visited)


def _visit_block(block: Block) -> bool:
    known: dict[Hashable, list[Operation]] = {}
    merges: dict[Operation, list[Operation]] = {}
    changed = False
    for op in list(block.ops):
        if op.regions:
            changed |= _visit(op)
        elif op.results and is_side_effect_free(op):
            alike = known.setdefault(_key(op), [])
            first = next((other for other in alike if _are_equal(other, op)), None)
            if first is None:
                alike.append(op)
            elif _merge(first, op):
                merges.setdefault(first, []).append(op)
    for first, ops in merges.items():
        if not first.has_trait(ConstantLike):  # one constant may serve many source nodes
            first.location = merged([first, *ops])  # once: many ops may be merged into one
    return changed or bool(merges)


def _key(op: Operation) -> Hashable:
    """Return a key that equal ops share: operands and properties, or for constants the type and the elements."""
    if op.operands:
        return type(op), tuple(op.operands), frozenset(op.properties.items())
    elements = next((value.data for value in op.properties.values() if isinstance(value, ElementsAttr)), None)
    if elements is not None and isinstance(elements.held, LateArray):
        origin = elements.held.origin
        return type(op), tuple(op.result_types), id(elements) if origin is None else origin
    if isinstance(op, stablehlo.ConstantOp) and op.held.nbytes > _HASHED_BYTES:
        return type(op), id(op.value.data)
    return type(op), tuple(op.result_types), frozenset(op.properties.items())


def _are_equal(op: Operation, other: Operation) -> bool:
    """Return whether two ops with the same key are equal, apart from the name of their source's tensor."""
    if list(op.result_types) != list(other.result_types) or op.properties != other.properties:
        return False
    attributes, others = ({k: v for k, v in o.attributes.items() if k != TENSOR} for o in (op, other))
    return attributes == others


def _merge(first: Operation, op: Operation) -> bool:
    """Use ``first`` for ``op`` and erase ``op``; return False if they make source tensors of different names."""
    name, other = first.attributes.get(TENSOR), op.attributes.get(TENSOR)
    if name is not None and other is not None and name != other:
        return False
    if name is None and other is not None:
        first.attributes[TENSOR] = other
    for kept, result in zip(first.results, op.results, strict=True):
        result.replace_all_uses_with(kept)
    erase(op)
    return True
