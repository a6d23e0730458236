"""Kernels that several targets share, by their treatment of the scale."""

from __future__ import annotations

from collections.abc import Iterable

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.traits import Bitwise, Elementwise, KeepsRange
from qconvert.ir import Storage
from qconvert.quantization.fusion.kernel_names import kernel_of, kernels_with
from qconvert.quantization.rules import (
    fixed_scale,
    free_scale,
    multiplier_accumulator_scale,
    same_scale,
)
from qconvert.quantization.signature import NamedAxis, PortType, Signature
from qconvert.quantization.target import Kernel

i8, i16, i32 = (Storage.full(width, signed=True) for width in (8, 16, 32))

ACTIVATION = PortType(i8)
ACTIVATION_16 = PortType(i16, symmetric=True)
WEIGHTS = PortType(Storage(8, True, -127, 127), symmetric=True, axis=NamedAxis.OUTPUT_FEATURE)
BIAS = PortType(i32, symmetric=True, axis=0)

BINARY = ("add", "subtract", "multiply", *map(kernel_of, composite.ELEMENTWISE))
MOVEMENTS = (*sorted(kernels_with(KeepsRange) - {"clamp"}), "max_pool", "reduce_max", "reduce_min")
"""Kernels that return elements of their inputs, or means of neighbours, in the inputs' parameters."""

_FIXED = ("logistic", "tanh")
"""Functions that have kernels of their own."""

CONVOLUTIONS = ("convolution", "depthwise_convolution", "transposed_convolution")
TABLES = (
    *("relu", "clamp"),
    *(kernel_of(kind) for kind in stablehlo.UNARY_OPS if not kind.has_trait(Bitwise) and kernel_of(kind) not in _FIXED),
    *(kernel_of(kind) for kind in composite.ACTIVATIONS if kind.has_trait(Elementwise)),
)
"""Functions of one tensor that a table of all results can compute."""


def contractions(names: Iterable[str], activation: PortType) -> tuple[Kernel, ...]:
    """Return kernels ``activation * weights [+ bias]``, with the bias in the scale of the products."""
    signature = Signature((activation, WEIGHTS, BIAS), (activation,), optional=1)
    return tuple(Kernel(name, signature, multiplier_accumulator_scale) for name in names)


def free(names: Iterable[str], port: PortType, inputs: int = 1) -> tuple[Kernel, ...]:
    """Return kernels whose ports have scales of their own."""
    return tuple(Kernel(name, Signature((port,) * inputs, (port,)), free_scale) for name in names)


def reaching(names: Iterable[str], port: PortType) -> tuple[Kernel, ...]:
    """Return kernels of one or more inputs with one set of parameters."""
    return tuple(Kernel(name, Signature((port,), (port,), variadic=True), same_scale) for name in names)


def fixed(name: str, port: PortType, scale: float, zero_point: int) -> Kernel:
    """Return the kernel of a function whose result is always in one range."""
    return Kernel(name, Signature((port,), (port,)), fixed_scale(scale, zero_point))
