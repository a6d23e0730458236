"""How a transpose passes a reshape, or goes into the rows of the weights behind a flattening."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.build import OpBuilder
from qconvert.dialects.stablehlo.movement import TransposeOp, permutation_of
from qconvert.dialects.types import element_type, quantized, shape
from qconvert.passes.permutations import Group, is_identity, reshape_groups
from qconvert.passes.remake import constant_of
from qconvert.passes.sinking_rules import RULES, Sunk


@dataclass(frozen=True)
class _Moved:
    """A group of a reshape's dimensions: where those of more than one element stood before the transpose.

    ``places`` counts dimensions of more than one element only; ``first`` is the first dimension of the group there.
    """

    group: Group
    places: tuple[int, ...]
    sizes: tuple[int, ...]
    first: int

    @property
    def is_together(self) -> bool:
        """Whether the same elements were neighbours before the transpose, in whichever order."""
        low = min(self.places, default=0)
        return sorted(self.places) == list(range(low, low + len(self.places)))

    @property
    def is_in_order(self) -> bool:
        """Whether they were neighbours in the same order."""
        return self.is_together and list(self.places) == sorted(self.places)


@RULES.register(stablehlo.ReshapeOp)
def reshape(op: stablehlo.ReshapeOp, transpose: TransposeOp) -> Sunk | str:
    """Where dimensions that are joined were neighbours before the transpose, join them first."""
    element = quantized(op.result)
    if element is not None and not element.is_per_tensor:
        return "it has scales along a dimension"
    if not prod(shape(op.result)):
        return "it has no elements"
    moved = _moved_groups(op, transpose)
    order = [i for part in sorted(moved, key=lambda part: part.first) for i in part.group.after]
    if all(part.is_in_order for part in moved):
        sizes = [shape(op.result)[i] for i in order]
        permutation = tuple(order.index(i) for i in range(len(order)))
        return Sunk(permutation, lambda build: build.add(stablehlo.ReshapeOp(transpose.operand, sizes)))
    return _into_weights(op, transpose, moved) if is_identity(order) else "it joins dimensions that were apart"


def _moved_groups(op: stablehlo.ReshapeOp, transpose: TransposeOp) -> list[_Moved]:
    permutation, sizes = permutation_of(transpose), shape(transpose.result)
    counted = [i for i, size in enumerate(shape(transpose.operand)) if size != 1]
    moved = []
    for group in reshape_groups(sizes, shape(op.result)):
        long = [i for i in group.before if sizes[i] != 1]
        first = min((permutation[i] for i in long or group.before), default=len(permutation))
        places = tuple(counted.index(permutation[i]) for i in long)
        moved.append(_Moved(group, places, tuple(sizes[i] for i in long), first))
    return moved


def _into_weights(op: stablehlo.ReshapeOp, transpose: TransposeOp, moved: list[_Moved]) -> Sunk | str:
    """A flattened dimension in another order, if all that use it are products with constants: their rows follow."""
    (part, *more) = [part for part in moved if not part.is_in_order]
    joined = [i for i in part.group.after if shape(op.result)[i] != 1]
    if more or not part.is_together or len(joined) != 1:
        return "it joins dimensions that were apart"
    rows = {use.operation: _contracted_rows(use.operation, op, joined[0]) for use in op.result.uses}
    if not rows or None in rows.values():
        return "it flattens dimensions in this order, and more than products with constants use them"

    def make(build: OpBuilder) -> SSAValue:
        for user, axis in rows.items():
            assert isinstance(user, stablehlo.DotGeneralOp)
            assert axis is not None
            user.operands[1] = _with_rows_moved(build, user, axis, part)
        return build.add(stablehlo.ReshapeOp(transpose.operand, shape(op.result)))

    return Sunk(tuple(range(len(shape(op.result)))), make)


def _contracted_rows(user: Operation, op: stablehlo.ReshapeOp, dimension: int) -> int | None:
    """The dimension of a constant rhs that is contracted with ``dimension`` of a flattened lhs."""
    if not isinstance(user, stablehlo.DotGeneralOp) or user.lhs is not op.result or user.rhs is op.result:
        return None
    numbers = user.numbers
    if constant_of(user.rhs) is None or dimension not in numbers.lhs_contracting_dimensions:
        return None
    return numbers.rhs_contracting_dimensions[numbers.lhs_contracting_dimensions.index(dimension)]


def _with_rows_moved(build: OpBuilder, user: stablehlo.DotGeneralOp, axis: int, part: _Moved) -> SSAValue:
    constant = constant_of(user.rhs)
    assert constant is not None
    array = constant.array
    split = array.reshape(*array.shape[:axis], *part.sizes, *array.shape[axis + 1 :])
    order = [axis + int(i) for i in np.argsort(part.places)]
    rest = range(axis + len(order), split.ndim)
    moved = split.transpose(*range(axis), *order, *rest).reshape(array.shape)
    made = stablehlo.ConstantOp.of(moved, element_type(constant.output))
    made.attributes.update(constant.attributes)
    value = build.add(made)
    made.location = constant.location
    return value
