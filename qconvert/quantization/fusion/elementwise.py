"""Arithmetic on tensors of one shape, with an activation. Inputs: the operands in order, constants among them."""

from __future__ import annotations

from xdsl.ir import Operation

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.traits import AffineByConstant, Bitwise
from qconvert.quantization.fusion.kernel_names import kernel_of
from qconvert.quantization.fusion.pattern import ACTIVATION, Pattern


def _pattern(kind: type[Operation]) -> Pattern:
    steps = (ACTIVATION, ACTIVATION) if kind.has_trait(AffineByConstant) else ()
    return Pattern(kernel_of(kind), (kind,), steps=steps)


_FUNCTIONS = (*stablehlo.BINARY_OPS, *composite.ELEMENTWISE, *stablehlo.UNARY_OPS)

PATTERNS = tuple(_pattern(kind) for kind in _FUNCTIONS if not kind.has_trait(Bitwise))
