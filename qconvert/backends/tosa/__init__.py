"""The backend that writes TOSA."""

from __future__ import annotations

from qconvert.backends.tosa.options import HalfRounding, Profile, TosaOptions

__all__ = ["HalfRounding", "Profile", "TosaOptions"]
