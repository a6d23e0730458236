"""Convolutions and products of matrices."""

from __future__ import annotations

import math
from typing import Any

from tests.graphs.network import Bias, Drawing, Input, MisfitError, Raw, Shape, Weight, number
from tests.graphs.operators.registry import operator


def activated(net: Drawing, op_type: str, inputs: list[Input], **attributes: Any) -> str:
    """An operator with a quantizer behind it, or behind a Relu or Clip that follows it."""
    fused = net.chance(0.35)
    [made] = net.add(op_type, inputs, quantized=not fused, **attributes)
    if not fused:
        return made
    if net.chance(0.5):
        return net.add("Relu", [made])[0]
    bounds = net.one_of((0.0, 6.0), (-1.0, 1.0), (0.5, 2.0))
    return net.add("Clip", [made, *map(number, bounds)])[0]


def bias(net: Drawing, size: int) -> list[Input]:
    """A bias, or none."""
    return [Bias(net.normal(size))] if net.chance(0.6) else []


def window(net: Drawing, extents: Shape, *, dilated: bool = False) -> dict[str, Any]:
    """Kernel, strides, pads and dilations for some extents."""
    rank = len(extents)
    kernel = [net.number(1, min(3, extent + 1)) for extent in extents]
    found: dict[str, Any] = {"kernel_shape": kernel, "strides": [net.number(1, 2) for _ in kernel]}
    if net.chance(0.2):
        found["auto_pad"] = net.one_of("SAME_UPPER", "SAME_LOWER", "VALID")
    else:
        found["pads"] = [net.number(0, kernel[i % rank] - 1) for i in range(2 * rank)]
    if dilated and "pads" in found and net.chance(0.3):
        found["dilations"] = [net.number(1, 2) for _ in kernel]
    return found


@operator("convolution", 8)
def convolution(net: Drawing, x: str, shape: Shape) -> str:
    """Conv of one, two or three spatial dimensions: dense, grouped or depthwise."""
    if len(shape) not in (3, 4, 5) or (len(shape) == 5 and net.chance(0.7)):
        raise MisfitError
    channels, group = shape[1], net.one_of(1, 1, shape[1], math.gcd(shape[1], 2))
    outputs = group * net.number(1, 4)
    attributes = window(net, shape[2:], dilated=True)
    kernel = attributes["kernel_shape"]
    weight = Weight(net.normal(outputs, channels // group, *kernel), net.one_of(None, 0, 0))
    return activated(net, "Conv", [x, weight, *bias(net, outputs)], group=group, **attributes)


@operator("transposed_convolution")
def transposed_convolution(net: Drawing, x: str, shape: Shape) -> str:
    """ConvTranspose, mostly of images."""
    if len(shape) not in (3, 4) or math.prod(shape) > 300:
        raise MisfitError
    rank = len(shape) - 2
    group = net.one_of(1, 1, 1, shape[1])
    outputs = net.number(1, 3)
    kernel = [net.number(1, 3) for _ in range(rank)]
    strides = [net.number(1, 2) for _ in range(rank)]
    attributes: dict[str, Any] = {"strides": strides, "group": group, "kernel_shape": kernel}
    if net.chance(0.4):
        attributes["pads"] = [net.number(0, kernel[i % rank] - 1) for i in range(2 * rank)]
    if net.chance(0.2):
        attributes["output_padding"] = [net.number(0, stride - 1) for stride in strides]
    weight = Weight(net.normal(shape[1], outputs, *kernel), net.one_of(None, None, 1) if group == 1 else None)
    return activated(net, "ConvTranspose", [x, weight, *bias(net, outputs * group)], **attributes)


@operator("fully_connected", 6)
def fully_connected(net: Drawing, x: str, shape: Shape) -> str:
    """Gemm with constant weights."""
    if len(shape) != 2:
        raise MisfitError
    outputs, transposed = net.number(1, 8), net.number(0, 1)
    size = (outputs, shape[1]) if transposed else (shape[1], outputs)
    weight = Weight(net.normal(*size), net.one_of(None, 0 if transposed else 1))
    return activated(net, "Gemm", [x, weight, *bias(net, outputs)], transB=transposed)


@operator("matrix_product", 3)
def product_with_weights(net: Drawing, x: str, shape: Shape) -> str:
    """MatMul with constant weights, which may have batch dimensions."""
    if len(shape) < 2:
        raise MisfitError
    outputs = net.number(1, 8)
    sizes = (shape[-1], outputs)
    if len(shape) > 2 and net.chance(0.2):
        sizes = (*shape[-3:-2], *sizes)
    weight = Weight(net.normal(*sizes), net.one_of(None, len(sizes) - 1))
    if net.chance(0.4):
        [made] = net.add("MatMul", [x, weight], quantized=False)
        return activated(net, "Add", [made, Bias(net.normal(outputs))])
    return activated(net, "MatMul", [x, weight])


@operator("matrix_product", 2)
def product_with_itself(net: Drawing, x: str, shape: Shape) -> str:
    """``x @ transpose(x)``: two activations, both with zero points."""
    if len(shape) < 2 or shape[-2] > 12:
        raise MisfitError
    order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
    [flipped] = net.add("Transpose", [x], keeps=True, perm=order)
    operands = [x, flipped] if net.chance(0.7) else [flipped, x]
    return net.add("MatMul", operands)[0]


@operator("matrix_product")
def weights_times_value(net: Drawing, x: str, shape: Shape) -> str:
    """MatMul with a constant on the left."""
    if len(shape) < 2:
        raise MisfitError
    return net.add("MatMul", [Weight(net.normal(net.number(1, 5), shape[-2])), x])[0]


@operator("fully_connected")
def gemm_with_factor(net: Drawing, x: str, shape: Shape) -> str:
    """Gemm whose product is scaled, without a bias."""
    if len(shape) != 2:
        raise MisfitError
    return net.add("Gemm", [x, Weight(net.normal(shape[1], net.number(1, 6)))], alpha=net.one_of(0.5, 1.5))[0]


def indices(net: Drawing, size: int, *shape: int) -> Raw:
    """Indices below a size."""
    return Raw(net.rng.integers(0, size, shape))
