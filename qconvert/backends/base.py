"""What every backend is: options that know how to lower a module of the IR and how to write it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from qconvert.rewriting.base import Refusal


def option(text: str, metavar: str | None = None) -> dict[str, str | None]:
    """Return the metadata of a :class:`Backend`'s field that users set: its help, and the name of its value."""
    return {"help": text, "metavar": metavar}


QUANTIZED_IO = "give arguments and results quantized types"
"""The help of the option that every format has."""


@dataclass(frozen=True)
class Emission:
    """A module in a format's own ops, and how many of them round in another order than their source did.

    Those ops differ from the source on exact ties, and where adding a zero point rounds a float. A format that is no
    MLIR is its file's ``content``, and the module what that was written from. ``refusals`` says what has another form
    than was asked for, ``spelled_litert`` counts ops of LiteRT's arithmetic that the format says in integers.
    """

    module: ModuleOp
    lost_arithmetic: int
    content: bytes | None = None
    refusals: tuple[Refusal, ...] = ()
    spelled_litert: int = 0


@dataclass(frozen=True)
class Backend(ABC):
    """One way of writing a format; the fields of a subclass are the options.

    A field with the metadata of :func:`option` is an option of the command line, too.
    """

    @property
    def quantizes_edges(self) -> bool:
        """Whether arguments and results that the source converts at once are quantized themselves (``QuantizedIO``)."""
        return False

    @property
    def nhwc_edges(self) -> bool:
        """Whether arguments and results of four dimensions have their channels last instead of second."""
        return False

    def following(self, _opset: int | None, /) -> Backend:
        """Return these options for a source in an opset of ONNX, or in another format (None)."""
        return self

    @abstractmethod
    def lower(self, module: ModuleOp) -> ModuleOp:
        """A copy of ``module`` in the format's ops that still rounds as the source does, for the interpreter.

        Raises ConversionError naming the node that has no form in the format.
        """

    @abstractmethod
    def emit(self, module: ModuleOp, *, in_place: bool = False) -> Emission:
        """A copy of ``module``, or itself, as it is written; raises ConversionError as :meth:`lower` does."""
