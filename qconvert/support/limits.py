"""How large a model's tensors may be: what strangers' files are held to before anything is allocated for them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from qconvert.support.errors import ConversionError

FOLD_LIMIT = 4096
"""Constants of at most so many elements are computed during import; shapes and axes are such."""

KNOWN_LIMIT = 2**22
"""A list that is read during import, such as scales, indices or a shape, may not be longer."""

ELEMENT_LIMIT = 2**31
"""A tensor with more elements than this is refused: no runtime of this field holds one."""

RANK_LIMIT = 32
"""A tensor with more dimensions than this is refused: numpy holds no more than twice as many."""


def check_shape(sizes: Sequence[int]) -> None:
    """Raise ConversionError unless sizes are the shape of a tensor that something can hold."""
    if len(sizes) > RANK_LIMIT:
        found = f"a tensor of {len(sizes)} dimensions, the limit is {RANK_LIMIT}"
        raise ConversionError(found, hint="Check the shapes in the model")
    if any(size < 0 for size in sizes):
        raise ConversionError(f"shape {list(sizes)} has a negative dimension", hint="Check the shapes in the model")
    if max(sizes, default=0) > ELEMENT_LIMIT or prod(sizes) > ELEMENT_LIMIT:
        raise ConversionError(
            f"a tensor of shape {list(sizes)} has more than 2^31 elements",
            hint="Check the shapes in the model; no tool can hold this one",
        )
