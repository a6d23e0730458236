"""Activations and softmax."""

from __future__ import annotations

import numpy as np
import tflite
from xdsl.ir import Operation

from qconvert.backends.tflite.fixed_scale import with_fixed_scale
from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits, is_rescaled
from qconvert.dialects import composite
from qconvert.ir import Storage, UniformQuantizedType, is_litert, shape


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
    """Write PRELU of 8 bits or MAXIMUM of two products, which lose less between two roundings; else LEAKY_RELU.

    The kernels multiply by a factor of [0.5, 1), round, shift to the right, and round again: by 3 places for a slope
    of 0.1, so that one of 16 results is 1 LSB off. An integer slope of 127 has 7 places more.
    """
    output, source, slope = write.result(op.result), write[op.operand], op.alpha.value.data
    if not is_litert(op) and _is_split(source, output) and 0 < slope < 1:
        return _of_slope(write, source, output, slope)
    options = Options("LeakyReluOptions", {"Alpha": slope})
    version = {16: 2}.get(output.width, 1)
    return write.operator(tflite.BuiltinOperator.LEAKY_RELU, [source], output, options, version=version)


def _is_split(source: Tensor, output: Tensor) -> bool:
    """Return True for integers whose change of scale a product expresses."""
    given, made = source.quantization, output.quantization
    if given is None or made is None:
        return False
    return given.storage == made.storage and (given.scale == made.scale or is_rescaled(given, made))


def _of_slope(write: Writer, source: Tensor, output: Tensor, slope: float) -> Tensor:
    given, made = source.quantization, output.quantization
    assert given is not None
    assert made is not None
    if given.storage.width == 8 and given.scale >= made.scale / 2:
        kind = UniformQuantizedType.per_tensor(Storage.full(8, signed=given.storage.signed), slope / 127, 0)
        alpha = write.constant(np.full((1,) if source.shape else (), 127), kind, f"{output.name}_slope")
        return write.operator(tflite.BuiltinOperator.PRELU, [source, alpha], output)
    sides = [
        write.rescaled(source, write.derived(output, role, output.shape), factor=factor)
        for role, factor in (("above", 1.0), ("below", slope))
    ]
    options, version = Options("MaximumMinimumOptions"), by_width(output, 2, 4)
    return write.operator(tflite.BuiltinOperator.MAXIMUM, sides, output, options, version=version)


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
