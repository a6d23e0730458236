"""Long chains of floats in integers, beside their floats on some inputs.

The proved bound of a recurrent layer is multiplied at each step, by the largest sum of weights: after 50 steps it tells
nothing, nor would that of float32. What the errors of a model become is measured instead: integers and floats are
evaluated on the least and the largest operands, on both in turn, and on random ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tosa.fixed_point.values import Fixed, Values, one_scale
from qconvert.dialects.constants import constant_array
from qconvert.interpreter.core import evaluate_op
from qconvert.interpreter.implementation import Array
from qconvert.ir import UniformQuantizedType, numpy_dtype, quantized, shape

INPUTS = 8


def largest_difference(value: SSAValue, made: Fixed, element: UniformQuantizedType, of: Values) -> float | None:
    """Return the largest difference of a value's integers from its floats, in LSB of what it is quantized to.

    Numbers beyond the result's range count as its end. None if an operand is no quantized value of up to 16 bits.
    """
    ops, leaves = _behind(value, lambda each: quantized(each) is not None and constant_array(each) is None)
    elements = [one_scale(leaf) for leaf in leaves]
    known = [each for each in elements if each is not None and each.storage.width <= 16]
    if not known or len(known) < len(leaves):
        return None
    held = [of.lower[leaf] for leaf in leaves]
    lowered, _ = _behind(made.value, set(held).__contains__)
    ends = [end - element.zero_point for end in (element.storage.minimum - 1, element.storage.maximum + 1)]
    largest = 0.0
    for arrays in _inputs(leaves, known):
        exact = _evaluated(ops, dict(zip(leaves, arrays, strict=True)), value).astype(np.float64)
        found = _evaluated(lowered, dict(zip(held, arrays, strict=True)), made.value) * made.scale
        steps = [np.clip(reals / element.scale, ends[0], ends[1]) for reals in (found, exact)]
        largest = max(largest, float(np.abs(steps[0] - steps[1]).max(initial=0.0)))
    return largest


def _behind(value: SSAValue, is_leaf: Callable[[SSAValue], bool]) -> tuple[list[Operation], list[SSAValue]]:
    """Return the ops that make a value of leaves, in order, and the leaves."""
    found, leaves = dict[Operation, None](), dict[SSAValue, None]()
    stack = [(value, False)]
    while stack:
        current, is_done = stack.pop()
        owner = current.owner
        if is_leaf(current):
            leaves[current] = None
        elif isinstance(owner, Operation) and is_done:
            found[owner] = None
        elif isinstance(owner, Operation) and owner not in found:
            stack.append((current, True))
            stack.extend((operand, False) for operand in owner.operands)
    return list(found), list(leaves)


def _evaluated(ops: Sequence[Operation], given: Mapping[SSAValue, Array], value: SSAValue) -> Array:
    found = dict(given)
    for op in ops:
        found.update(zip(op.results, evaluate_op(op, [found[operand] for operand in op.operands]), strict=True))
    return found[value]


def _inputs(leaves: Sequence[SSAValue], elements: Sequence[UniformQuantizedType]) -> Iterator[list[Array]]:
    """Yield integers for each leaf: the ends of its storage, both in turn, both at random, then any at random."""
    rng = np.random.default_rng(0)
    for i in range(INPUTS):
        arrays = []
        for leaf, element in zip(leaves, elements, strict=True):
            ends, sizes = (element.storage.minimum, element.storage.maximum), shape(leaf)
            chosen = [np.full(sizes, ends[0]), np.full(sizes, ends[1]), np.indices(sizes).sum(axis=0) % 2]
            if i < 2:
                made = chosen[i]
            elif i < 4:
                picked = chosen[i] if i == 2 else rng.integers(0, 2, sizes)
                made = np.where(picked, *ends[::-1])
            else:
                made = rng.integers(ends[0], ends[1] + 1, sizes)
            arrays.append(made.astype(numpy_dtype(element)))
        yield arrays
