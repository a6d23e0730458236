"""The forms of the IR's ops that the writer of TFLite takes for granted."""

from __future__ import annotations

from qconvert.passes.casts.widen_products import ONE_FLOAT_TYPE
from qconvert.passes.layout.order_broadcasts import RISING_BROADCASTS

CONTRACTS = (ONE_FLOAT_TYPE, RISING_BROADCASTS)
"""Checked in each conversion, before operators are written."""
