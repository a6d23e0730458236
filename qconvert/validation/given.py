"""A given file: whether it is what a new conversion gives."""

from __future__ import annotations

from qconvert.api import Converted, Model
from qconvert.api.weights import is_pair_of


def is_what_converts(given: Model, converted: Converted) -> bool:
    """Return True if a given file is what a new conversion gives."""
    if given.weights is not None:
        return is_pair_of(given, converted)
    is_same = given.program == program_of(converted)
    return is_same or (given.binary is not None and given.binary.write(converted.module, None) == given.content)


def program_of(converted: Converted) -> str | bytes:
    """Return a new conversion as engines take it."""
    return converted.text if converted.content is None else converted.content
