"""``push-rescales``: the scalings of inputs carried forward to where integers are needed; one file an op family.

A rule says what an integer op becomes of operands that were not rescaled; what has no rule needs the integers
themselves and is where a rescale stays.
"""

from __future__ import annotations

from qconvert.passes.rescaling.push_rescales.driver import PushRescales

__all__ = ["PushRescales"]
