"""The inputs of two models: which belong together, samples for both, and the arrays that the second model takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Region

from qconvert.dialects import stablehlo
from qconvert.interpreter.core import main_function
from qconvert.ir import Tensor, UniformQuantizedType, is_float_tensor, numpy_dtype, quantized, tensor
from qconvert.support.errors import UsageError
from qconvert.validation.compare import Array
from qconvert.validation.comparison.sides import Side, imported
from qconvert.validation.domains import Domain, domain_of
from qconvert.validation.representation import Layout, carried, laid_out, layouts
from qconvert.validation.samples import Sample, domains


@dataclass(frozen=True)
class InputPair:
    """An input of both models, and the layout in which the first model's is the second's."""

    first: str
    second: str
    layout: Layout
    shape: tuple[int, ...]
    elements: tuple[UniformQuantizedType | None, UniformQuantizedType | None]
    dtype: np.dtype[Any]

    def second_array(self, array: Array) -> Array:
        """Return the first model's argument as the second takes it: in its layout, quantized or dequantized."""
        moved = laid_out(array, self.layout, self.shape)
        if moved.dtype == self.dtype and (self.elements[0] == self.elements[1] or None in self.elements):
            return moved
        return carried(moved, *self.elements, self.dtype)


def paired_inputs(first: Side, second: Side) -> list[InputPair]:
    """Return the pairs of inputs: by name, else in order. Raises UsageError where a number or a shape differs."""
    mine, theirs = first.outline.inputs, second.outline.inputs
    if len(mine) != len(theirs):
        raise UsageError(
            f"{first.file} has {_listed(mine)}, {second.file} has {_listed(theirs)}: cut one model, or give the "
            "input a constant, so that both take the same inputs"
        )
    names = list(mine) if mine.keys() == theirs.keys() else list(theirs)
    return [_pair(first, second, a, b) for a, b in zip(mine, names, strict=True)]


def _listed(inputs: Mapping[str, Tensor]) -> str:
    shown = ", ".join(f"'{name}' {list(type.get_shape())}" for name, type in inputs.items())
    return f"{len(inputs)} {'input' if len(inputs) == 1 else 'inputs'} ({shown})"


def _pair(first: Side, second: Side, a: str, b: str) -> InputPair:
    mine, theirs = first.outline.inputs[a], second.outline.inputs[b]
    layout = next(layouts(mine.get_shape(), theirs.get_shape()), None)
    if layout is None:
        raise UsageError(
            f"input '{a}' of {first.file} has the shape {list(mine.get_shape())}, input '{b}' of {second.file} "
            f"{list(theirs.get_shape())}: set open dimensions with --dim NAME=SIZE, or name both inputs alike"
        )
    elements = (first.outline.parameters.get(a), second.outline.parameters.get(b))
    return InputPair(a, b, layout, theirs.get_shape(), elements, numpy_dtype(theirs.element_type))


def fed(pairs: Sequence[InputPair], sample: Sample) -> Sample:
    """Return the second model's arguments for a sample of the first."""
    return {pair.second: pair.second_array(sample[pair.first]) for pair in pairs}


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
