"""The xDSL context with every dialect of the IR."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.ir import Dialect

from qconvert.dialects.attributes import ArithmeticAttr
from qconvert.dialects.composite import COMPOSITES, CoordinatesAttr
from qconvert.dialects.quant import Quant
from qconvert.dialects.stablehlo import StableHLO

QConvert = Dialect("qconvert", list(COMPOSITES), [ArithmeticAttr, CoordinatesAttr])


def make_context() -> Context:
    """A fresh context that knows ``builtin``, ``func``, ``quant``, ``stablehlo`` and ``qconvert``."""
    context = Context()
    for dialect in (Builtin, Func, Quant, StableHLO, QConvert):
        context.load_dialect(dialect)
    return context
