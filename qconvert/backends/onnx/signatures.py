"""The types that a node's operator and onnxruntime's kernels take, and the types of its outputs.

Source: onnx.defs, the schemas of ONNX's operators.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from onnx import AttributeProto, NodeProto, TensorProto, defs

from qconvert.backends.onnx.kernels import MICROSOFT, contrib_ports, lacking
from qconvert.support.errors import ConversionError

NUMBERS: dict[str, int] = {name.lower(): number for name, number in TensorProto.DataType.items()}
"""The number of each element type by the name that schemas give it."""
NAMES = {number: name for name, number in NUMBERS.items()}
_REMEDIES = {"double": "Use float32", "bfloat16": "Use float32", "float16": "Use float32", "float": "Use another opset"}


class Signature(NamedTuple):
    """The type variable of each input and output, and the types that each variable allows, without ``tensor()``.

    ``operator`` has the domain before it if that is not ONNX's own.
    """

    operator: str
    opset: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    allowed: dict[str, frozenset[str]]
    is_mixed: bool = False
    """True if the inputs that repeat may have different types."""

    @property
    def main(self) -> str:
        """The type variable of the elements: that of the first output if an input has it, else of the first input."""
        return self.outputs[0] if not self.inputs or self.outputs[0] in self.inputs else self.inputs[0]

    def input(self, i: int) -> str:
        """Return the type variable of an input; the last one repeats."""
        return _at(self.inputs, i)

    def output(self, i: int) -> str:
        """Return the type variable of an output; the last one repeats."""
        return _at(self.outputs, i)

    def refused(self, types: Mapping[str, str]) -> str | None:
        """Return the first type variable whose type the operator or every kernel refuses, '' without a kernel."""
        outside = (variable for variable, element in types.items() if not self._allows(variable, element))
        return next(outside, None) or lacking(self.operator, self.opset, types)

    def _allows(self, variable: str, element: str) -> bool:
        return element == variable if variable in NUMBERS else element in self.allowed.get(variable, (element,))

    def refusal(self, variable: str, types: Mapping[str, str], node: str) -> ConversionError:
        """Return the error for a type variable that is refused."""
        if not variable:
            return ConversionError(f"onnxruntime has no kernel of {self.operator} in opset {self.opset}", node=node)
        element = types[variable]
        is_allowed = self._allows(variable, element)
        by = f"onnxruntime's {self.operator}" if is_allowed else f"{self.operator} of opset {self.opset}"
        reason = f"{by} does not take elements of type {element}"
        return ConversionError(reason, hint=_REMEDIES.get(element, "Convert them to a wider type"), node=node)


def plain(element: str) -> str:
    """Return a type of a schema without ``tensor()``."""
    return element.removeprefix("tensor(").removesuffix(")")


def bound_types(node: NodeProto, own: Signature, types: Mapping[str, int]) -> dict[str, str]:
    """Return the type of each type variable, from a node's inputs as far as they are known, and its attributes."""
    bound: dict[str, str] = {}
    for i, name in enumerate(node.input):
        if name in types:
            bound.setdefault(own.input(i), NAMES[types[name]])
    given = {each.name: each.i for each in node.attribute if each.type == AttributeProto.INT and each.name in _STATED}
    for number in filter(None, given.values()):
        bound.setdefault(own.output(0), NAMES.get(number, ""))
    if node.op_type == "DequantizeLinear" and len(own.inputs) > 1 and own.input(1) in bound:
        bound.setdefault(own.output(0), bound[own.input(1)])
    return bound


_STATED = ("to", "output_dtype", "dtype")
"""The attributes that state the type of a node's first output."""


def type_conflict(node: NodeProto, own: Signature, types: Mapping[str, int]) -> str | None:
    """Return what is wrong where inputs of one type variable have different types."""
    bound = bound_types(node, own, types)
    for i, name in enumerate(node.input):
        expected = bound.get(own.input(i))
        if name in types and NAMES[types[name]] != expected and not (own.is_mixed and i >= len(own.inputs) - 1):
            return f"inputs of types {expected} and {NAMES[types[name]]}, which must be one type"
    return None


def output_types(node: NodeProto, own: Signature, bound: Mapping[str, str]) -> dict[str, int]:
    """Return the types of a node's outputs as far as they follow from those of its type variables."""
    found = ((name, _number(own.output(i), bound)) for i, name in enumerate(node.output))
    return {name: number for name, number in found if name and number}


def _number(variable: str, bound: Mapping[str, str]) -> int:
    return NUMBERS.get(bound.get(variable, variable), 0)


def _at(variables: tuple[str, ...], i: int) -> str:
    return variables[min(i, len(variables) - 1)] if variables else ""


@lru_cache(maxsize=256)
def signature(operator: str, domain: str, opset: int) -> Signature | None:
    """Return an operator's signature in an opset of its domain; None for an operator that ONNX or onnxruntime lacks."""
    if domain == MICROSOFT:
        ports = contrib_ports(operator)
        sides = ports and [tuple(map(plain, side)) for side in ports]
        return Signature(f"{domain}.{operator}", 1, sides[0], sides[1], {}) if sides else None
    try:
        schema = defs.get_schema(operator, opset, domain)
    except defs.SchemaError:
        return None
    inputs, outputs = (tuple(plain(each.type_str) for each in side) for side in (schema.inputs, schema.outputs))
    allowed = {each.type_param_str: frozenset(map(plain, each.allowed_type_strs)) for each in schema.type_constraints}
    is_mixed = bool(schema.inputs) and not schema.inputs[-1].is_homogeneous
    return Signature(operator, opset, inputs, outputs, allowed, is_mixed)
