"""Limits on the tensors of untrusted models, checked before memory is allocated."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from qconvert.support.errors import ConversionError

FOLD_LIMIT = 4096
"""The largest number of elements of a constant that is computed during import, such as a shape or axes."""

KNOWN_LIMIT = 2**22
"""The largest length of a list that is read during import, such as scales, indices or a shape."""

ELEMENT_LIMIT = 2**31
"""The largest number of elements of a tensor; no supported runtime holds more."""

RANK_LIMIT = 32
"""The largest number of dimensions of a tensor; numpy's limit is twice as many."""


CONSTANT_LIMIT = 2**31 - 1
"""The largest number of bytes of a constant that is written: the size of the largest ONNX file."""


def check_constant(count: int, width: int) -> None:
    """Raise ConversionError for a constant of too many elements, of ``width`` bytes each, before it is made."""
    if count * width > CONSTANT_LIMIT:
        raise ConversionError(
            f"a constant of {count * width:,} bytes, the limit is {CONSTANT_LIMIT:,}",
            hint="Check the shapes in the model",
        )


def check_shape(sizes: Sequence[int]) -> None:
    """Raise ConversionError unless sizes are a valid shape within the limits."""
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
