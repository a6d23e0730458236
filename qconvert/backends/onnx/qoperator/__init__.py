"""QOperator: operators of integers in the place of QDQ."""

from __future__ import annotations

from qconvert.backends.onnx.qoperator.rewrite import to_qoperator

__all__ = ["to_qoperator"]
