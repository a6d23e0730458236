"""The interface of a format: one object with all facts and operations that other layers need.

A format's frontend and backend are imported when a model is read or written: a conversion uses one of each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation

from qconvert.backends.base import Backend, Emission, WriteOptions
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.engines.modules import Program, Results
from qconvert.engines.wire import Ran
from qconvert.expansion.registry import follows_litert, is_hybrid_of_litert
from qconvert.frontends.base import Imported, Outline
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary
from qconvert.ir import element_type, is_float, source_nodes
from qconvert.passes.dynamism.open_size import OpenDimension
from qconvert.rewriting import AfterPass, Refusal
from qconvert.support.content import Content
from qconvert.support.counting import counted
from qconvert.support.errors import ConversionError, EngineError, EngineMissingError, UsageError
from qconvert.support.file_parts import FileParts

Array: TypeAlias = NDArray[Any]
Arrays: TypeAlias = dict[str, Array]


class RunMany(Protocol):
    """A function that runs programs on an engine under limits; it takes a program after the last one has ended."""

    def __call__(self, programs: Iterable[Program], *, limits: Limits | None) -> list[Results | EngineError]:
        """Return for each program its results, or the error that ended it."""


class Format(StrEnum):
    """Formats that qconvert reads or writes; ``qconvert.formats.FORMATS`` has the object of each."""

    ONNX = "onnx"
    TFLITE = "tflite"
    STABLEHLO = "stablehlo"
    STABLEHLO_QDQ = "stablehlo-qdq"
    STABLEHLO_INT = "stablehlo-int"
    TOSA_RESCALE = "tosa-rescale"
    TOSA = "tosa"


class Signature(NamedTuple):
    """Bytes that every file of a format has at one offset."""

    offset: int
    content: bytes

    def matches(self, head: bytes | memoryview) -> bool:
        """Return whether a file's first bytes have the signature."""
        return head[self.offset : self.offset + len(self.content)] == self.content


_CONTROL = bytes({*range(32), 127} - set(b"\t\n\v\f\r"))


def is_text(head: bytes) -> bool:
    """Return whether a file's first bytes are text, in any encoding that has ASCII in it: no control characters."""
    first = head[:HEAD_BYTES]
    return first.translate(None, _CONTROL) == first


HEAD_BYTES = 4096
"""The number of a file's first bytes by which its format is recognised; text with a longer header needs more."""


class BinaryForm(NamedTuple):
    """A binary file that holds a module of MLIR: its name, how it is recognised, read and written.

    ``parts`` takes the module and the version of the format to write it for, None for the usual one. A form that is not
    ``versioned`` has one version only. ``check_source`` takes a module of StableHLO that is to be converted, and raises
    an error if the form cannot hold what it becomes, or cannot be written here. ``memory`` returns the bytes of memory
    that writing a module takes, about.
    """

    title: str
    suffix: str
    signature: Signature
    decode: Callable[[bytes], str]
    parts: Callable[[ModuleOp, str | None], FileParts]
    versioned: bool = False
    check_source: Callable[[ModuleOp], None] | None = None
    memory: Callable[[ModuleOp], int] = lambda _: 0

    def write(self, module: ModuleOp, version: str | None = None) -> bytes:
        """Return the bytes of a module's file; raises errors as ``parts`` does."""
        return self.parts(module, version).joined()

    def read(self, content: bytes) -> str:
        """Return the text of a file's module.

        Raises ConversionError where the file cannot be read, EngineMissingError where its engine is not installed.
        """
        try:
            return self.decode(content)
        except EngineMissingError:
            raise
        except EngineError as error:
            hint = "Write it again, or give the module as text"
            raise ConversionError(f"this {self.title} cannot be read: {error}", hint=hint) from error


class Traced(NamedTuple):
    """A reference's run on some samples: tensors by name without optimisation, and the outputs with it.

    ``optimised`` is empty if the runtime breaks the model while it optimises it. ``notes`` tell where the runtime did
    not run as usual, ``optimised_notes`` where it did not with optimisation.
    """

    tensors: list[Arrays]
    optimised: list[Arrays]
    notes: tuple[str, ...] = ()
    optimised_notes: tuple[str, ...] = ()


