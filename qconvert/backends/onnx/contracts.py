"""The forms of the IR's ops that the writer of ONNX takes for granted."""

from __future__ import annotations

from qconvert.passes.casts.widen_products import ONE_FLOAT_TYPE
from qconvert.passes.reductions.widen_reductions import WIDENED_REDUCTIONS
from qconvert.passes.storage.widen_storage import storage_widths

STORAGE_WIDTHS = (2, 4, 8, 16)
"""The bits of quantized integers in ONNX; accumulators have 32."""

CONTRACTS = (ONE_FLOAT_TYPE, WIDENED_REDUCTIONS, storage_widths(STORAGE_WIDTHS))
"""Checked in each conversion, before nodes are written."""
