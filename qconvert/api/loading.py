"""Reading a model of any format from a file, from standard input or from bytes."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from xdsl.dialects.builtin import ModuleOp

from qconvert.api.models import Model
from qconvert.formats import FORMATS, HEAD_BYTES, needs_more, recognise
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary
from qconvert.ir import WEIGHTS_FILE
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError, UsageError, in_file

STANDARD_INPUT = "-"


class Message(Protocol):
    """A message of protobuf, as ``onnx.ModelProto`` is; naming the class would import onnx for all formats."""

    def SerializeToString(self) -> bytes:  # noqa: N802 - protobuf's name
        """Return the message's bytes."""


class OpenedSource(NamedTuple):
    """A source's name for messages, and its content: standard input can be read only once."""

    file: str
    content: Content


Source: TypeAlias = "str | Path | bytes | Message | OpenedSource"


def load(
    source: Source,
    *,
    dims: Mapping[str, int] | None = None,
    arguments: Mapping[str, Sequence[int]] | None = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    weights: str | Path | None = None,
) -> Model:
    """Read a model: a path, ``-`` (standard input), a file's bytes or an ``onnx.ModelProto``.

    The content decides the format.

    The weights of a file of 64 MiB and more are read when they are needed. A file that changes while it is read is an
    error.

    ``dims`` gives sizes to open dimensions by name, ``arguments`` by the shapes of the inputs' arrays. ``inputs`` and
    ``outputs`` cut an ONNX or TFLite model at tensors. ``weights`` is the .safetensors file of a program whose weights
    are in one, by default the one that the program names, in its folder.
    Raises ConversionError naming file and node, or UsageError where the file cannot be opened.
    """
    file, opened = open_source(source)
    sizes = Dimensions(dims or {}, arguments or {})
    with in_file(file):
        found = FORMATS[recognise(head(opened), file)]
        imported = found.read(opened, file, sizes, Boundary(tuple(inputs), tuple(outputs)))
        opened.check()
        named = _with_weights(imported.module, opened.path, weights)
    name = found.read_format(imported.module)
    about = (sizes.places, tuple(sorted(sizes.assumed)), imported.op_types, imported.opset, imported.node_tensors)
    return Model(imported.module, name, file, opened, *about, named)


def _with_weights(module: ModuleOp, program: Path | None, weights: str | Path | None) -> str | None:
    """Give a module the weights that it takes from a file; return the name that it has for this file, or None."""
    if weights is None and WEIGHTS_FILE not in module.attributes:
        return None
    from qconvert.api.weights import with_weights  # most models have their weights inside

    return with_weights(module, program, None if weights is None else Path(weights))


def unsupported(source: Source) -> list[ConversionError]:
    """Return an error for each node of a file whose operator cannot be read; nothing is converted.

    Raises ConversionError if the file is not a model, UsageError if it cannot be opened.
    """
    file, opened = open_source(source)
    with in_file(file):
        return FORMATS[recognise(head(opened), file)].unsupported(opened)


def open_source(source: Source) -> OpenedSource:
    """Return a source's name and content; reads standard input. Raises UsageError if there is no such file."""
    if isinstance(source, OpenedSource):
        return source
    if not isinstance(source, str | Path | bytes):
        return OpenedSource(f"<{type(source).__name__}>", Content.of(_serialized(source)))
    if isinstance(source, bytes):
        return OpenedSource("<bytes>", Content.of(source))
    if str(source) == STANDARD_INPUT:
        return OpenedSource("<stdin>", _standard_input())
    return OpenedSource(str(source), Content.at(Path(source)))


def _standard_input() -> Content:
    """Return the content of standard input; raises UsageError if it cannot be read."""
    if sys.stdin is None:  # Python's own answer to a closed descriptor
        raise UsageError("standard input: cannot be read: it is closed")
    try:
        return Content.piped(sys.stdin.buffer, "<stdin>")
    except OSError as error:
        raise UsageError(f"standard input: cannot be read: {error.strerror}") from error


def _serialized(source: Message) -> bytes:
    """Return a message's bytes; raises UsageError for another object, and for a message of more than 2 GB."""
    if not hasattr(source, "SerializeToString"):
        raise UsageError(f"a model is a path, bytes or an onnx.ModelProto, not {type(source).__name__}")
    from google.protobuf.message import EncodeError  # loaded already, as the source is a message

    try:
        return source.SerializeToString()
    except (EncodeError, ValueError) as error:  # protobuf in C raises EncodeError, in Python ValueError
        raise UsageError("the model has more than 2 GB: save it with external data, and give the path") from error


def head(content: Content) -> bytes:
    """Return the first bytes of a file, by which its format is recognised; all bytes of a text with a long header."""
    first = bytes(content.read(0, HEAD_BYTES))
    return bytes(content.read()) if needs_more(first) else first
