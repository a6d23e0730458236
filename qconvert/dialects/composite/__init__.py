"""Ops kept whole until a backend decides, each with one decomposition; one file for each family."""

from __future__ import annotations

from qconvert.dialects.composite.activation import ErfOp
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.composite.normalization import LayerNormalizationOp, SoftmaxOp

COMPOSITES: tuple[type[CompositeOp], ...] = (ErfOp, LayerNormalizationOp, SoftmaxOp)

__all__ = ["COMPOSITES", "CompositeOp", "ErfOp", "LayerNormalizationOp", "SoftmaxOp"]
