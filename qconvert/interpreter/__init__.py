"""What the IR means, in numpy: exact integers, one file for each op family."""

from __future__ import annotations

from qconvert.interpreter.core import evaluate, evaluate_op, is_interpreted
from qconvert.interpreter.implementation import implements

__all__ = ["evaluate", "evaluate_op", "implements", "is_interpreted"]
