"""The xDSL context with every dialect of the IR."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Dialect

from qconvert.dialects.check import Check
from qconvert.dialects.composite import COMPOSITES, CoordinatesAttr, LookupOp
from qconvert.dialects.func import Func
from qconvert.dialects.quant_ops import Quant
from qconvert.dialects.stablehlo import StableHLO
from qconvert.dialects.tosa import TOSA
from qconvert.ir import ArithmeticAttr

QConvert = Dialect("qconvert", [*COMPOSITES, LookupOp], [ArithmeticAttr, CoordinatesAttr])


def _chlo() -> Dialect:
    from qconvert.dialects.chlo import CHLO  # a tenth of the dialects' classes, which few texts need

    return CHLO


def make_context() -> Context:
    """Return a fresh context that knows builtin, func, stablehlo, qconvert, check, chlo, quant and tosa."""
    context = Context()
    for dialect in (Builtin, Func, StableHLO, QConvert):
        context.load_dialect(dialect)
    context.register_dialect("check", lambda: Check)
    context.register_dialect("chlo", _chlo)
    context.register_dialect("quant", lambda: Quant)
    context.register_dialect("tosa", lambda: TOSA)
    return context
