"""The backend that writes TOSA."""

from __future__ import annotations

from qconvert.backends.base import Profile
from qconvert.backends.tosa.options import HalfRounding, TosaOptions

__all__ = ["HalfRounding", "Profile", "TosaOptions"]
