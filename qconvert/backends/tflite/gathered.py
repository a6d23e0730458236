"""Gathers of whole slices along one dimension, and those that enlarge an image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.ir import element_type, node_names, shape

_CENTERS = ((False, False), (True, False), (False, True))
"""The options AlignCorners and HalfPixelCenters of RESIZE_NEAREST_NEIGHBOR."""


def slices_axis(op: stablehlo.GatherOp) -> int | None:
    """Return the dimension along which a gather takes whole slices, None for other gathers."""
    numbers, sizes, source = op.dimension_numbers.data, stablehlo.as_tuple(op.slice_sizes), shape(op.operand)
    axis, rank = next(iter(numbers.start_index_map), 0), len(shape(op.start_indices))
    others = tuple(i for i in range(len(sizes)) if i != axis)
    index_rank = rank - int(numbers.index_vector_dim < rank)
    expected = tuple(i if i < axis else i + index_rank - 1 for i in others)
    is_plain = (
        numbers.start_index_map == (axis,)
        and numbers.collapsed_slice_dims == (axis,)
        and not numbers.operand_batching_dims
        and all(sizes[i] == source[i] for i in others)
        and tuple(numbers.offset_dims) == expected
    )
    return axis if is_plain else None


def nearest_options(ops: Sequence[stablehlo.GatherOp]) -> Mapping[str, bool] | None:
    """Return the options of the RESIZE_NEAREST_NEIGHBOR that does what successive gathers do, None if there is none.

    It resizes images along height and width; gathers that stand for different nodes must enlarge them.
    """
    sizes, types = shape(ops[0].operand), {element_type(value) for op in ops for value in (op.operand, op.result)}
    picks = {slices_axis(op): constant_array(op.start_indices) for op in ops}
    found = [
        (sizes[axis], picked.reshape(-1)) for axis, picked in picks.items() if axis in (1, 2) and picked is not None
    ]
    if len(sizes) != 4 or len(types) > 1 or len(found) < len(ops):
        return None
    is_one_node = len({node_names(op.location) for op in ops}) < len(ops)
    if not is_one_node and any(picked.size < size for size, picked in found):
        return None
    for aligned, centered in _CENTERS:
        nearest = partial(composite.nearest_positions, align_corners=aligned, half_pixel_centers=centered)
        if all(np.array_equal(picked, nearest(size, picked.size)) for size, picked in found):
            return {"AlignCorners": aligned, "HalfPixelCenters": centered}
    return None
