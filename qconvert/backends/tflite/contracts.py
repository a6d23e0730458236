"""The forms of the IR's ops that the writer of TFLite takes for granted."""

from __future__ import annotations

from qconvert.passes.casts.widen_products import ONE_FLOAT_TYPE
from qconvert.passes.layout.order_broadcasts import RISING_BROADCASTS
from qconvert.passes.reductions.widen_reductions import WIDENED_REDUCTIONS

CONTRACTS = (ONE_FLOAT_TYPE, WIDENED_REDUCTIONS, RISING_BROADCASTS)
"""Checked in each conversion, before operators are written."""
