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


def _tosa() -> Dialect:
    """Imported where a text has ops of it."""
    from qconvert.dialects.tosa import TOSA

    return TOSA


def make_context() -> Context:
    """A fresh context that knows ``builtin``, ``func``, ``quant``, ``stablehlo``, ``qconvert`` and ``tosa``."""
    context = Context()
    for dialect in (Builtin, Func, Quant, StableHLO, QConvert):
        context.load_dialect(dialect)
    context.register_dialect("tosa", _tosa)
    return context
