"""Arithmetic on one and two tensors."""

from __future__ import annotations

from typing import NamedTuple

import tflite
from xdsl.ir import Operation

from qconvert.backends.tflite.activation_range import (
    CLAMPS,
    function_of,
    fused_activation,
    limits_nothing,
    relu_version,
)
from qconvert.backends.tflite.even_ties import has_even_ties, summed_to_even
from qconvert.backends.tflite.fixed_scale import with_fixed_scale
from qconvert.backends.tflite.graph import NO_OPTIONS, Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width, emits, is_rescaled
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.traits import Bitwise
from qconvert.ir import UniformQuantizedType, element_type, i1, is_litert, litert_arithmetic
from qconvert.support.errors import ConversionError


class BuiltinKernel(NamedTuple):
    """A BuiltinOperator, its versions for 8 and 16 bits, and its table of options."""

    code: int
    versions: tuple[int, int]
    table: str = "NONE"
    repeats: bool = False
    """True if the kernel does not broadcast, so that operands need all their elements."""


_FUSING: dict[type[Operation], BuiltinKernel] = {
    stablehlo.AddOp: BuiltinKernel(tflite.BuiltinOperator.ADD, (2, 3), "AddOptions"),
    stablehlo.SubtractOp: BuiltinKernel(tflite.BuiltinOperator.SUB, (2, 5), "SubOptions"),
    stablehlo.MultiplyOp: BuiltinKernel(tflite.BuiltinOperator.MUL, (2, 4), "MulOptions"),
    stablehlo.DivideOp: BuiltinKernel(tflite.BuiltinOperator.DIV, (2, 2), "DivOptions"),
}
"""Operators into which an activation is fused."""

_SCALED_16 = (stablehlo.AddOp, stablehlo.SubtractOp)
"""Operators whose 16-bit kernel has the option to read scales as powers of two."""


@emits(*_FUSING)
def arithmetic(op: stablehlo.BinaryOp, write: Writer) -> Tensor:
    """Write an operator with the activation behind it; operands broadcast."""
    kernel, fused = _FUSING[type(op)], fused_activation(op.result)
    fields: dict[str, int | bool] = {"FusedActivationFunction": fused.function}
    if isinstance(op, _SCALED_16):
        follows = litert_arithmetic(op)
        fields["PotScaleInt16"] = follows is not None and not follows.left_shift
    output = write.result(fused.value)
    inputs = write.of_one_sign(write.spread_together(op.lhs, op.rhs), output)
    if isinstance(op, _SCALED_16) and not is_litert(op) and has_even_ties(inputs, output):
        made = summed_to_even(write, kernel.code, kernel.table, inputs, output, fused.function)
    else:
        version = by_width(output, *kernel.versions)
        made = write.operator(kernel.code, inputs, output, Options(kernel.table, fields), version=version)
    write.define(fused.value, made)
    return made


_EXTREMES: dict[type[Operation], BuiltinKernel] = {
    stablehlo.MaximumOp: BuiltinKernel(tflite.BuiltinOperator.MAXIMUM, (2, 4), "MaximumMinimumOptions"),
    stablehlo.MinimumOp: BuiltinKernel(tflite.BuiltinOperator.MINIMUM, (2, 4), "MaximumMinimumOptions"),
}


@emits(*_EXTREMES)
def extreme(op: stablehlo.BinaryOp, write: Writer) -> Tensor:
    """Write MAXIMUM or MINIMUM; LiteRT compares integers as they are, so that operands are requantized first."""
    kernel, element = _EXTREMES[type(op)], element_type(op.result)
    output = write.result(op.result)
    inputs = [write.requantized(tensor, element) for tensor in write.spread_together(op.lhs, op.rhs)]
    version = by_width(output, *kernel.versions)
    return write.operator(kernel.code, inputs, output, Options(kernel.table), version=version)


@emits(stablehlo.ClampOp)
def clamp(op: stablehlo.ClampOp, write: Writer) -> Tensor:
    """Write RELU, RELU6 or RELU_N1_TO_1 if the bounds are theirs, else MAXIMUM and MINIMUM.

    A bound at the end of a storage limits nothing.
    """
    source, output, function = write[op.operand], write.result(op.result), function_of(op)
    if function is not None:
        return write.operator(CLAMPS[function], [source], output, version=relu_version(function, output))
    element, made = element_type(op.result), write.requantized(source, element_type(op.result))
    limits = [
        (code, bound)
        for code, bound in ((tflite.BuiltinOperator.MAXIMUM, op.min), (tflite.BuiltinOperator.MINIMUM, op.max))
        if not limits_nothing(bound, element, is_least=code == tflite.BuiltinOperator.MAXIMUM)
    ]
    for i, (code, bound) in enumerate(limits):
        result = output if i == len(limits) - 1 else write.derived(made, "raised", made.shape)
        inputs = [made, write.requantized(write.spread(bound), element)]
        made = write.operator(code, inputs, result, Options("MaximumMinimumOptions"), version=by_width(output, 2, 4))
    return made if limits else write.reshape(made, made.shape, output)


