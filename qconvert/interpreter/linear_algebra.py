"""``dot``, a ``dot_general`` without batch dimensions. The factorizations are only read and verified."""

from __future__ import annotations

from qconvert.dialects.stablehlo.linear_algebra import DotOp
from qconvert.interpreter.contraction import dot_general
from qconvert.interpreter.implementation import IMPLEMENTATIONS

IMPLEMENTATIONS.add(DotOp, dot_general)
