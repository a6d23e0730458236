"""Convolutions and matrix products, with bias and activation.

Inputs: (activation, weights[, bias]); of a product of two activations (lhs, rhs).
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import shape
from qconvert.numerics import values_along
from qconvert.quantization.fusion.pattern import ACTIVATION, Chain, Pattern, Step, is_constant, others, resolved_array
from qconvert.rewriting import splat


def adds_a_bias(op: Operation, value: SSAValue) -> bool:
    """Return whether an op adds a constant that varies along the last dimension only."""
    constants = others(op, value)
    array = resolved_array(constants[0]) if len(constants) == 1 else None
    return array is not None and array.ndim > 0 and values_along(array, array.ndim - 1) is not None


def is_depthwise(op: stablehlo.ConvolutionOp) -> bool:
    """Return whether each input feature is convolved alone."""
    return op.groups > 1 and shape(op.rhs)[op.numbers.kernel_input_feature] == 1


def is_transposed(op: stablehlo.ConvolutionOp) -> bool:
    """Return whether the input is dilated, so that the result is larger."""
    return any(size != 1 for size in op.window.lhs_dilation)


def is_scaled(op: Operation, value: SSAValue) -> bool:
    """Return whether a value is divided by, or multiplied with, one number above zero."""
    factor = splat(op.operands[1])
    return op.operands[0] is value and factor is not None and factor > 0


def has_weights(op: stablehlo.DotGeneralOp) -> bool:
    """Return whether the right-hand side is a constant matrix."""
    return not op.numbers.rhs_batching_dimensions and len(shape(op.rhs)) == 2 and is_constant(op.rhs)


BIAS = Step((stablehlo.AddOp,), adds_a_bias, is_bias=True)
RELAYOUT = Step((stablehlo.TransposeOp,), lambda _op, _value: True)
"""The transpose back to the source's layout, as a convolution's result is feature-last here."""

SCALED = Step((stablehlo.DivideOp, stablehlo.MultiplyOp), is_scaled, keeps_constants=True)
"""The division of attention scores by a number, which only changes the scale of their integers."""

_STEPS = (BIAS, RELAYOUT, ACTIVATION, ACTIVATION)
_CONVOLUTION = (stablehlo.ConvolutionOp,)

PATTERNS = (
    Pattern("transposed_convolution", _CONVOLUTION, is_transposed, _STEPS),
    Pattern("depthwise_convolution", _CONVOLUTION, is_depthwise, _STEPS),
    Pattern("convolution", _CONVOLUTION, steps=_STEPS),
    Pattern("fully_connected", (stablehlo.DotGeneralOp,), has_weights, (BIAS, ACTIVATION, ACTIVATION)),
    Pattern("batch_matmul", (stablehlo.DotGeneralOp,), steps=(SCALED,)),
)

CHAINS = (
    Chain("convolution_max_pool", ("convolution", "max_pool")),
    Chain("convolution_add", ("convolution", "add")),
    Chain("fully_connected_add", ("fully_connected", "add")),
    Chain("batch_matmul_add", ("batch_matmul", "add")),
)
