"""The safetensors file beside a program: its tensors become constants in place of the arguments that they stand for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from qconvert.dialects.port_names import INPUT_NAMES, argument_names
from qconvert.dialects.stablehlo import ConstantOp
from qconvert.interpreter.core import main_function
from qconvert.ir import (
    WEIGHTS_CHECKSUM,
    WEIGHTS_FILE,
    WEIGHTS_TENSOR,
    Recent,
    StoredArray,
    element_type,
    named,
    shape,
    storage_element,
    stored_elements,
)
from qconvert.ir.safetensors import CHECKSUM, METADATA, checksum_of_bytes, file_dtype, stored_as
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError, UsageError

_WINDOW_BYTES = 1 << 24
_SHOWN = 100


class WeightsFile:
    """A safetensors file of which the format's library has checked the header.

    ``tensors`` gives the type, the shape and the bytes of each tensor, ``checksum`` that of the data as the file
    states it, None if it states none.
    """

    def __init__(self, path: Path) -> None:
        """Read the header; raises ConversionError if the file is no safetensors file, UsageError if there is none."""
        self.file = str(path)
        content = Content.at(path)
        if content.path is None:
            raise UsageError(f"{path}: weights are read more than once, so they need a file")
        with content.unchanged():
            _check_header(path)
            start = 8 + int.from_bytes(content.read(0, 8), "little")
            entries = json.loads(bytes(content.read(8, start)))
        self._data = content.part(start, content.size)
        self.checksum: str | None = entries.pop(METADATA, {}).get(CHECKSUM)
        self.tensors = {name: self._tensor(entry) for name, entry in entries.items()}

    def _tensor(self, entry: Mapping[str, Any]) -> tuple[tuple[str, tuple[int, ...]], Content]:
        return (entry["dtype"], tuple(entry["shape"])), self._data.part(*entry["data_offsets"])

    def computed_checksum(self) -> str:
        """Return the sum of the data that the file has."""
        starts = range(0, self._data.size, _WINDOW_BYTES)
        return checksum_of_bytes(self._data.read(start, start + _WINDOW_BYTES) for start in starts)


def _check_header(path: Path) -> None:
    try:
        from safetensors import SafetensorError, safe_open  # an extra, which few commands need
    except ImportError as error:
        raise UsageError(
            "safetensors is not installed, which reads weights: pip install 'qconvert[weights]'"
        ) from error
    try:
        with safe_open(path, "numpy", backend="pread"):  # a memory map would end the process if the file shrinks
            return
    except (SafetensorError, OSError) as error:
        raise ConversionError(f"this is not a safetensors file: {error}", file=str(path)) from error


def takes_weights(module: ModuleOp) -> bool:
    """Return True if a module has arguments whose data stand in a file."""
    return WEIGHTS_FILE in module.attributes


def file_beside(module: ModuleOp, program: Path | None) -> Path:
    """Return the file that a module names, in the folder of the program; raises ConversionError if it is not there."""
    name = _text(module, WEIGHTS_FILE) or ""
    if program is None or not name.isprintable() or name != Path(name).name or not _is_file(program.parent / name):
        shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}..."
        raise ConversionError(
            f"the program's weights, '{shown}', are not beside it", hint="Give them with --weights FILE"
        )
    return program.parent / name


def _is_file(path: Path) -> bool:
    """Return whether there is a file, and no link to another folder; a name that is too long has none."""
    try:
        return path.is_file() and path.resolve().parent == path.parent.resolve()
    except OSError:
        return False


def give_weights(module: ModuleOp, given: WeightsFile) -> str:
    """Replace the arguments that stand for tensors of a file by constants, in place; their elements are read late.

    Returns the name that the module had for the file. Raises ConversionError naming the file if it does not belong to
    the program.
    """
    check_belongs(module, given)
    function, recent = main_function(module), Recent()
    block, names = function.body.block, argument_names(function)
    tensors = _tensor_names(function)
    constants = []
    for argument, name in zip(tuple(block.args), tensors, strict=True):
        if name is not None:
            op = _constant(argument, given.tensors[name][1], recent)
            op.location = named(name)
            argument.replace_all_uses_with(op.output)
            block.erase_arg(argument)
            constants.append(op)
    block.insert_ops_before(constants, block.first_op) if block.first_op else block.add_ops(constants)
    kept = [i for i, name in enumerate(tensors) if name is None]
    function.update_function_type()  # type: ignore[no-untyped-call]
    if function.arg_attrs is not None:
        function.arg_attrs = ArrayAttr(function.arg_attrs.data[i] for i in kept)
    function.attributes[INPUT_NAMES] = ArrayAttr(StringAttr(names[i]) for i in kept)
    found = _text(module, WEIGHTS_FILE) or ""
    for name in (WEIGHTS_FILE, WEIGHTS_CHECKSUM):
        module.attributes.pop(name, None)
    return found


def _constant(argument: BlockArgument, content: Content, recent: Recent) -> ConstantOp:
    dtype = _dtype(argument)
    return ConstantOp.of(stored_elements(StoredArray(content, dtype, shape(argument)), recent), element_type(argument))


def _dtype(argument: BlockArgument) -> np.dtype[Any]:
    """Return the type of an argument's elements in a file; raises ConversionError if the format has none."""
    element = storage_element(element_type(argument))
    dtype = file_dtype(element)
    if dtype is None:
        raise ConversionError(f"an argument of {element} cannot stand for a tensor of a safetensors file")
    return dtype


def check_belongs(module: ModuleOp, given: WeightsFile) -> None:
    """Raise ConversionError naming the file unless it has the tensors of a program, and states the program's data."""
    function = main_function(module)
    for argument, name in zip(function.body.block.args, _tensor_names(function), strict=True):
        if name is None:
            continue
        if name not in given.tensors:
            raise _not_belonging(given, f"it has no tensor '{name}'")
        wanted, found = stored_as(_dtype(argument), shape(argument)), given.tensors[name][0]
        if found != wanted:
            listed = [f"{code} {list(sizes)}" for code, sizes in (found, wanted)]
            raise _not_belonging(given, f"tensor '{name}' is {listed[0]}, the program takes {listed[1]}")
    if _text(module, WEIGHTS_CHECKSUM) != (given.checksum or given.computed_checksum()):
        raise _not_belonging(given, "its data have another checksum")


def check_data(given: WeightsFile) -> None:
    """Raise ConversionError naming the file if its data are not those that it states."""
    if given.checksum is not None and given.checksum != given.computed_checksum():
        found = "the data changed after they were written: their checksum is not the one that the file states"
        raise ConversionError(found, file=given.file, hint="Write the program and its weights again")


def _not_belonging(given: WeightsFile, found: str) -> ConversionError:
    hint = "Give the file that was written with the program"
    return ConversionError(f"these weights do not belong to the program: {found}", file=given.file, hint=hint)


def _tensor_names(function: FuncOp) -> list[str | None]:
    """Return for each argument the name of the tensor that it stands for, None for an input."""
    entries = function.arg_attrs or [DictionaryAttr({})] * len(function.function_type.inputs)
    found = [entry.data.get(WEIGHTS_TENSOR) for entry in entries]
    return [each.data if isinstance(each, StringAttr) else None for each in found]


def _text(module: ModuleOp, name: str) -> str | None:
    found = module.attributes.get(name)
    return found.data if isinstance(found, StringAttr) else None
