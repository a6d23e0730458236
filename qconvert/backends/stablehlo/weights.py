"""Large constants of a program as arguments of ``@main``, whose data stand in a safetensors file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from qconvert.dialects.port_names import INPUT_NAMES, argument_names
from qconvert.dialects.stablehlo import ConstantOp
from qconvert.interpreter.core import main_function
from qconvert.ir import (
    WEIGHTS_CHECKSUM,
    WEIGHTS_FILE,
    WEIGHTS_TENSOR,
    LateArray,
    array_of,
    describe,
)
from qconvert.ir.dense_printing import is_splat
from qconvert.ir.safetensors import METADATA, NamedArray, aligned, file_dtype
from qconvert.rewriting import erase

_SMALLEST = 1 << 10
"""The smallest constant, in bytes in memory, that becomes an argument; smaller ones are parameters of ops."""


def weights_to_arguments(module: ModuleOp, *, names_inputs: bool = True) -> list[NamedArray]:
    """Replace the large constants of ``@main`` by arguments, in place; return the constants in the order of a file.

    ::

        func @main(%x) { constant "0x.." loc("w") ... }

        func @main(%x, %0 {weights.tensor = "w"}) { ... }

    Constants in regions and in other functions stay, and so do those with one value everywhere. ``names_inputs`` adds
    the names to those of the function's inputs.
    """
    function = main_function(module)
    block, names = function.body.block, list(argument_names(function))
    attributes = list(function.arg_attrs or [DictionaryAttr({})] * len(block.args))
    found: list[tuple[ConstantOp, NamedArray]] = []
    taken = {METADATA, *names}
    for op in block.ops:
        dtype = _dtype_of_weight(op)
        if dtype is not None and isinstance(op, ConstantOp):
            found.append((op, NamedArray(_unique(_name(op), taken), op.value.held, dtype)))
    for op, array in found:
        argument = block.insert_arg(op.output.type, len(block.args))
        op.output.replace_all_uses_with(argument)
        erase(op)
        names.append(array.name)
        attributes.append(DictionaryAttr({WEIGHTS_TENSOR: StringAttr(array.name)}))
    function.update_function_type()  # type: ignore[no-untyped-call]
    function.arg_attrs = ArrayAttr(attributes)
    if names_inputs:
        function.attributes[INPUT_NAMES] = ArrayAttr(map(StringAttr, names))
    return aligned(array for _, array in found)


class LateSample(Mapping[str, NDArray[Any]]):
    """Weights as an engine takes them, by name; each is read when it is asked for."""

    def __init__(self, arrays: Iterable[NamedArray]) -> None:
        self._arrays = {array.name: array for array in arrays}

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = self._arrays[name]
        return array_of(found.held).astype(found.dtype, copy=False)

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


def name_file(module: ModuleOp, file: str, checksum: str) -> None:
    """Write into a module which file has the data of its arguments."""
    module.attributes |= {WEIGHTS_FILE: StringAttr(file), WEIGHTS_CHECKSUM: StringAttr(checksum)}


def _dtype_of_weight(op: Operation) -> np.dtype[Any] | None:
    """Return the type that a constant has in a file; None for an op that stays."""
    if not isinstance(op, ConstantOp) or op.value.held.nbytes < _SMALLEST:
        return None
    if not isinstance(op.value.held, LateArray) and is_splat(op.value.held):
        return None
    return file_dtype(op.value.type.element_type)


def _name(op: ConstantOp) -> str:
    """Return the source's name of a constant; of one without a name that of the op that uses it."""
    users = (describe(use.operation) for use in op.output.uses)
    return describe(op) or next(filter(None, users), "weight")


def _unique(name: str, taken: set[str]) -> str:
    """Return a name that is not taken yet, and take it: the name, or the name with a number."""
    free = next(text for text in chain([name], (f"{name}.{number}" for number in count(1))) if text not in taken)
    taken.add(free)
    return free
