"""QOperator style: integer operators that replace QDQ."""

from __future__ import annotations

from qconvert.backends.onnx.qoperator.rewrite import to_qoperator

__all__ = ["to_qoperator"]
