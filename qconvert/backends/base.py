"""The base class of the options for writing a format, and the result of writing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from xdsl.dialects.builtin import ModuleOp

from qconvert.rewriting import AfterPass, OpProof, Refusal
from qconvert.support.file_parts import FileParts


def option(
    text: str, metavar: str | None = None, parser: Callable[[str], object] | None = None
) -> dict[str, str | Callable[[str], object] | None]:
    """Return the metadata of a :class:`WriteOptions`' field that users set.

    They are the help, the name of the value, and the function that makes the value of a text.
    """
    return {"help": text, "metavar": metavar, "parser": parser}


QUANTIZED_IO = "give arguments and results quantized types"
"""Help text of the option that every format has."""

PROFILE = "compute in floats where needed (mixed), or in integers alone (int)"
"""Help text of the option of formats that integer hardware runs."""


class Profile(StrEnum):
    """The arithmetic of a module: ``mixed`` computes unquantized values in floats, ``int`` uses integers only."""

    MIXED = "mixed"
    INT = "int"


@dataclass(frozen=True)
class FileOperator:
    """An operator in a file: its name in the format, whether one of its tensors has floats, and its source nodes."""

    name: str
    has_floats: bool
    sources: tuple[str, ...] = ()


class Emission(NamedTuple):
    """A module written in a format's own ops.

    ``lost_arithmetic`` counts ops that round in another order than their source. Their results differ on exact ties,
    and where adding a zero point rounds a float. ``content`` is the bytes of the file where the format is not MLIR;
    ``module`` is then the module that was written. ``refusals`` lists the ops that are written in another form than
    requested, with reasons. ``litert_ops`` counts ops with LiteRT's arithmetic that are written as integer operators.
    ``proofs`` has an entry for each op that computes, if the format's backend proves ops. ``operators`` are those of a
    file that is not MLIR, in order, if the backend lists them.
    """

    module: ModuleOp
    lost_arithmetic: int
    content: bytes | FileParts | None = None
    refusals: tuple[Refusal, ...] = ()
    litert_ops: int = 0
    proofs: tuple[OpProof, ...] = ()
    operators: tuple[FileOperator, ...] = ()

    @property
    def file(self) -> bytes | None:
        """Return the bytes of the file as one, None for MLIR."""
        return self.content.joined() if isinstance(self.content, FileParts) else self.content


@dataclass(frozen=True)
class WriteOptions:
    """The options for writing one format; a subclass has one field for each option.

    A field with the metadata of :func:`option` is also an option of the command line.
    """

    @property
    def quantizes_edges(self) -> bool:
        """Return True if arguments and results that are converted at once get quantized types (``QuantizedIO``)."""
        return False

    @property
    def nhwc_edges(self) -> bool:
        """Return True if four-dimensional arguments and results have their channels last instead of second."""
        return False

    @property
    def written_profile(self) -> Profile | None:
        """Return the option ``profile``; None for a format without profiles."""
        return None

    def of_quantization(self) -> WriteOptions:
        """Return these options, with defaults for those that apply to a model of lowered integers, too."""
        return self

    def in_integers(self, _accelerator: str | None = None, /) -> WriteOptions:
        """Return these options for hardware without floats; a format without profiles has no such option.

        Options that name no accelerator name this one, if the format has forms for it.
        """
        return self

    def following(self, _opset: int | None, /) -> WriteOptions:
        """Return these options for a source in an ONNX opset, or in another format (None)."""
        return self


class Backend(Protocol):
    """A module that writes a format. ``options`` are of the format's own class of :class:`WriteOptions`."""

    def emit(
        self, module: ModuleOp, options: Any, *, in_place: bool = False, after: AfterPass | None = None
    ) -> Emission:
        """Return a copy of ``module``, or itself, as it is written; ``after`` is called after each pass."""
