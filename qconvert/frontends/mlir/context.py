"""The xDSL context with every dialect of the IR."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.ir import Attribute, Dialect, Operation, TypeAttribute

from qconvert.dialects.check import Check
from qconvert.dialects.composite import COMPOSITES, CoordinatesAttr, LookupOp
from qconvert.dialects.quant_ops import Quant
from qconvert.dialects.stablehlo import StableHLO, on_demand
from qconvert.dialects.tosa import TOSA
from qconvert.ir.arithmetic import ArithmeticAttr

QConvert = Dialect("qconvert", [*COMPOSITES, LookupOp], [ArithmeticAttr, CoordinatesAttr])


class _Context(Context):
    """A context that imports StableHLO's families on demand at the first name it does not know."""

    _complete = False

    def _load_rest(self, name: str) -> bool:
        """Load the families on demand for a StableHLO name; whether that is new."""
        if self._complete or not name.startswith("stablehlo."):
            return False
        self._complete = True
        rest = on_demand()
        for op in rest.operations:
            self.load_op(op)
        for attribute in rest.attributes:
            self.load_attr_or_type(attribute)
        return True

    def get_optional_op(self, name: str, *, dialect_stack: Sequence[str] = ()) -> type[Operation] | None:
        found = super().get_optional_op(name, dialect_stack=dialect_stack)
        if found is None and self._load_rest(name):
            found = super().get_optional_op(name, dialect_stack=dialect_stack)
        return found

    def get_optional_type(self, name: str) -> type[TypeAttribute] | None:
        found = super().get_optional_type(name)
        return super().get_optional_type(name) if found is None and self._load_rest(name) else found

    def get_optional_attr(self, name: str) -> type[Attribute] | None:
        found = super().get_optional_attr(name)
        return super().get_optional_attr(name) if found is None and self._load_rest(name) else found


def make_context() -> Context:
    """A fresh context that knows ``builtin``, ``func``, ``stablehlo``, ``qconvert``, ``check``, ``quant``, ``tosa``."""
    context = _Context()
    for dialect in (Builtin, Func, StableHLO, QConvert):
        context.load_dialect(dialect)
    context.register_dialect("check", lambda: Check)
    context.register_dialect("quant", lambda: Quant)
    context.register_dialect("tosa", lambda: TOSA)
    return context
