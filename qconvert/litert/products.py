"""The types that LiteRT's operators with weights take together.

Measured with LiteRT 2.3.0. Where the kernels take more, they ignore scales along other dimensions, zero points of
weights or the type of the weights, and return wrong numbers.
"""

from __future__ import annotations

from typing import NamedTuple

from tflite import BuiltinOperator as Code
from tflite import TensorType as Type


class Product(NamedTuple):
    """An operator that multiplies activations by weights.

    ``activations``, ``weights`` and ``bias`` are their places among the inputs; ``axis`` is the dimension of the
    weights that has the outputs. ``needs_bias`` is True if the kernels do not do without. ``hybrid`` are the types of
    weights that floats are multiplied by, ``narrow`` those of 4 bits and ``wide`` those of 16 bits. ``takes_points`` is
    True where int8 weights of one scale may have a zero point, ``widens_4_bits`` where 16-bit activations are
    multiplied by weights of 4 bits, ``needs_channels`` where floats are multiplied by int8 weights with a scale for
    each output only.
    """

    activations: int = 0
    weights: int = 1
    bias: int = 2
    axis: int = 0
    needs_bias: bool = True
    hybrid: frozenset[int] = frozenset()
    takes_4_bits: bool = True
    takes_16_bits: bool = False
    takes_points: bool = False
    takes_32_bit_bias: bool = True
    widens_4_bits: bool = False
    needs_channels: bool = False


_HYBRID = frozenset({Type.INT8, Type.INT4})

PRODUCTS: dict[int, Product] = {
    Code.CONV_2D: Product(hybrid=_HYBRID, widens_4_bits=True),
    Code.DEPTHWISE_CONV_2D: Product(
        axis=3, hybrid=frozenset({Type.INT8}), takes_32_bit_bias=False, needs_channels=True
    ),
    Code.FULLY_CONNECTED: Product(
        needs_bias=False, hybrid=_HYBRID, takes_16_bits=True, takes_points=True, widens_4_bits=True
    ),
    Code.TRANSPOSE_CONV: Product(
        activations=2,
        weights=1,
        bias=3,
        needs_bias=False,
        takes_4_bits=False,
        hybrid=frozenset({Type.INT8}),
        needs_channels=True,
    ),
}

QUANTIZED = frozenset({Type.INT8, Type.UINT8, Type.INT16})
"""The types of quantized activations."""


def weight_types(product: Product, activations: int) -> frozenset[int]:
    """Return the types of weights that a kernel multiplies by activations of a type."""
    if activations == Type.FLOAT32:
        return product.hybrid | {Type.FLOAT32}
    if activations == Type.UINT8:
        return frozenset({Type.UINT8})
    if activations not in QUANTIZED:
        return frozenset()
    narrow = {Type.INT4} if product.takes_4_bits and activations == Type.INT8 else set()
    wide = {Type.INT16} if product.takes_16_bits and activations == Type.INT16 else set()
    return frozenset({Type.INT8, *narrow, *wide})


def bias_types(product: Product, activations: int) -> frozenset[int]:
    """Return the types of a bias that a kernel adds; 32 bits to 16-bit activations if the options name the type."""
    if activations != Type.INT16:
        return frozenset({Type.FLOAT32 if activations == Type.FLOAT32 else Type.INT32})
    return frozenset({Type.INT64, Type.INT32} if product.takes_32_bit_bias else {Type.INT64})
