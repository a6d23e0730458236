"""The words of a difference: numbers, channels and the names of attributes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_MOST_CHANNELS = 3
"""The number of channels that a sentence names."""

NAMES = {
    "batch_group_count": "batch groups",
    "broadcast_dimensions": "axes",
    "dilation": "dilations",
    "dimension": "axis",
    "dimension_numbers": "order of dimensions",
    "dimensions": "axes",
    "feature_group_count": "groups",
    "kernel": "window",
    "input1": "constant operand",
    "input2": "constant operand",
    "lhs": "constant operand",
    "lhs_dilation": "dilations of the input",
    "max_val": "upper bound",
    "min_val": "lower bound",
    "pad": "pads",
    "padding": "pads",
    "perms": "order of dimensions",
    "permutation": "order of dimensions",
    "rhs": "constant operand",
    "rhs_dilation": "dilations",
    "stride": "strides",
    "window_dilations": "dilations",
    "window_dimensions": "window",
    "window_strides": "strides",
    "weight": "weights",
    "input_zp": "zero point of the input",
    "weight_zp": "zero point of the weights",
    "output_zp": "zero point of the result",
}
"""The names of operands and attributes in reports, where they are not the op's own."""


def named(name: str) -> str:
    """Return the name of an operand or an attribute of an op as reports have it."""
    return NAMES.get(name, name.replace("_", " "))


def against(first: float, second: float) -> str:
    """Return two numbers that differ with as few digits as show it."""
    texts = ([f"{number:.{digits}g}" for number in (first, second)] for digits in (4, 7, 10, 17))
    return " against ".join(next((pair for pair in texts if pair[0] != pair[1]), [str(first), str(second)]))


def times(first: float, second: float) -> str:
    """Return the factor from a number to another one, empty if it says nothing."""
    if not first or not second or not np.isfinite([first, second]).all():
        return ""
    factor = second / first
    return f", {factor:.6g} times" if abs(factor - 1) > 1e-6 else ", equal to 6 digits"


def listed(places: Sequence[int]) -> str:
    """Return indices as a text; of many the first ones."""
    if len(places) <= _MOST_CHANNELS:
        return ", ".join(map(str, places))
    return f"{', '.join(map(str, places[:_MOST_CHANNELS]))} and {len(places) - _MOST_CHANNELS:,} more"


def by_channel(name: str, first: NDArray[np.float64], second: NDArray[np.float64]) -> str | None:
    """Return how numbers by channel differ, None if they are equal; one number stands for all channels."""
    if first.size != second.size:
        if {first.size, second.size} >= {1}:
            first, second = np.broadcast_arrays(first, second)
        else:
            return f"{first.size:,} {name}s against {second.size:,}"
    places = [int(place) for place in np.flatnonzero(first != second)]
    if not places:
        return None
    one, other = float(first[places[0]]), float(second[places[0]])
    text = f"{against(one, other)}{times(one, other) if name != 'zero point' else ''}"
    if first.size == 1:
        return text
    if len(places) == 1:
        return f"channel {places[0]}: {text}"
    return f"{len(places):,} of {first.size:,} channels ({listed(places)}), the first: {text}"
