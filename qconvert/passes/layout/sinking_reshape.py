"""Transposes that pass a reshape, or move into the rows of the weights behind a flattening."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import TENSOR, computed, element_type, quantized, shape
from qconvert.passes.layout.sinking_rules import RULES, Replacement
from qconvert.rewriting import Group, constant_of, is_identity, rebuilt, reshape_groups


class _Moved(NamedTuple):
    """A group of a reshape's dimensions, with the places that its dimensions had before the transpose.

    ``places`` and ``sizes`` list dimensions of more than one element only. ``first`` is the group's first dimension
    before the transpose.
    """

    group: Group
    places: tuple[int, ...]
    sizes: tuple[int, ...]
    first: int

    @property
    def is_together(self) -> bool:
        """Return whether the dimensions were neighbours before the transpose, in any order."""
        low = min(self.places, default=0)
        return sorted(self.places) == list(range(low, low + len(self.places)))

    @property
    def is_in_order(self) -> bool:
        """Return whether the dimensions were neighbours in the same order."""
        return self.is_together and list(self.places) == sorted(self.places)


@RULES.register(stablehlo.ReshapeOp)
def reshape(op: stablehlo.ReshapeOp, transpose: stablehlo.TransposeOp) -> Replacement | str:
    """Reshape first if the joined dimensions were neighbours before the transpose."""
    if _has_axis(op.result):
        return "it has scales along a dimension"
    if not prod(shape(op.result)):
        return "it has no elements"
    moved = _moved_groups(op, transpose)
    order = [i for part in sorted(moved, key=lambda part: part.first) for i in part.group.after]
    if all(part.is_in_order for part in moved):
        sizes = [shape(op.result)[i] for i in order]
        permutation = tuple(order.index(i) for i in range(len(order)))
        return Replacement(permutation, lambda build: build.add(stablehlo.ReshapeOp(transpose.operand, sizes)))
    return _into_weights(op, transpose, moved) if is_identity(order) else "it joins dimensions that were apart"


def _has_axis(value: SSAValue) -> bool:
    element = quantized(value)
    return element is not None and not element.is_per_tensor


def _moved_groups(op: stablehlo.ReshapeOp, transpose: stablehlo.TransposeOp) -> list[_Moved]:
    permutation, sizes = stablehlo.permutation_of(transpose), shape(transpose.result)
    counted = [i for i, size in enumerate(shape(transpose.operand)) if size != 1]
    moved = []
    for group in reshape_groups(sizes, shape(op.result)):
        long = [i for i in group.before if sizes[i] != 1]
        first = min((permutation[i] for i in long or group.before), default=len(permutation))
        places = tuple(counted.index(permutation[i]) for i in long)
        moved.append(_Moved(group, places, tuple(sizes[i] for i in long), first))
    return moved


def _into_weights(op: stablehlo.ReshapeOp, transpose: stablehlo.TransposeOp, moved: list[_Moved]) -> Replacement | str:
    """Reorder the rows of constant weights instead of a flattened dimension that only matrix products use.

    Integer products stay the same. A float product adds the same terms in another order.
    """
    (part, *more) = [part for part in moved if not part.is_in_order]
    joined = [i for i in part.group.after if shape(op.result)[i] != 1]
    if more or not part.is_together or len(joined) != 1:
        return "it joins dimensions that were apart"
    products = _products(op.result, joined[0])
    if not products:
        return "it flattens dimensions in this order, and more than products with constants use them"

    def make(build: OpBuilder) -> SSAValue:
        _forget_names(op)
        for user, axis in products:
            user.operands[1] = _with_rows_moved(build, user.rhs, axis, part)
        return build.add(stablehlo.ReshapeOp(transpose.operand, shape(op.result)))

    return Replacement(tuple(range(len(shape(op.result)))), make)


def _forget_names(op: Operation) -> None:
    """Drop the names of the source's tensors up to the products, because these values have another layout now."""
    op.attributes.pop(TENSOR, None)
    for use in op.results[0].uses:
        if isinstance(use.operation, stablehlo.UnaryOp):
            _forget_names(use.operation)


def _products(value: SSAValue, dimension: int) -> list[tuple[stablehlo.DotGeneralOp, int]]:
    """Return all products that contract ``dimension`` of ``value`` with constant rows; none if anything else uses it.

    Unary elementwise ops may stand between.
    """
    found: list[tuple[stablehlo.DotGeneralOp, int]] = []
    for use in value.uses:
        user = use.operation
        if isinstance(user, stablehlo.DotGeneralOp):
            numbers, is_lhs = user.numbers, use.index == 0
            if not is_lhs or _rows(user.rhs) is None or dimension not in numbers.lhs_contracting_dimensions:
                return []
            pair = numbers.lhs_contracting_dimensions.index(dimension)
            found.append((user, numbers.rhs_contracting_dimensions[pair]))
        elif isinstance(user, stablehlo.UnaryOp) and not _has_axis(user.result):
            behind = _products(user.result, dimension)
            if not behind:
                return []
            found += behind
        else:
            return []
    return found


def _rows(value: SSAValue) -> stablehlo.ConstantOp | None:
    """Return the constant of weights, possibly behind a dequantize."""
    owner = value.owner
    return constant_of(owner.operand if isinstance(owner, stablehlo.UniformDequantizeOp) else value)


def _with_rows_moved(build: OpBuilder, value: SSAValue, axis: int, part: _Moved) -> SSAValue:
    owner = value.owner
    if isinstance(owner, stablehlo.UniformDequantizeOp):
        moved = _with_rows_moved(build, owner.operand, axis, part)
        dequantize = rebuilt(owner, [moved])
        result = build.add(dequantize)
        dequantize.location = owner.location
        return result
    constant = constant_of(value)
    assert constant is not None

    def reordered(array: NDArray[Any]) -> NDArray[Any]:
        split = array.reshape(*array.shape[:axis], *part.sizes, *array.shape[axis + 1 :])
        order = [axis + int(i) for i in np.argsort(part.places)]
        rest = range(axis + len(order), split.ndim)
        return split.transpose(*range(axis), *order, *rest).reshape(array.shape)

    held = computed(constant.held, reordered, constant.held.dtype)
    made = stablehlo.ConstantOp.of(held, element_type(constant.output))
    made.attributes.update(constant.attributes)
    result = build.add(made)
    made.location = constant.location
    return result
