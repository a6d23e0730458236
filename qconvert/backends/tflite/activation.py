"""Activations and softmax."""

from __future__ import annotations

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


def _over_last(
    op: composite.SoftmaxOp | composite.LogSoftmaxOp,
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
