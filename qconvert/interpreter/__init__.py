"""The interpreter of the IR in numpy: integers are computed exactly, and each op family has one file."""

from __future__ import annotations

from qconvert.interpreter.core import evaluate_op, is_interpreted
from qconvert.interpreter.implementation import implements
from qconvert.interpreter.program import Program, evaluate

__all__ = ["Program", "evaluate", "evaluate_op", "implements", "is_interpreted"]
