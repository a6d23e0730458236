"""``push-rescales``: rescales moved forward to the ops that need integers; one file for each op family.

A rule returns the result of an integer op on operands that were not rescaled. An op without a rule needs the rescaled
integers, so the rescale stays in front of it.
"""

from __future__ import annotations

from qconvert.passes.rescaling.push_rescales.driver import PushRescales

__all__ = ["PushRescales"]
