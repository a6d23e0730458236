"""The library's door: load, convert, transform, save."""

from __future__ import annotations

import sys
from abc import ABC
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from qconvert.errors import ConversionError, EngineError, EngineMissingError, UsageError
from qconvert.formats import (
    HEAD_BYTES,
    OUTPUT_FORMATS,
    Format,
    default_passes,
    is_artifact,
    is_flatbuffer,
    is_tflite,
    make_pass,
    recognise,
    simulation_passes,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from qconvert.backends.base import Backend
    from qconvert.backends.ports import QuantizedPort
    from qconvert.passes.base import Pass, Refusal

Options = TypeVar("Options", bound="Backend")
Arrays: TypeAlias = "dict[str, NDArray[Any]]"


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
            from qconvert.dialects.printing import module_text

            return module_text(self.module).encode()
        return self.data if self.data is not None else cast("Path", self.path).read_bytes()

    @cached_property
    def text(self) -> str:
        """A module as text: the file's own or, where it is a binary one, what is printed of its module."""
        from qconvert.dialects.printing import module_text

        is_binary = is_artifact(self.content) or is_flatbuffer(self.content)
        return module_text(self.module) if is_binary else _decoded(self.content)

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
        from qconvert.dialects.printing import write_module

        write_module(self.module, stream)

    @cached_property
    def text(self) -> str:
        """The text as one string."""
        from qconvert.dialects.printing import module_text

        return module_text(self.module)


@dataclass(frozen=True)
class Transformed(Written):
    """A module after passes; ``refusals`` says what they left alone, and why."""

    refusals: tuple[Refusal, ...]


@dataclass(frozen=True)
class Converted(Written):
    """A converted module, with what the conversion has to say.

    ``fused`` is the IR that the backend was given, where every layer still has its source names. ``refusals`` says what
    stayed float between dequantize and quantize; ``lost_arithmetic`` counts ops whose order of rounding the format
    cannot say, so that exact ties may differ.
    """

    fused: ModuleOp
    format: Format
    refusals: tuple[Refusal, ...]
    lost_arithmetic: int
    content: bytes | None = None
    spelled_litert: int = 0

    @property
    def lost_litert(self) -> int:
        """How many ops follow LiteRT's arithmetic before and not after: TOSA has it, but for activations in floats."""
        from qconvert.dialects.hybrid import is_hybrid
        from qconvert.interpreter.core import follows_litert

        following = [op for op in self.fused.walk() if follows_litert(op)]
        return sum(self.format is not Format.TOSA or is_hybrid(op) for op in following) - self.spelled_litert

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


def load(
    source: str | Path | bytes,
    *,
    dims: Mapping[str, int] | None = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
) -> Model:
    """Read a model from a path, from ``-`` (standard input) or from its bytes; the format is seen from the content.

    ``dims`` gives sizes to symbolic dimensions. ``inputs`` and ``outputs`` cut an ONNX or TFLite model at tensors.
    Raises ConversionError naming file and node, or UsageError where the file cannot be opened.
    """
    if isinstance(source, bytes):
        return _load(source, "<bytes>", dims or {}, inputs, outputs)
    if str(source) == "-":
        return _load(sys.stdin.buffer.read(), "<stdin>", dims or {}, inputs, outputs)
    return _load(Path(source), str(source), dims or {}, inputs, outputs)


def unsupported(source: str | Path) -> list[ConversionError]:
    """An error for each node of an ONNX or TFLite file whose operator is not read; nothing is converted.

    Files of other formats have none.

    Raises ConversionError where the file is no model, or UsageError where it cannot be opened.
    """
    content = sys.stdin.buffer.read() if str(source) == "-" else Path(source)
    try:
        found = recognise(_head(content))
        if found is Format.TFLITE:
            from qconvert.frontends.tflite import unsupported_nodes as unsupported_operators

            return unsupported_operators(content if isinstance(content, bytes) else content.read_bytes())
        if found is not Format.ONNX:
            return []
        from qconvert.frontends.onnx import unsupported_nodes

        return unsupported_nodes(content)
    except ConversionError as error:
        raise error.located(file=str(source)) from error


def _head(source: Path | bytes) -> bytes:
    """The first bytes of a file, by which its format is recognised; raises UsageError where it cannot be opened."""
    if isinstance(source, bytes):
        return source[:HEAD_BYTES]
    try:
        with source.open("rb") as stream:
            return stream.read(HEAD_BYTES)
    except OSError as error:
        raise UsageError(f"{source}: cannot be read: {error.strerror}") from error


def _load(
    source: Path | bytes, file: str, dims: Mapping[str, int], inputs: Sequence[str], outputs: Sequence[str]
) -> Model:
    path, data = (source, None) if isinstance(source, Path) else (None, source)
    try:
        found = recognise(_head(source))
        if found is Format.ONNX:
            from qconvert.dialects.entry import Cut
            from qconvert.frontends.onnx import import_model

            folder = None if path is None else path.parent
            imported = import_model(source, folder, dims, Cut(tuple(inputs), tuple(outputs)))
            names = (imported.assumed_dims, imported.op_types)
            return Model(imported.module, found, file, path, data, dims, *names, imported.opset)
        if found is Format.TFLITE:
            from qconvert.dialects.entry import Cut
            from qconvert.frontends.tflite import import_model as import_tflite

            content = source if isinstance(source, bytes) else source.read_bytes()
            graph = import_tflite(content, dims, Cut(tuple(inputs), tuple(outputs)))
            return Model(graph.module, found, file, path, data, dims, graph.assumed_dims, graph.op_types)
        from qconvert.frontends.mlir import load_text

        _refuse_onnx_options(inputs, outputs, dims)
        text = text_of(source if isinstance(source, bytes) else source.read_bytes())
        module = load_text(text, file)
        return Model(module, _format_of(module), file, path, data)
    except ConversionError as error:
        raise error.located(file=file) from error


def _format_of(module: ModuleOp) -> Format:
    """What a module is by its ops: TOSA, StableHLO, or integers of StableHLO with rescales of TOSA."""
    dialects = {op.dialect_name() for op in module.walk()}
    if "tosa" not in dialects:
        return Format.STABLEHLO
    return Format.TOSA_RESCALE if "stablehlo" in dialects else Format.TOSA


def _refuse_onnx_options(inputs: Sequence[str], outputs: Sequence[str], dims: Mapping[str, int]) -> None:
    if dims:
        raise ConversionError("dimensions can be given for ONNX and TFLite models only")
    _refuse_cuts(inputs, outputs)


def _refuse_cuts(inputs: Sequence[str], outputs: Sequence[str]) -> None:
    if inputs or outputs:
        raise ConversionError("cuts can be given for ONNX and TFLite models only")


def text_of(data: bytes) -> str:
    """MLIR text, from a portable artifact or a TOSA flatbuffer if need be; raises ConversionError where it is none."""
    if is_flatbuffer(data):
        from qconvert.engines import tosa

        return _read_binary(data, tosa.deserialize, "TOSA flatbuffer")
    if is_artifact(data):
        from qconvert.engines import stablehlo

        return _read_binary(data, stablehlo.read_artifact, "portable artifact")
    if is_tflite(data):
        raise ConversionError("this is a TFLite model, not MLIR")
    return _decoded(data)


def _read_binary(data: bytes, read: Callable[[bytes], str], kind: str) -> str:
    try:
        return read(data)
    except EngineMissingError:
        raise
    except EngineError as error:
        raise ConversionError(
            f"this {kind} cannot be read: {error}", hint="Write it again, or give the module as text"
        ) from error


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ConversionError(f"byte {error.start} is no UTF-8") from error


def convert(model: Model, to: Format = Format.STABLEHLO, options: Backend | None = None) -> Converted:
    """Convert a model; the model itself is not changed.

    ``options`` are the target's (``StableHloOptions``, ``TosaOptions``). Raises ConversionError naming the node where
    something has no form in the target, UsageError for options of another target.
    """
    from qconvert.passes.base import run_passes, verify

    if to not in OUTPUT_FORMATS:
        raise UsageError(f"{to} cannot be written")
    if model.format in (Format.TOSA, Format.TOSA_RESCALE):
        return _rewritten(model, to, options)
    fused = model.module.clone()
    try:
        verify(fused, "reading")
        names = (*simulation_passes(op.name for op in fused.walk()), *default_passes(to))
        results = run_passes(fused, [make_pass(name) for name in names])
        emission = backend_options(to, options).following(model.opset).emit(fused)
    except ConversionError as error:
        raise error.located(file=model.file) from error
    refusals = (*(refusal for result in results for refusal in result.refusals), *emission.refusals)
    said = (emission.lost_arithmetic, emission.content, emission.spelled_litert)
    return Converted(emission.module, fused, to, refusals, *said)


def _rewritten(model: Model, to: Format, options: Backend | None) -> Converted:
    """A model in whose ops no quantization is left to convert; raises UsageError for anything to be done to it."""
    if (model.format, to) == (Format.TOSA_RESCALE, Format.STABLEHLO_INT):
        return _spelled_out(model, options)
    if to is not model.format:
        raise UsageError(
            f"{model.file} is {model.format}, from which there is no way to {to}; give the model it was made of"
        )
    if options is not None and backend_options(to, options) != backend_options(to):
        raise UsageError(f"{model.file} is {model.format} already; give options with the model it was made of")
    module = model.module.clone()
    return Converted(module, module, to, (), 0)


def _spelled_out(model: Model, options: Backend | None) -> Converted:
    """Rescales as multiplications and shifts; raises ConversionError naming the node of one that has no such form."""
    from qconvert.passes.base import run_passes

    to = Format.STABLEHLO_INT
    if options is not None and backend_options(to, options) != backend_options(to):
        raise UsageError(f"{model.file} is {model.format}, all in integers already; it takes no options")
    module = model.module.clone()
    names = ("tosa-rescale-legalize-to-stablehlo", "legalize-quant-to-math", "cse", "dce")
    try:
        spelled, *_ = run_passes(module, [make_pass(name) for name in names])
    except ConversionError as error:
        raise error.located(file=model.file) from error
    for refusal in spelled.refusals:
        raise ConversionError(refusal.reason, node=refusal.node, op=refusal.op, file=model.file)
    return Converted(module, module, to, (), 0)


def backend_options(to: Format, options: Backend | None = None) -> Backend:
    """The options a format is written with: those given, else its defaults; the format says what is quantized as what.

    Raises UsageError where those given are another format's.
    """
    if to is Format.ONNX:
        from qconvert.backends.onnx import OnnxOptions

        return _checked_options(to, options or OnnxOptions(), OnnxOptions)
    if to is Format.TOSA:
        from qconvert.backends.tosa import TosaOptions

        return _checked_options(to, options or TosaOptions(), TosaOptions)
    from qconvert.backends.stablehlo import QuantizedAs, StableHloOptions

    forms = {Format.STABLEHLO_INT: QuantizedAs.INTEGERS, Format.TOSA_RESCALE: QuantizedAs.RESCALES}
    checked = _checked_options(to, options or StableHloOptions(), StableHloOptions)
    return replace(checked, quantized_as=forms.get(to, QuantizedAs.TYPES))


def _checked_options(to: Format, options: Backend, kind: type[Options]) -> Options:
    if not isinstance(options, kind):
        raise UsageError(f"{to} is not written with {type(options).__name__}")
    return options


def transform(model: Model, passes: Iterable[str | Pass]) -> Transformed:
    """Run passes, given by name or made by the caller, over a copy of a model's module.

    Raises UsageError for a name no pass has, ConversionError where a pass needs what does not hold or fails.
    """
    from qconvert.passes.base import run_passes, verify

    steps = [make_pass(step) if isinstance(step, str) else step for step in passes]
    module = model.module.clone()
    try:
        verify(module, "reading")
        results = run_passes(module, steps, verify_each=True)
    except ConversionError as error:
        raise error.located(file=model.file) from error
    return Transformed(module, tuple(refusal for result in results for refusal in result.refusals))
