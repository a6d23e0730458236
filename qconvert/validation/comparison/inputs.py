"""The inputs of two models: which belong together, samples for both, and the arrays that the second model takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Region

from qconvert.dialects import stablehlo
from qconvert.interpreter.core import main_function
from qconvert.ir import UniformQuantizedType, is_float_tensor, numpy_dtype, quantized, tensor
from qconvert.validation.comparison.sides import Side, imported
from qconvert.validation.ports import Port, PortType, paired
from qconvert.validation.sampling.domains import Domain, domain_of
from qconvert.validation.sampling.samples import Sample, domains


class InputPair(NamedTuple):
    """An input of both models by its names, and the way from the first model's to the second's."""

    first: str
    second: str
    port: Port


def paired_inputs(first: Side, second: Side) -> list[InputPair]:
    """Return the pairs of inputs: by name, others in order. Raises UsageError where a number or a shape differs."""
    sides = (first, second)
    names = [list(side.outline.inputs) for side in sides]
    types = [[_type(side, name) for name in each] for side, each in zip(sides, names, strict=True)]
    found = paired("input", (first.file, second.file), names, [[type.shape for type in each] for each in types])
    return [
        InputPair(name, names[1][place], Port(place, layout, own, types[1][place]))
        for name, own, (place, layout) in zip(names[0], types[0], found, strict=True)
    ]


def _type(side: Side, name: str) -> PortType:
    type = side.outline.inputs[name]
    return PortType(type.get_shape(), numpy_dtype(type.element_type), side.outline.parameters.get(name))


def fed(pairs: Sequence[InputPair], sample: Sample) -> Sample:
    """Return the second model's arguments for a sample of the first."""
    return {pair.second: pair.port.there(sample[pair.first]) for pair in pairs}


def ports(first: Side, second: Side, pairs: Sequence[InputPair]) -> dict[str, BlockArgument]:
    """Return the first model's inputs as arguments of a function that quantizes those that a model quantizes first.

    Samples are drawn over the ranges of these quantizers: the first model's, or the second's if the first is a float.
    """
    block = Block(arg_types=list(first.outline.inputs.values()))
    for argument, pair in zip(block.args, pairs, strict=True):
        found = _quantizer(first, pair.first) or _quantizer(second, pair.second)
        if found is not None and is_float_tensor(argument):
            block.add_op(stablehlo.UniformQuantizeOp(argument, found))
    block.add_op(ReturnOp())
    types = [argument.type for argument in block.args]
    ModuleOp([FuncOp("main", (types, []), Region(block))])
    return dict(zip(first.outline.inputs, block.args, strict=True))


def drawn_domains(
    first: Side, second: Side, pairs: Sequence[InputPair], arguments: Mapping[str, BlockArgument]
) -> dict[str, Domain]:
    """Return the values from which the first model's inputs are drawn, as quantizers and the models' ops tell."""
    found = domains(arguments)
    for number, side, source in imported(first, second):
        own = {(pair.first, pair.second)[number]: pair.first for pair in pairs}
        for name, argument in zip(side.outline.inputs, main_function(source.module).args, strict=True):
            mine = own[name]
            if _take_alike(argument, arguments[mine]):
                found[mine] = min(found[mine], domain_of(argument), key=lambda domain: domain.rank)
    return found


def _take_alike(one: BlockArgument, other: BlockArgument) -> bool:
    """Return True if two inputs take the same values: arrays of one type, or integers wide enough for indices."""
    dtypes = [numpy_dtype(tensor(argument).element_type) for argument in (one, other)]
    are_plain = quantized(one) is None and quantized(other) is None
    return dtypes[0] == dtypes[1] or (are_plain and all(dtype.kind in "iu" and dtype.itemsize > 2 for dtype in dtypes))


def _quantizer(side: Side, name: str) -> UniformQuantizedType | None:
    """Return the type to which a model quantizes an input, or which the input has."""
    [value] = [value for value in side.values if value.tensors[0] == name]
    return side.outline.parameters.get(value.tensor)
