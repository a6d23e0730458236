"""The expansions by kind of op, and the arithmetic that they implement."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir import Operation, SSAValue

from qconvert.dialects.stablehlo import ContractionOp, UniformDequantizeOp
from qconvert.ir import Arithmetic, arithmetic, element_type, is_float, is_litert, quantized
from qconvert.numerics import Rounding
from qconvert.support.registry import Registry

if TYPE_CHECKING:
    from qconvert.expansion.expander import Expander

Expand: TypeAlias = "Callable[[Any, Expander], SSAValue]"

EXPANSIONS: Registry[type[Operation], Expand] = Registry("expansion", __name__, ("op", "build"))
expands = EXPANSIONS.register


def follows_litert(op: Operation) -> bool:
    """Return True if an op computes on quantized integers as LiteRT does. All runtimes dequantize in the same way."""
    if not is_litert(op) or isinstance(op, UniformDequantizeOp):
        return False
    return any(quantized(value) is not None for value in (*op.operands, *op.results))


def is_hybrid_of_litert(op: Operation) -> bool:
    """Return True for a float product by quantized weights whose activations LiteRT quantizes at run time."""
    return isinstance(op, ContractionOp) and op.is_hybrid and is_litert(op)


def is_integer(op: Operation) -> bool:
    """Return True if an op follows LiteRT's arithmetic and takes no floats."""
    return follows_litert(op) and not any(is_float(element_type(value)) for value in op.operands)


def expansion_of(op: Operation) -> Expand | None:
    """Return the expansion of an op; None for an op of another arithmetic or without an expansion."""
    return EXPANSIONS.get(type(op)) if is_integer(op) else None


def follows_of(op: Operation) -> Arithmetic:
    """Return the arithmetic of an op that names one."""
    found = arithmetic(op)
    assert found is not None
    return found


def rounding_of(op: Operation) -> Rounding:
    """Return the rounding of a rescale in the arithmetic that an op names."""
    return follows_of(op).rounding
