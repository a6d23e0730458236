"""The writing of converted modules: text, artifacts, flatbuffers and models, whole or not at all."""

from __future__ import annotations

import sys
from pathlib import Path

from qconvert.api.models import Converted, Model, ModuleResult
from qconvert.formats import BINARY_FORMS, FORMATS, Format, binary_form, check_name
from qconvert.support.errors import UsageError, in_file
from qconvert.support.file_parts import FilePair
from qconvert.support.files import write_pair, write_whole

_WEIGHTS_SUFFIX = ".safetensors"

_NOTED_BYTES = 1_000_000_000


def save(
    converted: ModuleResult,
    path: str | Path,
    *,
    artifact_version: str | None = None,
    weights: str | Path | None = None,
) -> None:
    """Write a module to a file, whole or not at all, or as text to ``-`` (standard output).

    A file named ``.tosa`` becomes a flatbuffer, which the ``tosa`` engine validates; one named ``.mlirbc`` a
    portable artifact, which the ``stablehlo`` engine makes for the StableHLO version ``artifact_version``, by default
    that of twelve weeks before the engine's. With ``weights``, the large constants of StableHLO go to this .safetensors
    file and become arguments of ``@main``; both files are written or none. The weights of ONNX with external data go to
    a second file named after the first, with ``.data`` behind.

    Raises UsageError where the file cannot be written, its name says another format, or a version is given for text,
    EngineError where the engine refuses the module.
    """
    if str(path) != "-":
        check_name(path, converted.format if isinstance(converted, Converted) else None)
    form = binary_form(path)
    if artifact_version is not None and (form is None or not form.versioned):
        versioned = [form.suffix for form in BINARY_FORMS if form.versioned]
        raise UsageError(f"{path}: an artifact's version can be given for {' and '.join(versioned)} files only")
    if weights is not None:
        check_weights(Path(weights), path, converted.format if isinstance(converted, Converted) else None)
        from qconvert.api.weights import save_with_weights  # most programs have their weights inside

        save_with_weights(converted, Path(path), Path(weights), form, artifact_version)
        return
    held = converted.held if isinstance(converted, Converted) else None
    if isinstance(held, FilePair) and held.is_apart:
        _write_apart(held, path)
    elif str(path) == "-":
        _print(converted)
    elif form is not None and held is None:
        write_whole(Path(path), form.parts(converted.module, artifact_version).write)
    else:
        write_whole(Path(path), converted.write_content)


def memory_note(converted: Converted, path: str | Path, weights: Path | None = None) -> str | None:
    """Return a note on the memory that writing a large binary file takes; None where it takes little."""
    form = None if weights is not None or not FORMATS[converted.format].takes_weights else binary_form(path)
    needed = 0 if form is None else form.memory(converted.module)
    if form is None or needed < _NOTED_BYTES:
        return None
    beside = f"--weights FILE{_WEIGHTS_SUFFIX} keeps the weights beside the program and takes a fraction of that"
    return f"note: a {form.title} of this model needs about {needed / 1e9:.1f} GB of memory. {beside}."


def check_weights(weights: Path, program: str | Path, to: Format | None) -> None:
    """Raise UsageError unless the data of a program's constants can be written to a file of this name beside it."""
    takers = [name for name in Format if FORMATS[name].takes_weights]
    if to not in takers:
        raise UsageError(f"weights are written beside {', '.join(takers[:-1])} and {takers[-1]} only")
    if weights.suffix != _WEIGHTS_SUFFIX:
        raise UsageError(f"'{weights}' is no name for weights: let it end in {_WEIGHTS_SUFFIX}")
    if str(program) == "-":
        raise UsageError("a program with weights beside it is written to a file: give its name with -o")


def _write_apart(pair: FilePair, path: str | Path) -> None:
    if str(path) == "-":
        raise UsageError("the weights are written into a second file beside the model: give it a name with -o")
    write_pair(Path(path), pair.naming, pair.data.write)


def check_target(model: Model, path: str | Path) -> None:
    """Raise an error if what a model becomes cannot be written to a file of this name, before it is converted.

    The errors are a ConversionError for weights that the file cannot hold, and an EngineMissingError.
    """
    form = binary_form(path)
    if form is not None and form.check_source is not None:
        with in_file(model.file):
            form.check_source(model.module)


def save_bytes(content: bytes, path: str | Path) -> None:
    """Write a program to a file, whole or not at all; raises UsageError where that cannot be done."""
    write_whole(Path(path), lambda stream: stream.write(content))


def _print(converted: ModuleResult) -> None:
    """Write to standard output: a model's bytes, or text."""
    if isinstance(converted, Converted) and converted.held is not None:
        converted.write_content(sys.stdout.buffer)
    else:
        converted.write(sys.stdout)
