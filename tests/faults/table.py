"""The table of faults: what kind, in which format's way, on which network it shows, and the edit."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from tests.faults.edits import Edit


class Kind(StrEnum):
    """What is wrong in the file."""

    TRANSPOSE = "a transpose is dropped or has another order"
    AXIS = "an axis is relabelled"
    SHIFT = "a shift or a multiplier is off"
    PADDING = "a padding is off by one"
    SCALE = "the scale of one channel or tensor is off"
    OPERANDS = "two operands are swapped"
    ZERO_POINT = "a zero point is dropped or off"
    CLAMP = "a clamp is lost"
    BIAS = "a bias is lost or moved"
    POSITION = "a slice, stride or position is off by one"


class Fault(NamedTuple):
    """One small wrong change."""

    kind: Kind
    to: str
    network: str
    edit: Edit

    @property
    def name(self) -> str:
        """The name of the fault in a test."""
        return f"{self.to}-{self.kind.name.lower()}-{self.edit.module.rpartition('.')[2]}-{self.network}"


def _faults(to: str, *rows: tuple[Kind, str, str, str, str]) -> tuple[Fault, ...]:
    return tuple(
        Fault(kind, to, network, Edit(f"qconvert.{module}", before, after))
        for kind, network, module, before, after in rows
    )


_AXIS_OF_SOFTMAX = (
    Kind.AXIS,
    "ds_cnn",
    "dialects.composite.normalization",
    "DivideOp(powers, _reduced(build, powers, [self.axis.value.data], AddOp, 0.0))",
    "DivideOp(powers, _reduced(build, powers, [0], AddOp, 0.0))",
)

_TOSA = _faults(
    "tosa",
    (
        Kind.TRANSPOSE,
        "ssd",
        "backends.tosa.movement",
        "return lower.transpose(lower[op.operand], stablehlo.permutation_of(op))",
        "return lower.reshape(lower[op.operand], shape(op.result))",
    ),
    (
        Kind.TRANSPOSE,
        "shufflenet",
        "rewriting.permutations",
        "return tuple(first[p] for p in second)",
        "return tuple(second[p] for p in first)",
    ),
    (
        Kind.SHIFT,
        "ds_cnn",
        "backends.tosa.quantization",
        "return lower.stored(centred, source.scales / target.scale, target)",
        "return lower.stored(centred, source.scales / target.scale / 2, target)",
    ),
    (
        Kind.SCALE,
        "feature_pyramid",
        "backends.tosa.quantization",
        "return lower.stored(centred, source.scales / target.scale, target)",
        "return lower.stored(centred, np.roll(source.scales, 1) / target.scale, target)",
    ),
    (
        Kind.PADDING,
        "unet_nearest",
        "backends.tosa.contraction",
        "pads += [low, high - (image[1 + i] + low + high - reach) % window.strides[i]]",
        "pads += [low + high, 0 * (image[1 + i] + low + high - reach) % window.strides[i]]",
    ),
    (
        Kind.BIAS,
        "esrgan",
        "backends.tosa.contraction",
        "return Accumulated(tail.biased, tail.bias)",
        "return Accumulated(tail.biased, np.roll(tail.bias, 1))",
    ),
    (
        Kind.ZERO_POINT,
        "ds_cnn",
        "backends.tosa.contraction",
        "zero_point = zero_point_of(op.lhs)\n    if element_type(image) == i16 and zero_point:",
        "zero_point = 0\n    if element_type(image) == i16 and zero_point:",
    ),
    (
        Kind.AXIS,
        "unet_linear",
        "backends.tosa.movement",
        "return lower.add(tosa.ConcatOp(values, op.dimension.value.data))",
        "return lower.add(tosa.ConcatOp(values[::-1], op.dimension.value.data))",
    ),
    (
        Kind.POSITION,
        "shufflenet",
        "backends.tosa.contraction",
        "starts, taken = lower.shape((0, 0, 0, group * inputs)), lower.shape((*sizes, inputs))",
        "starts, taken = lower.shape((0, 0, 0, 0 * group * inputs)), lower.shape((*sizes, inputs))",
    ),
    (
        Kind.CLAMP,
        "ssd",
        "backends.tosa.quantization",
        "clamped = lower.clamp(scaled, storage.minimum - zero_point, storage.maximum - zero_point)",
        "clamped = lower.clamp(scaled, 0, storage.maximum - zero_point)",
    ),
)

_TFLITE = _faults(
    "tflite",
    (
        Kind.TRANSPOSE,
        "unet_nearest",
        "backends.tflite.contraction",
        "image = write.transpose(write[op.lhs], (numbers.input_batch, *numbers.input_spatial, numbers.input_feature))",
        (
            "image = write.reshape(write[op.lhs], [shape(op.lhs)[i] for i in"
            " (numbers.input_batch, *numbers.input_spatial, numbers.input_feature)])"
        ),
    ),
    (
        Kind.TRANSPOSE,
        "ssd",
        "backends.tflite.movement",
        "return write.transpose(source, stablehlo.as_tuple(op.permutation), write.result(op.result))",
        "return write.reshape(source, shape(op.result), write.result(op.result))",
    ),
    (
        Kind.PADDING,
        "deeplab",
        "backends.tflite.padding",
        "return pad(write, image, ((0, 0), *padding, (0, 0)), value), tflite.Padding.VALID",
        "return pad(write, image, ((0, 0), *(pair[::-1] for pair in padding), (0, 0)), value), tflite.Padding.VALID",
    ),
    (
        Kind.SCALE,
        "ds_cnn",
        "backends.tflite.weights",
        "scales = lhs.product_scales(rhs)\n",
        "scales = lhs.product_scales(rhs) * 2\n    values = values // 2\n",
    ),
    (
        Kind.BIAS,
        "unet_transposed",
        "backends.tflite.weights",
        "values = np.zeros(outputs, np.int32) if bias is None else np.broadcast_to(bias, (outputs,))",
        "values = np.zeros(outputs, np.int32) if bias is None else np.roll(np.broadcast_to(bias, (outputs,)), 1)",
    ),
    (
        Kind.AXIS,
        "unet_nearest",
        "backends.tflite.movement",
        'options = Options("ConcatenationOptions", {"Axis": op.dimension.value.data})',
        'options = Options("ConcatenationOptions", {"Axis": op.dimension.value.data}); inputs = inputs[::-1]',
    ),
    (
        Kind.POSITION,
        "deeplab",
        "backends.tflite.contraction",
        '"DilationHFactor": op.window.rhs_dilation[0]',
        '"DilationHFactor": 1',
    ),
    (
        Kind.OPERANDS,
        "shufflenet",
        "backends.tflite.elementwise",
        "inputs = write.of_one_sign(write.spread_together(op.lhs, op.rhs), output)\n    if isinstance(op, _SCALED_16)",
        "inputs = write.of_one_sign(write.spread_together(op.rhs, op.rhs), output)\n    if isinstance(op, _SCALED_16)",
    ),
    (
        Kind.POSITION,
        "unet_linear",
        "backends.tflite.resize",
        "Coordinates.HALF_PIXEL: (False, True),",
        "Coordinates.HALF_PIXEL: (False, False),",
    ),
)

_ONNX = _faults(
    "onnx",
    (
        Kind.PADDING,
        "unet_nearest",
        "backends.onnx.contraction",
        "pads = [side for i in (0, 1) for side in (pair[i] for pair in window.padding)]",
        "pads = [side for i in (0, 1) for side in (sum(pair) * i for pair in window.padding)]",
    ),
    (
        Kind.TRANSPOSE,
        "ssd",
        "backends.onnx.movement",
        "return permuted(write[op.operand], stablehlo.as_tuple(op.permutation))",
        (
            "a, b, c, *d = stablehlo.as_tuple(op.permutation)\n    sizes = shape(op.operand)\n"
            "    return permuted(write[op.operand], (a, c, b, *d) if sizes[b] == sizes[c] else (a, b, c, *d))"
        ),
    ),
    (
        Kind.AXIS,
        "unet_nearest",
        "backends.onnx.movement",
        'return ComputedTensor(write.node("Concat", names, axis=layout.index(op.dimension.value.data)), layout)',
        'return ComputedTensor(write.node("Concat", names[::-1], axis=layout.index(op.dimension.value.data)), layout)',
    ),
    (
        Kind.BIAS,
        "ds_cnn",
        "backends.onnx.bias",
        "return None if values is None else Bias(add, values)",
        "return None if values is None else Bias(add, replace(values, held=np.roll(values.array, 1)))",
    ),
    (
        Kind.POSITION,
        "unet_transposed",
        "backends.onnx.contraction",
        "turned = replace(known, held=flipped(known.held, numbers.kernel_spatial))",
        "turned = known",
    ),
    (
        Kind.POSITION,
        "unet_linear",
        "backends.onnx.resize",
        "mode = str(op.coordinates.data)",
        'mode = "asymmetric"',
    ),
    (
        Kind.ZERO_POINT,
        "feature_pyramid",
        "backends.onnx.builder",
        "self.initializer(zero_points.astype(dtype), ",
        "self.initializer(0 * zero_points.astype(dtype), ",
    ),
    (
        Kind.OPERANDS,
        "shufflenet",
        "backends.onnx.elementwise",
        "return elementwise(kinds[type(op)], [op.lhs, op.rhs], write)",
        "return elementwise(kinds[type(op)], [op.rhs, op.rhs], write)",
    ),
    (
        Kind.SCALE,
        "ds_cnn",
        "backends.onnx.quantization",
        (
            "parameters, attributes = write.scale_and_zero_point(element, shape(value), layout, output)\n"
            '    return write.node("QuantizeLinear"'
        ),
        (
            "parameters, attributes = write.scale_and_zero_point(element, shape(value), layout, output)\n"
            '    parameters = (write.scalar(1.25 * element.scale, value, "scale"), *parameters[1:])\n'
            '    return write.node("QuantizeLinear"'
        ),
    ),
)

_MATH = "passes.rescaling.legalize_quant_to_math"
_STABLEHLO_INT = _faults(
    "stablehlo-int",
    (
        Kind.ZERO_POINT,
        "ds_cnn",
        f"{_MATH}.arithmetic",
        "    if type.has_zero_zero_point:\n        return integers\n",
        "    return integers\n",
    ),
    (
        Kind.SHIFT,
        "audio_cnn",
        f"{_MATH}.arithmetic",
        "return build.add(stablehlo.DivideOp(real, spread(build, scales, element_type(real), real)))",
        "return build.add(stablehlo.DivideOp(real, spread(build, 2 * scales, element_type(real), real)))",
    ),
    (
        Kind.CLAMP,
        "ds_cnn",
        f"{_MATH}.arithmetic",
        "return build.clamp(value, storage.minimum, storage.maximum)",
        "return build.clamp(value, 0, storage.maximum)",
    ),
    (
        Kind.OPERANDS,
        "tcn",
        f"{_MATH}.elementwise",
        "computed = rebuilt(op, reals, types)",
        "computed = rebuilt(op, reals[-1:] * len(reals), types)",
    ),
    (
        Kind.SCALE,
        "shufflenet",
        f"{_MATH}.quantization",
        "return scaled(build, centred(build, value, source, f64), source.broadcast(source.scales, shape(value)), f64)",
        (
            "return scaled(build, centred(build, value, source, f64),"
            " source.broadcast(source.scales, shape(value)) * 1.01, f64)"
        ),
    ),
    (
        Kind.BIAS,
        "ds_cnn",
        "passes.fusion.legalize_qdq_to_quantized_op.contraction",
        "        return array.reshape(-1)\n",
        "        return np.roll(array.reshape(-1), 1)\n",
    ),
    _AXIS_OF_SOFTMAX,
)

_STABLEHLO = _faults(
    "stablehlo",
    (
        Kind.OPERANDS,
        "tcn",
        "passes.fusion.legalize_qdq_to_quantized_op.elementwise",
        "fused = type(op).create(operands=sources, ",
        "fused = type(op).create(operands=sources[-1:] * len(sources), ",
    ),
    (
        Kind.BIAS,
        "audio_cnn",
        "passes.fusion.legalize_qdq_to_quantized_op.contraction",
        "        return array.reshape(-1)\n",
        "        return np.roll(array.reshape(-1), 1)\n",
    ),
    _AXIS_OF_SOFTMAX,
    (
        Kind.OPERANDS,
        "encoder",
        "dialects.composite.normalization",
        "return build.add(AddOp(result, build.broadcast(bias[0], shape(x)))) if bias else result",
        "return build.add(AddOp(result, build.broadcast(scale, shape(x)))) if bias else result",
    ),
    (
        Kind.SHIFT,
        "audio_cnn",
        "passes.fusion.legalize_qdq_to_quantized_op.contraction",
        "integers, _ = numerics.quantize_bias(real, steps)",
        "integers, _ = numerics.quantize_bias(real, steps * 2)",
    ),
    (
        Kind.SCALE,
        "audio_cnn",
        "passes.fusion.legalize_qdq_to_quantized_op.contraction",
        "integers, _ = numerics.quantize_bias(real, steps)",
        "integers, _ = numerics.quantize_bias(real, np.roll(steps, 1))",
    ),
)

FAULTS = (*_TOSA, *_TFLITE, *_ONNX, *_STABLEHLO_INT, *_STABLEHLO)
