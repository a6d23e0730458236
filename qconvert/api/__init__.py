"""The library's door: load, convert, transform, save."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from qconvert.api.models import Converted, Model, Transformed, Written, decoded
from qconvert.formats import (
    HEAD_BYTES,
    OUTPUT_FORMATS,
    Format,
    default_passes,
    is_artifact,
    is_flatbuffer,
    is_tflite,
    recognise,
    simulation_passes,
)
from qconvert.passes import make_pass
from qconvert.support.errors import ConversionError, EngineError, EngineMissingError, UsageError
from qconvert.support.files import content_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from qconvert.backends.base import Backend
    from qconvert.rewriting.base import Pass, Refusal

__all__ = [
    "Converted",
    "Model",
    "Transformed",
    "Written",
    "backend_options",
    "convert",
    "load",
    "text_of",
    "transform",
    "unsupported",
]

Options = TypeVar("Options", bound="Backend")
Arrays: TypeAlias = "dict[str, NDArray[Any]]"


def load(
    source: str | Path | bytes,
    *,
    dims: Mapping[str, int] | None = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
) -> Model:
    """Read a model from a path, from ``-`` (standard input) or from its bytes; the format is seen from the content.

    A file of 64 MiB and more is not copied: its weights are read from it when they are needed, so it must not change.

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

            return unsupported_operators(content if isinstance(content, bytes) else content_of(content))
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
            from qconvert.frontends.main_function import Boundary
            from qconvert.frontends.onnx import import_model

            folder = None if path is None else path.parent
            imported = import_model(source, folder, dims, Boundary(tuple(inputs), tuple(outputs)))
            names = (imported.assumed_dims, imported.op_types)
            return Model(imported.module, found, file, path, data, dims, *names, imported.opset)
        if found is Format.TFLITE:
            from qconvert.frontends.main_function import Boundary
            from qconvert.frontends.tflite import import_model as import_tflite

            content = source if isinstance(source, bytes) else content_of(source)
            graph = import_tflite(content, dims, Boundary(tuple(inputs), tuple(outputs)))
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
    return decoded(data)


def _read_binary(data: bytes, read: Callable[[bytes], str], kind: str) -> str:
    try:
        return read(data)
    except EngineMissingError:
        raise
    except EngineError as error:
        raise ConversionError(
            f"this {kind} cannot be read: {error}", hint="Write it again, or give the module as text"
        ) from error


def convert(model: Model, to: Format = Format.STABLEHLO, options: Backend | None = None) -> Converted:
    """Convert a model; the model itself is not changed.

    ``options`` are the target's (``StableHloOptions``, ``TosaOptions``). Raises ConversionError naming the node where
    something has no form in the target, UsageError for options of another target.
    """
    if to not in OUTPUT_FORMATS:
        raise UsageError(f"{to} cannot be written")
    if model.format in (Format.TOSA, Format.TOSA_RESCALE):
        return _rewritten(model, to, options)
    try:
        fused, refusals = _fuse(model, to)
        litert = _lost_litert(fused, to)
        emission = backend_options(to, options).following(model.opset).emit(fused, in_place=True)
    except ConversionError as error:
        raise error.located(file=model.file) from error
    said = (emission.lost_arithmetic, emission.content, emission.spelled_litert, litert - emission.spelled_litert)
    return Converted(emission.module, lambda: _fuse(model, to)[0], to, (*refusals, *emission.refusals), *said)


def _fuse(model: Model, to: Format) -> tuple[ModuleOp, tuple[Refusal, ...]]:
    """A copy of a model's module as a format's backend takes it, and what was not fused."""
    from qconvert.rewriting.base import run_passes, verify

    module = model.module.clone()
    verify(module, "reading")
    names = (*simulation_passes(op.name for op in module.walk()), *default_passes(to))
    results = run_passes(module, [make_pass(name) for name in names])
    return module, tuple(refusal for result in results for refusal in result.refusals)


def _lost_litert(fused: ModuleOp, to: Format) -> int:
    """How many ops follow LiteRT's arithmetic, which a format lacks: TOSA has it, but for activations in floats."""
    from qconvert.dialects.stablehlo import ContractionOp
    from qconvert.expansion.registry import follows_litert

    lost = [op for op in fused.walk() if follows_litert(op)]
    return sum(to is not Format.TOSA or (isinstance(op, ContractionOp) and op.is_hybrid) for op in lost)


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
    return Converted(module, lambda: module, to, (), 0)


def _spelled_out(model: Model, options: Backend | None) -> Converted:
    """Rescales as multiplications and shifts; raises ConversionError naming the node of one that has no such form."""
    from qconvert.rewriting.base import run_passes

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
    return Converted(module, lambda: module, to, (), 0)


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
    from qconvert.rewriting.base import run_passes, verify

    steps = [make_pass(step) if isinstance(step, str) else step for step in passes]
    module = model.module.clone()
    try:
        verify(module, "reading")
        results = run_passes(module, steps, verify_each=True)
    except ConversionError as error:
        raise error.located(file=model.file) from error
    return Transformed(module, tuple(refusal for result in results for refusal in result.refusals))
