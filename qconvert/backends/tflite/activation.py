"""Activations and softmax."""

from __future__ import annotations

import tflite
from xdsl.ir import Operation

from qconvert.backends.tflite.fixed_scale import with_fixed_scale
from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits
from qconvert.dialects import composite


@emits(composite.SoftmaxOp)
def softmax(op: composite.SoftmaxOp, write: Writer) -> Tensor:
    """Write SOFTMAX over the last dimension."""
    output = write.result(op.result)
    options = Options("SoftmaxOptions", {"Beta": 1.0})
    version = by_width(output, 2, 3)
    return with_fixed_scale(
        write, tflite.BuiltinOperator.SOFTMAX, [write[op.operand]], output, options, version=version
    )


@emits(composite.LogSoftmaxOp)
def log_softmax(op: composite.LogSoftmaxOp, write: Writer) -> Tensor:
    """Write LOG_SOFTMAX over the last dimension."""
    output = write.result(op.result)
    options, version = Options("LogSoftmaxOptions"), by_width(output, 2, 2)
    return with_fixed_scale(
        write, tflite.BuiltinOperator.LOG_SOFTMAX, [write[op.operand]], output, options, version=version
    )


@emits(composite.LeakyReluOp)
def leaky_relu(op: composite.LeakyReluOp, write: Writer) -> Tensor:
    """Write LEAKY_RELU."""
    output = write.result(op.result)
    options = Options("LeakyReluOptions", {"Alpha": op.alpha.value.data})
    version = {16: 2}.get(output.width, 1)
    return write.operator(tflite.BuiltinOperator.LEAKY_RELU, [write[op.operand]], output, options, version=version)


_PLAIN: dict[type[Operation], tuple[int, int]] = {
    composite.HardSwishOp: (tflite.BuiltinOperator.HARD_SWISH, 1),
    composite.EluOp: (tflite.BuiltinOperator.ELU, 1),
}


@emits(*_PLAIN)
def activation(op: composite.ActivationOp, write: Writer) -> Tensor:
    """Write an activation without options."""
    code, version = _PLAIN[type(op)]
    return write.operator(code, [write[op.operand]], write.result(op.result), version=version)


@emits(composite.PReluOp)
def prelu(op: composite.PReluOp, write: Writer) -> Tensor:
    """Write PRELU."""
    inputs = [write[op.operand], write.spread(op.slope)]
    return write.operator(tflite.BuiltinOperator.PRELU, inputs, write.result(op.result))
