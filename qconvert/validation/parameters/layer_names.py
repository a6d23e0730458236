"""The layers of a source by the names that converted files give them."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, ModuleOp, StringAttr, TensorType
from xdsl.ir import Operation, SSAValue

from qconvert.dialects.stablehlo import UniformQuantizeOp
from qconvert.ir import TENSOR, node_names, quantized
from qconvert.validation.parameters.operators import Operators, is_contraction, is_sum


class LayerNames:
    """The layers of two models by the names of nodes and tensors; the first model is the likely source of the second.

    A file of TFLite names a fused operator after its last tensor. So an activation's name is that of its contraction
    where the operator contracts. ``of_source`` has the names of the first model.
    """

    def __init__(self, source: ModuleOp, other: ModuleOp) -> None:
        self._layers: dict[str, str] = {}
        self._contractions: dict[str, str] = {}
        self._add(Operators(source))
        self.of_source = set(self._layers)
        self._add(Operators(other))

    def of(self, name: str, *, contracts: bool = False) -> str:
        """Return the layer that a file's name stands for; a name that a writer made ends in a number."""
        head, _, number = name.rpartition("_")
        if number.isdecimal() and name not in self.of_source and head in self.of_source:
            name = head
        return (self._contractions.get(name) if contracts else None) or self._layers.get(name, name)

    def __contains__(self, name: object) -> bool:
        return name in self._layers

    def _add(self, program: Operators) -> None:
        """Add the names that a program has; those that are known stay."""
        for op in program.ops:
            node = next(iter(node_names(op.location)), None)
            if node is None:
                continue
            tag = op.attributes.get(TENSOR)
            is_quantizer = isinstance(op, UniformQuantizeOp) and quantized(op.operand) is None
            layer = program.layer(op) if is_quantizer else node
            contraction = _contraction_of(program, op)
            for name in (node, tag.data) if isinstance(tag, StringAttr) else (node,):
                self._layers.setdefault(name, self._layers.get(layer, layer))
                if contraction is not None:
                    self._contractions.setdefault(name, program.layer(contraction))


def _contraction_of(program: Operators, op: Operation) -> Operation | None:
    """Return the contraction whose result an operator computes on, before a tensor of few bits is made of it."""
    current = op
    while not is_contraction(current):
        value = program.computed(current)
        if value is None or not isinstance(value.owner, Operation) or not (is_sum(value) or _is_float(value)):
            return None
        current = value.owner
    return current


def _is_float(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and isinstance(value.type.element_type, Float32Type)
