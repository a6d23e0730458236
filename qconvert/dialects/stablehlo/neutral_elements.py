"""Neutral elements of the ops that reductions combine by: sums start from 0, maxima from the least element."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation

from qconvert import numerics
from qconvert.dialects.stablehlo.binary import AddOp, AndOp, MaximumOp, MinimumOp, MultiplyOp, OrOp
from qconvert.ir import UniformQuantizedType, i1, integer_range, is_float, numpy_dtype


def neutral_element(kind: type[Operation | None], element: Attribute) -> float | None:
    """Return the element that leaves any other as it is if an op of ``kind`` combines the two; None if none is known.

    For a per-tensor quantized type it is a storage integer.
    """
    if kind in (MaximumOp, MinimumOp):
        return _extremes(element)[kind is MinimumOp]
    if isinstance(element, UniformQuantizedType):
        return element.zero_point if kind is AddOp and element.is_per_tensor else None
    known: dict[type[Operation | None], float] = {AddOp: 0, MultiplyOp: 1, AndOp: 1 if element == i1 else -1, OrOp: 0}
    return known.get(kind)


def is_neutral(kind: type[Operation | None], value: float, element: Attribute) -> bool:
    """Return whether ``value``, a storage integer for a quantized type, is neutral under an op of ``kind``.

    The largest finite number of the element's own float type counts as infinity: no finite element goes beyond it.
    """
    if kind in (MaximumOp, MinimumOp) and is_float(element):
        largest = numerics.largest_finite(numpy_dtype(element))
        return value <= -largest if kind is MaximumOp else value >= largest
    return value == neutral_element(kind, element)


def _extremes(element: Attribute) -> tuple[float, float]:
    """Return the least and the largest element of a type."""
    if isinstance(element, UniformQuantizedType):
        return element.storage.minimum, element.storage.maximum
    return integer_range(element) if isinstance(element, IntegerType) else (-np.inf, np.inf)