class Reference(NamedTuple):
    """The runtime that defines what a source format computes.

    ``optimisation`` names how much the runtime rewrites a model when conversions are compared with it. ``run`` takes a
    model as it is, one sample and the limits. ``plain`` takes a model, samples, the tensors to return besides the
    outputs, and the limits, and runs what conversions are compared with. ``trace`` takes the outputs, too, and runs
    twice: as ``plain``, and with optimisation for the outputs.
    """

    engine: EngineName
    optimisation: str
    run: Callable[[Path | bytes, Mapping[str, Array], Limits | None], Ran]
    plain: Callable[[Path | bytes, Sequence[Mapping[str, Array]], Sequence[str], Limits | None], Ran]
    trace: Callable[
        [Path | bytes, Sequence[Mapping[str, Array]], Sequence[str], Sequence[str], Limits | None],
        Traced,
    ]
    lacks: Callable[[EngineError], str | None] = lambda _: None
    """Returns the operator that the runtime lacks, according to its error, or None."""
    misread: Callable[[Content, Dimensions], Iterable[ConversionError]] = lambda *_: ()
    """Returns an error for each operator of a file that the runtime runs with a kernel of other types."""

    def stand_in(self, error: EngineError) -> str | None:
        """Return why qconvert's interpreter takes the runtime's place; None for an error that it does not explain."""
        missing = self.lacks(error)
        if missing is None:
            return None
        return f"{self.engine} lacks {missing}: qconvert's interpreter is the reference, which is no independent judge"


