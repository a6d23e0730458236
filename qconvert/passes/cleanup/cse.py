"""Equal ops on equal operands, computed once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.traits import ConstantLike, is_side_effect_free

from qconvert.dialects import stablehlo
from qconvert.ir.attributes import TENSOR
from qconvert.ir.locations import merged
from qconvert.rewriting.base import Pass, PassResult
from qconvert.rewriting.edits import erase

_HASHED_BYTES = 1 << 12
"""Larger constants are the same only if they share their array: hashing weights would cost more than it finds."""


@dataclass(frozen=True)
class CommonSubexpressionElimination(Pass):
    """Use the first of several equal ops for all of them.

    ::

        %1 = dequantize %q; %2 = dequantize %q; add %1, %2

        %1 = dequantize %q; add %1, %1

    Equal means: same kind, operands, types, properties and attributes, whose arithmetic included. Ops that make
    quantized tensors of two names in the source stay two. The op that is left stands for the source nodes of
    all; a constant keeps its first one.
    """

    name = "cse"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every block once; ops with regions are never merged."""
        return PassResult(_visit(module))


def _visit(op: Operation) -> bool:
    visited = [_visit_block(block) for region in op.regions for block in region.blocks]
    return any(visited)


def _visit_block(block: Block) -> bool:
    known: dict[Hashable, list[Operation]] = {}
    changed = False
    for op in list(block.ops):
        if op.regions:
            changed |= _visit(op)
        elif op.results and is_side_effect_free(op):
            alike = known.setdefault(_key(op), [])
            first = next((other for other in alike if _are_equal(other, op)), None)
            if first is None:
                alike.append(op)
            else:
                changed |= _merge(first, op)
    return changed


def _key(op: Operation) -> Hashable:
    """What equal ops share: operands, which few others have; of constants, which have none, all there is."""
    if op.operands:
        return type(op), op.operands
    if isinstance(op, stablehlo.ConstantOp) and op.array.nbytes > _HASHED_BYTES:
        return type(op), id(op.value.data)
    return type(op), tuple(op.result_types), frozenset(op.properties.items())


def _are_equal(op: Operation, other: Operation) -> bool:
    """Whether two ops of one key are the same but for the tensor that they name."""
    if list(op.result_types) != list(other.result_types) or op.properties != other.properties:
        return False
    attributes, others = ({k: v for k, v in o.attributes.items() if k != TENSOR} for o in (op, other))
    return attributes == others


def _merge(first: Operation, op: Operation) -> bool:
    name, other = first.attributes.get(TENSOR), op.attributes.get(TENSOR)
    if name is not None and other is not None and name != other:
        return False
    if name is None and other is not None:
        first.attributes[TENSOR] = other
    if not op.has_trait(ConstantLike):  # one constant may serve half of the source's nodes
        first.location = merged([first, op])
    for kept, result in zip(first.results, op.results, strict=True):
        result.replace_all_uses_with(kept)
    erase(op)
    return True
