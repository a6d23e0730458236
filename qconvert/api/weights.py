"""A program and its weights as two files: written together, read together."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import IO

from xdsl.dialects.builtin import ModuleOp

from qconvert.api.models import Converted, Model, ModuleResult
from qconvert.backends.stablehlo.weights import name_file, weights_to_arguments
from qconvert.formats import BinaryForm
from qconvert.frontends.mlir.weights import (
    WeightsFile,
    check_belongs,
    check_data,
    file_beside,
    give_weights,
    takes_weights,
)
from qconvert.ir import write_encoded
from qconvert.ir.safetensors import checksum_of, write_arrays
from qconvert.support.errors import UsageError
from qconvert.support.files import write_together


def save_with_weights(
    converted: ModuleResult, path: Path, weights: Path, form: BinaryForm | None, version: str | None
) -> None:
    """Write a program, and the data of its large constants to a safetensors file: both files or none.

    Raises UsageError where a file cannot be written, EngineError where the engine refuses the module.
    """
    module = converted.module.clone()
    arrays = weights_to_arguments(module)

    def write_weights(stream: IO[bytes]) -> None:
        name_file(module, weights.name, write_arrays(stream, arrays))

    def write_program(stream: IO[bytes]) -> None:
        _write(module, stream, form, version)

    write_together([(weights, write_weights), (path, write_program)])


def _write(module: ModuleOp, stream: IO[bytes], form: BinaryForm | None, version: str | None) -> None:
    if form is None:
        write_encoded(module, stream)
    else:
        stream.write(form.write(module, version))


def with_weights(module: ModuleOp, program: Path | None, given: Path | None) -> str | None:
    """Give a module that was read its weights: of a file, or of the file beside the program that the module names.

    Returns the name that the module has for the file, None for a module without weights in a file. Raises
    ConversionError naming the file if it does not belong to the program, UsageError for a file that no argument needs.
    """
    if not takes_weights(module):
        if given is not None:
            raise UsageError(f"{given}: the model takes no weights from a file; leave out --weights")
        return None
    return give_weights(module, WeightsFile(given or file_beside(module, program)))


def check_weights(module: ModuleOp, given: Path) -> None:
    """Raise ConversionError naming a file that does not belong to a module, or whose data have changed."""
    if not takes_weights(module):
        raise UsageError(f"{given}: the module takes no weights from a file; leave out --weights")
    found = WeightsFile(given)
    check_belongs(module, found)
    check_data(found)


def is_pair_of(given: Model, converted: Converted) -> bool:
    """Return True if a program and its weights, as they were read, are what a conversion gives."""
    assert given.weights is not None
    module = converted.module.clone()
    arrays = weights_to_arguments(module)
    name_file(module, given.weights, checksum_of(arrays))
    stream = BytesIO()
    _write(module, stream, given.binary, None)
    return stream.getvalue() == given.content
