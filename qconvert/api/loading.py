"""Reading a model of any format from a file, from standard input or from bytes."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from qconvert.api.models import Model
from qconvert.formats import FORMATS, HEAD_BYTES, recognise
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary
from qconvert.support.errors import ConversionError, UsageError

STANDARD_INPUT = "-"


class Message(Protocol):
    """A message of protobuf, as ``onnx.ModelProto`` is; naming the class would import onnx for all formats."""

    def SerializeToString(self) -> bytes:  # noqa: N802 - protobuf's name
        """Return the message's bytes."""


class OpenedSource(NamedTuple):
    """A source's name for messages, and its path or its bytes: standard input can be read only once."""

    file: str
    content: Path | bytes


Source: TypeAlias = "str | Path | bytes | Message | OpenedSource"


def load(
    source: Source,
    *,
    dims: Mapping[str, int] | None = None,
    arguments: Mapping[str, Sequence[int]] | None = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
) -> Model:
    """Read a model: a path, ``-`` (standard input), a file's bytes or an ``onnx.ModelProto``.

    The content decides the format.

    A file of 64 MiB and more is not copied: its weights are read from it when they are needed, so it must not change.

    ``dims`` gives sizes to open dimensions by name, ``arguments`` by the shapes of the inputs' arrays. ``inputs`` and
    ``outputs`` cut an ONNX or TFLite model at tensors.
    Raises ConversionError naming file and node, or UsageError where the file cannot be opened.
    """
    file, opened = open_source(source)
    path, data = (opened, None) if isinstance(opened, Path) else (None, opened)
    sizes = Dimensions(dims or {}, arguments or {})
    try:
        found = FORMATS[recognise(_head(opened), file)]
        imported = found.read(opened, file, sizes, Boundary(tuple(inputs), tuple(outputs)))
    except ConversionError as error:
        raise error.located(file=file) from error
    name = found.read_format(imported.module)
    about = (sizes.places, tuple(sorted(sizes.assumed)), imported.op_types, imported.opset, imported.node_tensors)
    return Model(imported.module, name, file, path, data, *about)


def unsupported(source: Source) -> list[ConversionError]:
    """Return an error for each node of a file whose operator cannot be read; nothing is converted.

    Raises ConversionError if the file is not a model, UsageError if it cannot be opened.
    """
    file, opened = open_source(source)
    try:
        return FORMATS[recognise(_head(opened), file)].unsupported(opened)
    except ConversionError as error:
        raise error.located(file=file) from error


def open_source(source: Source) -> OpenedSource:
    """Return a source's name and its path or bytes; reads standard input."""
    if isinstance(source, OpenedSource):
        return source
    if not isinstance(source, str | Path | bytes):
        return OpenedSource(f"<{type(source).__name__}>", _serialized(source))
    if isinstance(source, bytes):
        return OpenedSource("<bytes>", source)
    if str(source) == STANDARD_INPUT:
        return OpenedSource("<stdin>", _read_standard_input())
    return OpenedSource(str(source), Path(source))


def _read_standard_input() -> bytes:
    """Return the bytes of standard input; raises UsageError where it cannot be read."""
    if sys.stdin is None:  # Python's own answer to a closed descriptor
        raise UsageError("standard input: cannot be read: it is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UsageError(f"standard input: cannot be read: {error.strerror}") from error


def _serialized(source: Message) -> bytes:
    """Return a message's bytes; raises UsageError for what is no message, or does not fit in one."""
    if not hasattr(source, "SerializeToString"):
        raise UsageError(f"a model is a path, bytes or an onnx.ModelProto, not {type(source).__name__}")
    from google.protobuf.message import EncodeError  # loaded already, as the source is a message

    try:
        return source.SerializeToString()
    except (EncodeError, ValueError) as error:  # protobuf in C raises EncodeError, in Python ValueError
        raise UsageError("the model has more than 2 GB: save it with external data, and give the path") from error


def read_bytes(source: Path | bytes) -> bytes:
    """Return a source's bytes; raises UsageError where its file cannot be opened."""
    return source if isinstance(source, bytes) else _read(source, -1)


def _head(source: Path | bytes) -> bytes:
    """Return the first bytes of a source; raises UsageError where its file cannot be opened."""
    return source[:HEAD_BYTES] if isinstance(source, bytes) else _read(source, HEAD_BYTES)


def _read(path: Path, count: int) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(count)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
