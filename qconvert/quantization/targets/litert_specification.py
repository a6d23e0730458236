"""The restrictions of LiteRT's 8-bit quantization specification as named checks, written from its text.

Source: "LiteRT 8-bit quantization specification" (ai.google.dev/edge/litert/models/quantization_spec), sections
"Specification summary" and "int8 quantized operator specifications". The checks are independent of the kernels of the
target ``tflite-int8``, whose results they verify.
"""

from __future__ import annotations

from collections.abc import Iterator

from qconvert.dialects.quant_region import RegionOp
from qconvert.ir import Storage, UniformQuantizedType, shape
from qconvert.quantization.checks import product_violations
from qconvert.quantization.region_ports import uniform_ports
from qconvert.quantization.signature import PortRef, input_port, output_port
from qconvert.quantization.violation import Violation, violation

_INT8 = Storage(8, True, -128, 127)
_NARROW = Storage(8, True, -127, 127)
_INT32 = Storage(32, True, -(1 << 31), (1 << 31) - 1)
_WEIGHTS, _BIAS, _RESULT = input_port(1), input_port(2), output_port(0)

_CONTRACTIONS = {
    "convolution": "CONV_2D",
    "depthwise_convolution": "DEPTHWISE_CONV_2D",
    "transposed_convolution": "TRANSPOSE_CONV",
    "fully_connected": "FULLY_CONNECTED",
}
"""Input 1 is the weights, per tensor or per axis along the output channels, input 2 the bias."""

_SAME = {
    "average_pool": "AVERAGE_POOL_2D",
    "concatenate": "CONCATENATION",
    "max_pool": "MAX_POOL_2D",
    "reshape": "RESHAPE",
    "resize": "RESIZE_BILINEAR",
    "pad": "PAD",
    "gather": "GATHER",
    "transpose": "TRANSPOSE",
    "maximum": "MAXIMUM",
    "minimum": "MINIMUM",
    "slice": "SLICE",
}
"""Operators with "Input and outputs must all have same scale/zero_point"."""

_FIXED = {
    "logistic": ("LOGISTIC", 1.0 / 256.0, -128),
    "softmax": ("SOFTMAX", 1.0 / 256.0, -128),
    "tanh": ("TANH", 1.0 / 128.0, 0),
    "log_softmax": ("LOG_SOFTMAX", 16.0 / 256.0, 127),
}
"""Operators whose output's (scale, zero_point) is restricted."""


def litert_checks(region: RegionOp) -> Iterator[Violation]:
    """Yield the violations of a region.

    Names: ``activation-int8``, ``activation-per-tensor``, ``weights-narrow-range``, ``weights-zero-point``,
    ``weights-axis``, ``bias-int32``, ``bias-scale``, ``same-scale-zero-point``, ``output-scale-zero-point``.
    """
    kernel, found = region.logical_kernel.data, uniform_ports(region)
    constants = {_WEIGHTS, _BIAS} if kernel in _CONTRACTIONS else set()
    for port, spec in found.items():
        if port not in constants:
            yield from _activation(region, port, spec)
    if kernel in _CONTRACTIONS:
        yield from _weights(region, found)
        yield from _bias(region, found)
    if kernel in _SAME and len({(spec.data.scales, spec.data.zero_points) for spec in found.values()}) > 1:
        specs = " and ".join(dict.fromkeys(str(spec) for spec in found.values()))
        yield violation("same-scale-zero-point", region, None, f"{_SAME[kernel]} has {specs}")
    if kernel in _FIXED and _RESULT in found:
        operator, scale, zero_point = _FIXED[kernel]
        if (found[_RESULT].data.scales, found[_RESULT].data.zero_points) != ((scale,), (zero_point,)):
            yield violation(
                "output-scale-zero-point", region, _RESULT, f"{operator} has {found[_RESULT]}, not {scale}:{zero_point}"
            )


def _activation(region: RegionOp, port: PortRef, spec: UniformQuantizedType) -> Iterator[Violation]:
    if spec.storage != _INT8:
        yield violation("activation-int8", region, port, f"its range is that of {spec.storage}, not [-128, 127]")
    if not spec.is_per_tensor:
        yield violation("activation-per-tensor", region, port, f"{spec} is not per tensor")


def _weights(region: RegionOp, found: dict[PortRef, UniformQuantizedType]) -> Iterator[Violation]:
    spec = found.get(_WEIGHTS)
    if spec is None:
        return
    if spec.storage != _NARROW:
        yield violation(
            "weights-narrow-range", region, _WEIGHTS, f"the range is that of {spec.storage}, not [-127, 127]"
        )
    if any(spec.data.zero_points):
        yield violation("weights-zero-point", region, _WEIGHTS, f"{spec} has a zero point that is not 0")
    if not spec.is_per_tensor and len(spec.data.scales) not in _channels(region):
        yield violation("weights-axis", region, _WEIGHTS, f"{spec} is not along the output channels")


def _channels(region: RegionOp) -> tuple[int, ...]:
    """Return the possible numbers of output channels: the bias's size if there is a bias, else the result's sizes."""
    return shape(region.inputs[2])[-1:] if len(region.inputs) > 2 else shape(region.outputs[0])


def _bias(region: RegionOp, found: dict[PortRef, UniformQuantizedType]) -> Iterator[Violation]:
    spec = found.get(_BIAS)
    if spec is None:
        return
    if spec.storage != _INT32:
        yield violation("bias-int32", region, _BIAS, f"the bias is stored as {spec.storage}")
    yield from product_violations("bias-scale", region, found, _BIAS)