_UNARY: dict[type[Operation], BuiltinKernel] = {
    stablehlo.CosineOp: BuiltinKernel(tflite.BuiltinOperator.COS, (1, 1), "CosOptions"),
    stablehlo.FloorOp: BuiltinKernel(tflite.BuiltinOperator.FLOOR, (1, 1)),
    stablehlo.NotOp: BuiltinKernel(tflite.BuiltinOperator.LOGICAL_NOT, (1, 1), "LogicalNotOptions"),
    stablehlo.SignOp: BuiltinKernel(tflite.BuiltinOperator.SIGN, (2, 2), "SignOptions"),
    stablehlo.SineOp: BuiltinKernel(tflite.BuiltinOperator.SIN, (1, 1)),
    stablehlo.ExponentialOp: BuiltinKernel(tflite.BuiltinOperator.EXP, (2, 2), "ExpOptions"),
    stablehlo.LogOp: BuiltinKernel(tflite.BuiltinOperator.LOG, (2, 2)),
    stablehlo.LogisticOp: BuiltinKernel(tflite.BuiltinOperator.LOGISTIC, (2, 3)),
    stablehlo.NegateOp: BuiltinKernel(tflite.BuiltinOperator.NEG, (1, 1), "NegOptions"),
    stablehlo.RsqrtOp: BuiltinKernel(tflite.BuiltinOperator.RSQRT, (2, 3)),
    stablehlo.SqrtOp: BuiltinKernel(tflite.BuiltinOperator.SQRT, (2, 2)),
    stablehlo.TanhOp: BuiltinKernel(tflite.BuiltinOperator.TANH, (2, 3)),
}


@emits(*_UNARY)
def unary(op: stablehlo.UnaryOp, write: Writer) -> Tensor:
    """Write a function of one tensor."""
    kernel, output = _UNARY[type(op)], write.result(op.result)
    options = Options(kernel.table) if kernel.table != "NONE" else NO_OPTIONS
    version = by_width(output, *kernel.versions)
    return with_fixed_scale(write, kernel.code, [write[op.operand]], output, options, version=version)


@emits(stablehlo.AbsOp)
def absolute(op: stablehlo.AbsOp, write: Writer) -> Tensor:
    """Write ABS; where its kernel would round twice, at the operand's scale and with MUL behind it."""
    source, output = write[op.operand], write.result(op.result)
    made, given, result = output, source.quantization, output.quantization
    if given and result and not is_litert(op) and is_rescaled(given, result) and 2 * given.scale < result.scale:
        least = given.storage.minimum if given.storage.width == 8 else 0
        whole = UniformQuantizedType.per_tensor(given.storage, given.scale, least)
        made = write.derived(output, "size", output.shape, whole)
    write.operator(tflite.BuiltinOperator.ABS, [source], made, Options("AbsOptions"), version=by_width(made, 2, 2))
    return write.requantized(made, output.element, output) if made is not output else output


_BINARY: dict[type[Operation], BuiltinKernel] = {
    stablehlo.AndOp: BuiltinKernel(tflite.BuiltinOperator.LOGICAL_AND, (1, 1), "LogicalAndOptions"),
    stablehlo.Atan2Op: BuiltinKernel(tflite.BuiltinOperator.ATAN2, (1, 1), "ATan2Options", repeats=True),
    stablehlo.OrOp: BuiltinKernel(tflite.BuiltinOperator.LOGICAL_OR, (1, 1), "LogicalOrOptions"),
    stablehlo.XorOp: BuiltinKernel(tflite.BuiltinOperator.NOT_EQUAL, (1, 1), "NotEqualOptions"),
    stablehlo.PowerOp: BuiltinKernel(tflite.BuiltinOperator.POW, (1, 1), "PowOptions"),
    composite.SquaredDifferenceOp: BuiltinKernel(
        tflite.BuiltinOperator.SQUARED_DIFFERENCE, (2, 2), "SquaredDifferenceOptions"
    ),
}


@emits(*_BINARY)
def binary(op: stablehlo.BinaryOp | composite.SquaredDifferenceOp, write: Writer) -> Tensor:
    """Write a function of two tensors, which broadcast; raises ConversionError for the bits of integers."""
    if op.has_trait(Bitwise) and element_type(op.result) != i1:
        raise ConversionError(
            f"LiteRT's operator for {op.name} takes truth values only, found {element_type(op.result)}"
        )
    kernel, output = _BINARY[type(op)], write.result(op.result)
    operands = op.lhs, op.rhs
    inputs = [write[value] for value in operands] if kernel.repeats else write.spread_together(*operands)
    inputs = write.of_one_sign(inputs, output)
    version = by_width(output, *kernel.versions)
    return write.operator(kernel.code, inputs, output, Options(kernel.table), version=version)


@emits(stablehlo.ConvertOp)
def convert(op: stablehlo.ConvertOp, write: Writer) -> Tensor:
    """Write CAST."""
    return write.cast(write[op.operand], write.result(op.result))
