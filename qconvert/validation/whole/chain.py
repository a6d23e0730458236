"""A fused module as a chain of parts: every value that a conversion may round otherwise is the result of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects.constants import is_constant
from qconvert.expansion.registry import is_hybrid_of_litert
from qconvert.interpreter.core import main_function, returned
from qconvert.ir import is_float_tensor
from qconvert.validation.layers import as_module, slice_of, tagged
from qconvert.validation.limits.limits import NEAR, rounds_values

HALF_STEP = 0.5 / 127
"""The error of LiteRT's activations of 8 bits, quantized at run time, by their largest magnitude."""

_OWN = "\0"
"""The first character of names that no tensor of a source has."""


@dataclass(frozen=True, eq=False)
class Part:
    """A value of the network as a module of its own, by its name and the names of the values that it takes."""

    name: str
    inputs: tuple[str, ...]
    module: ModuleOp


@dataclass(frozen=True, eq=False)
class Chain:
    """A network: its inputs, its parts in order, and the names of its outputs.

    ``floats`` has the floats that an op rounds, each with the error that they may have before, by their largest
    magnitude. Values that the source does not name have names of their own.
    """

    inputs: tuple[str, ...]
    parts: tuple[Part, ...]
    outputs: tuple[str, ...]
    floats: Mapping[str, float]


def chain(module: ModuleOp, input_names: Iterable[str], *, keeps_hybrid: bool) -> Chain:
    """Return the chain of ``@main``. ``keeps_hybrid``: the conversion quantizes what LiteRT quantizes at run time."""
    block = main_function(module).body.block
    names: dict[SSAValue, str] = dict(zip(block.args, input_names, strict=True))
    inputs = tuple(names.values())
    tensors = {value: name for name, value in tagged(module)}
    rounded = dict(_rounded_floats(block.ops, tensors, keeps_hybrid=keeps_hybrid))
    parts: list[Part] = []

    def add(value: SSAValue, name: str) -> None:
        if value not in names:
            ops, taken = slice_of(value, names)
            parts.append(Part(name, tuple(names[each] for each in taken), as_module(value, ops, taken)))
            names[value] = name

    for op in block.ops:
        for value in op.results:
            if not is_constant(value) and (value in tensors or value in rounded):
                add(value, tensors.get(value, f"{_OWN}{len(parts)}"))
    for value in returned(module):
        add(value, f"{_OWN}{len(parts)}")
    floats = {names[value]: error for value, error in rounded.items() if value in names}
    return Chain(inputs, tuple(parts), tuple(names[value] for value in returned(module)), floats)


def _rounded_floats(
    ops: Iterable[Operation], tensors: Mapping[SSAValue, str], *, keeps_hybrid: bool
) -> Iterator[tuple[SSAValue, float]]:
    """Yield the floats that ops round to integers or steps other than the source's quantized tensors."""
    for op in ops:
        if is_hybrid_of_litert(op):
            yield op.operands[0], NEAR if keeps_hybrid else HALF_STEP
        elif any(map(rounds_values, op.walk())) and not any(result in tensors for result in op.results):
            floats = filter(is_float_tensor, op.operands)
            yield from ((operand, NEAR) for operand in floats if not is_constant(operand))