FUSED = ("fold", "legalize-qdq-to-quantized-op", "hybridize")
"""The passes that make quantized ops of float ops between dequantize and quantize."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelFormat(ABC):
    """A format: its facts as fields, its operations as methods.

    ``suffix`` ends the names that qconvert gives to files of the format. It chooses the format if the user does not,
    and so do ``suffixes``. ``own_engine`` is the default engine for a file of the format. ``options`` is the class of
    the options that the format is written with; ``passes`` run before the backend. ``runs`` gives the engines that run
    programs of the format; ``rewriting_runs`` gives those that first rewrite a program, as the engine's default
    settings do.

    ``lowered_ways`` is None for a format that converts to every other one. A format whose quantization is lowered to
    integers converts only to the formats that ``lowered_ways`` lists with the passes that lead there.
    """

    is_mlir: ClassVar[bool] = False
    keeps_open_dims: ClassVar[bool] = False
    """True if sizes of inputs may stay open in the format's files."""
    keeps_calls: ClassVar[bool] = False
    """True if functions may call others in the format's files."""
    takes_weights: ClassVar[bool] = False
    """True if weights may be arguments whose data stand in another file."""

    name: Format
    title: str
    suffix: str
    suffixes: tuple[str, ...] = ()
    signature: Signature | None = None
    usual_start: bytes = b""
    """The first bytes of most files of a format without a signature; other files may start with them, too."""
    options: type[WriteOptions]
    binary: BinaryForm | None = None
    passes: tuple[str, ...] = FUSED
    lowered_ways: Mapping[Format, tuple[str, ...]] | None = None
    runs: Mapping[EngineName, RunMany] = field(default_factory=dict)
    rewriting_runs: Mapping[EngineName, RunMany] = field(default_factory=dict)
    rewriting: str = "graph optimisation"
    """The property that ``rewriting_runs`` have and ``runs`` lack, for messages."""
    compares_rewritten_layers: bool = False
    """True if layers are compared in ``rewriting_runs``, too."""
    own_engine: EngineName = EngineName.REFERENCE
    reference: Reference | None = None
    tie_note: str = ""
    """The note on ops whose exact ties may differ, without their number."""
    follows_litert: bool = False
    """True if layers compute as LiteRT does, so that their integers must equal LiteRT's."""
    in_qdq: bool = False
    """True if an op on quantized values is written as an op on floats between dequantize and quantize."""
    expresses_litert: bool = False
    """True if LiteRT's fixed-point arithmetic can be written, so that every integer must equal LiteRT's."""
    tie_margin: float = 0.0
    """The distance from a tie, in LSB of 8 bits, within which the format's own float arithmetic may meet the tie."""
    expresses_hybrid: bool = False
    """True if the lowered and the written module quantize these activations at run time in ops of their own."""
    exact_inputs: bool = False
    """True if inputs are quantized in the source's order of rounding, so that exact ties must be equal, too."""

    def resembles(self, head: bytes) -> bool:
        """Return whether a file without any format's signature seems to be of this format, by its first bytes."""
        del head
        return False

    @abstractmethod
    def read(self, content: Content, file: str, dims: Dimensions, boundary: Boundary) -> Imported:
        """Read a model, and record its open dimensions in ``dims``.

        Raises ConversionError where the model cannot be read, sized or cut.
        """

    def outline(self, content: Content, dims: Dimensions) -> Outline | None:
        """Return a file's nodes and tensors by name, None if they are only known by reading the model.

        Raises ConversionError as :meth:`read` does, but not for unknown operators.
        """
        del content, dims
        return None

    def files(self, content: Content) -> list[Content]:
        """Return the files beside a model's own that hold a part of it.

        Raises ConversionError where the model cannot be read or a file is missing.
        """
        del content
        return []

    def text(self, content: bytes | memoryview) -> str:
        """Return the MLIR text that a file holds; raises ConversionError where it holds none."""
        del content
        raise ConversionError(f"this is a {self.title} model, not MLIR")

    def program(self, content: Content) -> bytes:
        """Return the bytes of a model as engines take them, complete."""
        return bytes(content.read())

    def read_format(self, module: ModuleOp) -> Format:
        """Return the format of a module that :meth:`read` returned."""
        del module
        return self.name

    def errors(self, module: ModuleOp) -> Iterable[ConversionError]:
        """Return the violations of the format's specification in a parsed module, which is not verified yet."""
        del module
        return ()

    def file_errors(self, content: Content, dims: Dimensions) -> Iterable[ConversionError] | None:
        """Return what a file's own runtime does not take of it; None for a format whose modules are checked."""
        del content, dims
        return None

    def unsupported(self, content: Content) -> list[ConversionError]:
        """Return an error for each node of a file whose operator cannot be read, without converting any."""
        del content
        return []

    def checked_options(self, given: WriteOptions | None = None) -> WriteOptions:
        """Return the options to write with: those given, or the defaults.

        Raises UsageError where the options are another format's.
        """
        found = given or self.options()
        if not isinstance(found, self.options):
            raise UsageError(
                f"{type(found).__name__} are not the options of {self.name}, which are {self.options.__name__}"
            )
        return found

    @abstractmethod
    def backend(self) -> Backend:
        """Return the module that writes the format."""

    def emit(
        self, module: ModuleOp, options: WriteOptions, *, in_place: bool = False, after: AfterPass | None = None
    ) -> Emission:
        """Return a copy of ``module``, or itself, as it is written; ``after`` is called after each pass.

        Raises ConversionError naming the node that has no form in the format.
        """
        return self.backend().emit(module, options, in_place=in_place, after=after)

    def opened(
        self,
        written: Sequence[tuple[ModuleOp, bytes | FileParts | None]],
        dimension: OpenDimension,
        options: WriteOptions,
    ) -> tuple[ModuleOp, FileParts | None]:
        """Return one module, and the file's bytes, with an open dimension; ``written`` has them at each of its sizes.

        Raises ConversionError naming what cannot stay open.
        """
        del written, options
        raise dimension.refusal(f"{self.title} needs a size")

    def run_programs(
        self, engine: EngineName, programs: Iterable[Program], limits: Limits | None = None, *, rewriting: bool = False
    ) -> list[Results | EngineError]:
        """Run programs of this format on an engine, one that is ``rewriting`` them first if that is asked for.

        Raises UsageError where the engine does not take the format.
        """
        if engine not in self.runs:
            raise UsageError(f"{engine} does not run {self.name}")
        return (self.rewriting_runs if rewriting else self.runs)[engine](programs, limits=limits)

    def program_options(self, module: ModuleOp) -> Mapping[str, str]:
        """Return the options that engines need besides a module's text."""
        del module
        return {}

    def argument(self, array: Array) -> Array:
        """Return an argument in the element type that the format has for it."""
        return array

    def result(self, array: Array, dtype: np.dtype[Any]) -> Array:
        """Return a result in the element type that the source has for it."""
        del dtype
        return array

    def loses_litert(self, op: Operation) -> bool:
        """Return whether an op follows LiteRT's arithmetic and the format cannot express that."""
        expressed = self.expresses_hybrid if is_hybrid_of_litert(op) else self.expresses_litert
        return follows_litert(op) and not expressed

    def litert_note(self, count: int, litert_ops: int) -> str:
        """Return the note on ``count`` ops that lose LiteRT's arithmetic, where ``litert_ops`` ops keep it."""
        del litert_ops
        cause = f"because {self.title} cannot express LiteRT's rounding"
        return f"{counted(count, 'op')} may differ from LiteRT, most by 1 LSB, {cause}"

    def float_candidates(self, fused: ModuleOp) -> Iterable[Refusal]:
        """Return the ops of a fused module that may compute in float in the file, with the reasons; none by default."""
        del fused
        return ()

    def staying(self, refusals: Sequence[Refusal], written: ModuleOp) -> list[Refusal]:
        """Return the refused ops that compute in float in ``written``; a table of TOSA may have replaced an op."""
        floats = {name for op in written.walk() if self._computes(op) for name in source_nodes(op)}
        return [refusal for refusal in refusals if refusal.node in floats]

    def _computes(self, op: Operation) -> bool:
        """Return True if an op of a written module computes in float."""
        return any(isinstance(value.type, TensorType) and is_float(element_type(value)) for value in op.results)

    def refusal_notes(self, refusals: Sequence[Refusal], file: str, written: ModuleOp) -> Iterator[str]:
        """Yield the note on the refused ops that compute in float in ``written``."""
        count = len(self.staying(refusals, written))
        if count:
            stay = "1 op stays" if count == 1 else f"{count} ops stay"
            target = "" if self.name is Format.STABLEHLO else f" --to {self.name}"
            yield f"note: {stay} in float. qconvert inspect {file} --why{target} lists the reasons."
