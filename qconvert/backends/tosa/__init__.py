"""TOSA out."""

from __future__ import annotations

from qconvert.backends.tosa.emit import Profile, TosaOptions, lower
from qconvert.backends.tosa.lowering import HalfRounding
from qconvert.backends.tosa.target import target_of

__all__ = ["HalfRounding", "Profile", "TosaOptions", "lower", "target_of"]
