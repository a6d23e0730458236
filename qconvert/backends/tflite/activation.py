"""Activations and softmax."""

from __future__ import annotations

import numpy as np
import tflite
from xdsl.ir import Operation

from qconvert.backends.tflite.fixed_scale import with_fixed_scale
from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits
from qconvert.dialects import composite
from qconvert.ir import shape


@emits(composite.SoftmaxOp)
def softmax(op: composite.SoftmaxOp, write: Writer) -> Tensor:
    """Write SOFTMAX."""
    return _over_last(op, tflite.BuiltinOperator.SOFTMAX, Options("SoftmaxOptions", {"Beta": 1.0}), (2, 3), write)


@emits(composite.LogSoftmaxOp)
def log_softmax(op: composite.LogSoftmaxOp, write: Writer) -> Tensor:
    """Write LOG_SOFTMAX."""
    return _over_last(op, tflite.BuiltinOperator.LOG_SOFTMAX, Options("LogSoftmaxOptions"), (2, 2), write)


@emits(composite.L2NormalizationOp)
def l2_normalization(op: composite.L2NormalizationOp, write: Writer) -> Tensor:
    """Write L2_NORMALIZATION."""
    return _over_last(op, tflite.BuiltinOperator.L2_NORMALIZATION, Options("L2NormOptions"), (2, 2), write)


def _over_last(
    op: composite.AxisOp,
    code: int,
    options: Options,
    versions: tuple[int, int],
    write: Writer,
) -> Tensor:
    """Write an operator over the last dimension, between TRANSPOSE operators for another one."""
    output, rank = write.result(op.result), len(shape(op.operand))
    order = list(range(rank))
    axis = op.axis.value.data
    order[axis], order[-1] = order[-1], order[axis]
    source = write.transpose(write[op.operand], order)
    is_last = axis == rank - 1
    made = output if is_last else write.derived(output, "moved", [output.shape[i] for i in order])
    with_fixed_scale(write, code, [source], made, options, version=by_width(output, *versions))
    return made if is_last else write.transpose(made, order, output)


@emits(composite.LeakyReluOp)
def leaky_relu(op: composite.LeakyReluOp, write: Writer) -> Tensor:
    """Write LEAKY_RELU."""
    output = write.result(op.result)
    options = Options("LeakyReluOptions", {"Alpha": op.alpha.value.data})
    version = {16: 2}.get(output.width, 1)
    return write.operator(tflite.BuiltinOperator.LEAKY_RELU, [write[op.operand]], output, options, version=version)


@emits(composite.EluOp)
def elu(op: composite.EluOp, write: Writer) -> Tensor:
    """Write ELU, which has no alpha: another one is a factor of its negative values, beside RELU."""
    alpha, source, output = op.alpha.value.data, write[op.operand], write.result(op.result)
    if alpha == 1:
        return write.operator(tflite.BuiltinOperator.ELU, [source], output)
    zero, factor = (
        write.constant(np.asarray(value), output.element, f"{output.name}_{role}")
        for value, role in ((0.0, "zero"), (alpha, "alpha"))
    )
    below, curved, scaled, above = (
        write.derived(output, role, output.shape) for role in ("below", "curved", "scaled", "above")
    )
    write.operator(tflite.BuiltinOperator.MINIMUM, [source, zero], below, Options("MaximumMinimumOptions"))
    write.operator(tflite.BuiltinOperator.ELU, [below], curved)
    write.operator(tflite.BuiltinOperator.MUL, [curved, factor], scaled, Options("MulOptions"))
    write.operator(tflite.BuiltinOperator.RELU, [source], above)
    return write.operator(tflite.BuiltinOperator.ADD, [scaled, above], output, Options("AddOptions"))


_PLAIN: dict[type[Operation], tuple[int, int]] = {
    composite.HardSwishOp: (tflite.BuiltinOperator.HARD_SWISH, 1),
}


@emits(*_PLAIN)
def activation(op: composite.ActivationOp, write: Writer) -> Tensor:
    """Write an activation without options."""
    code, version = _PLAIN[type(op)]
    return write.operator(code, [write[op.operand]], write.result(op.result), version=version)


@emits(composite.PReluOp)
def prelu(op: composite.PReluOp, write: Writer) -> Tensor:
    """Write PRELU."""
    output = write.result(op.result)
    inputs = write.of_one_sign([write[op.operand], write.spread(op.slope)], output)
    return write.operator(tflite.BuiltinOperator.PRELU, inputs, output)
