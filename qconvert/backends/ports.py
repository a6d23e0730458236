"""The quantized arguments and results that the caller of a converted model has to quantize and dequantize."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute

from qconvert.dialects.port_names import quantized_types
from qconvert.interpreter.core import main_function
from qconvert.ir import UniformQuantizedType


class QuantizedPort(NamedTuple):
    """An input or output that is passed as storage integers, and the quantized type of these integers."""

    kind: str
    name: str
    element: UniformQuantizedType

    def __str__(self) -> str:
        scales = ", ".join(f"{scale:.9g}" for scale in self.element.scales[:4])
        zero_points = ", ".join(map(str, sorted(set(self.element.zero_points.tolist()))[:4]))
        return f"{self.kind} '{self.name}': {self.element.storage}, scale {scales}, zero_point {zero_points}"


def quantized_ports(
    module: ModuleOp, input_names: Sequence[str], output_names: Sequence[str]
) -> tuple[QuantizedPort, ...]:
    """Return the quantized arguments and results of ``@main``, found by type or, in TOSA, by attribute."""
    function = main_function(module)
    type = function.function_type
    given = quantized_types(function)
    inputs = _ports("input", input_names, list(type.inputs), given[0])
    outputs = _ports("output", output_names, list(type.outputs), given[1])
    return (*inputs, *outputs)


def _ports(
    kind: str, names: Sequence[str], types: Sequence[Attribute], given: Sequence[UniformQuantizedType | None]
) -> Iterator[QuantizedPort]:
    for name, type, stated in zip(names, types, given, strict=True):
        element = stated or (type.element_type if isinstance(type, TensorType) else None)
        if isinstance(element, UniformQuantizedType):
            yield QuantizedPort(kind, name, element)
