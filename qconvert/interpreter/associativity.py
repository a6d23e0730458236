"""A test of the bodies of reductions: whether the order of evaluation can change the result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.interpreter.implementation import Array
from qconvert.interpreter.reduction import accumulators, combine, plain_function
from qconvert.ir import UniformQuantizedType, element_type, is_float, numpy_dtype
from qconvert.support.errors import ConversionError

_TRIPLES = 256
_SPREAD = 1 << 12
"""The range of integers of more than 16 bits that are drawn: their sums must not overflow."""
_NEAR = 1e-3
"""The relative difference that float rounding explains."""


def depends_on_order(op: stablehlo.ReductionOp) -> bool:
    """Return True if three elements are found for which ``body(body(a, b), c)`` is not ``body(a, body(b, c))``.

    A sum of floats counts as associative, although it rounds. A body of elements and accumulators has one order only.
    A body that uses values from outside of it is not evaluated.
    """
    if op.is_left_to_right or plain_function(op) is not None or _uses_others(op.stages):
        return False
    draw = np.random.default_rng(0)
    try:
        a, b, c = (_elements(op, draw) for _ in range(3))
        with np.errstate(all="ignore"):
            left, right = combine(op, combine(op, a, b), c), combine(op, a, combine(op, b, c))
    except ConversionError:  # the evaluation itself refuses this body, and says why
        return False
    return not all(_equal(*pair) for pair in zip(left, right, strict=True))


def _uses_others(regions: Sequence[Region]) -> bool:
    """Return True if regions use values that they do not define."""
    blocks = [region.block for region in regions if region.blocks]
    defined = {value for block in blocks for op in block.ops for value in op.results}
    defined |= {argument for block in blocks for argument in block.args}
    return any(value not in defined for block in blocks for op in block.ops for value in op.operands)


def _elements(op: stablehlo.ReductionOp, draw: np.random.Generator) -> tuple[Array, ...]:
    """Return random elements of each operand in the body's types."""
    arrays = [_drawn(value, draw) for value in op.elements]
    return accumulators(op, [*arrays, *arrays])[0]


def _drawn(value: SSAValue, draw: np.random.Generator) -> Array:
    element = element_type(value)
    if is_float(element):
        return draw.normal(size=_TRIPLES).astype(numpy_dtype(element))
    low, high = _range(element)
    return draw.integers(low, high, _TRIPLES, endpoint=True).astype(numpy_dtype(element))


def _range(element: Attribute) -> tuple[int, int]:
    if isinstance(element, UniformQuantizedType):
        storage = element.storage
        return max(storage.minimum, -_SPREAD), min(storage.maximum, _SPREAD)
    if isinstance(element, IntegerType) and element.width.data == 1:
        return 0, 1
    limits = np.iinfo(numpy_dtype(element).name)
    return max(int(limits.min), -_SPREAD), min(int(limits.max), _SPREAD)


def _equal(left: Array, right: Array) -> bool:
    if left.dtype.kind in "iub":
        return bool(np.array_equal(left, right))
    return bool(np.allclose(left.astype(np.float64), right.astype(np.float64), _NEAR, _NEAR, equal_nan=True))
