"""A model as read, and as converted: the module with what is known beside it."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from qconvert.formats import Format, is_artifact, is_flatbuffer
from qconvert.support.errors import ConversionError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from qconvert.backends.ports import QuantizedPort
    from qconvert.rewriting.base import Refusal


@dataclass(frozen=True)
class Model:
    """A model as read: its module, and what is needed to run the source itself.

    ``assumed_dims`` names the symbolic batch dimensions that became 1 because nobody gave a size; ``op_types`` gives
    the operator of each source node, ``opset`` the version of them.
    """

    module: ModuleOp
    format: Format
    file: str
    path: Path | None = None
    data: bytes | None = None
    dims: Mapping[str, int] = field(default_factory=dict)
    assumed_dims: tuple[str, ...] = ()
    op_types: Mapping[str, str] = field(default_factory=dict)
    opset: int | None = None

    @property
    def input_names(self) -> tuple[str, ...]:
        """The inputs' names in order."""
        return _names(self.module, "input_names", "arg", inputs=True)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The outputs' names in order."""
        return _names(self.module, "output_names", "result", inputs=False)

    @cached_property
    def content(self) -> bytes:
        """The file's bytes; of a model that was made here, its module's text."""
        if self.path is None and self.data is None:
            from qconvert.ir.printing import module_text

            return module_text(self.module).encode()
        return self.data if self.data is not None else cast("Path", self.path).read_bytes()

    @cached_property
    def text(self) -> str:
        """A module as text: the file's own or, where it is a binary one, what is printed of its module."""
        from qconvert.ir.printing import module_text

        is_binary = is_artifact(self.content) or is_flatbuffer(self.content)
        return module_text(self.module) if is_binary else decoded(self.content)

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the file's bytes."""
        import hashlib

        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True)
class Written(ABC):
    """A module that can be written as text."""

    module: ModuleOp

    def write(self, stream: IO[str]) -> None:
        """Write the text."""
        from qconvert.ir.printing import write_module

        write_module(self.module, stream)

    @cached_property
    def text(self) -> str:
        """The text as one string."""
        from qconvert.ir.printing import module_text

        return module_text(self.module)


@dataclass(frozen=True)
class Transformed(Written):
    """A module after passes; ``refusals`` says what they left alone, and why."""

    refusals: tuple[Refusal, ...]


@dataclass(frozen=True)
class Converted(Written):
    """A converted module, with what the conversion has to say.

    ``refusals`` says what stayed float between dequantize and quantize; ``lost_arithmetic`` counts ops whose order of
    rounding the format cannot say, so that exact ties may differ; ``lost_litert`` those that follow LiteRT's arithmetic
    before and not after, ``spelled_litert`` those that say it in integers.
    """

    make_fused: Callable[[], ModuleOp]
    format: Format
    refusals: tuple[Refusal, ...]
    lost_arithmetic: int
    content: bytes | None = None
    spelled_litert: int = 0
    lost_litert: int = 0

    @cached_property
    def fused(self) -> ModuleOp:
        """The IR that the backend was given, made again: every layer still has its source names."""
        return self.make_fused()

    @property
    def quantized_ports(self) -> tuple[QuantizedPort, ...]:
        """The inputs and outputs that are given as storage integers, with the types they stand for."""
        from qconvert.backends.ports import quantized_ports

        names = (
            _names(self.module, "input_names", "arg", inputs=True),
            _names(self.module, "output_names", "result", inputs=False),
        )
        return quantized_ports(self.module, *names)


TENSOR_NAME = "tosa.tensor_name"
"""What TOSA's tools name an argument or a result by."""


def _names(module: ModuleOp, attribute: str, prefix: str, *, inputs: bool) -> tuple[str, ...]:
    from xdsl.dialects.builtin import ArrayAttr, StringAttr

    from qconvert.interpreter.core import main_function

    function = main_function(module)
    found = function.attributes.get(attribute)
    if isinstance(found, ArrayAttr):
        return tuple(cast("StringAttr", name).data for name in found)
    ports = function.arg_attrs if inputs else function.res_attrs
    named = [entry.data.get(TENSOR_NAME) for entry in ports or ()]
    if named and all(isinstance(name, StringAttr) for name in named):
        return tuple(cast("StringAttr", name).data for name in named)
    count = len(function.function_type.inputs if inputs else function.function_type.outputs)
    return tuple(f"{prefix}{i}" for i in range(count))


def decoded(data: bytes) -> str:
    """A text's characters; raises ConversionError where it is no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ConversionError(f"byte {error.start} is no UTF-8") from error
