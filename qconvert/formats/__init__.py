"""Names and recognition of formats, and the default pipeline for each target."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from qconvert.support.errors import ConversionError, UsageError


class Format(StrEnum):
    """What qconvert reads or writes."""

    ONNX = "onnx"
    TFLITE = "tflite"
    STABLEHLO = "stablehlo"
    STABLEHLO_QDQ = "stablehlo-qdq"
    STABLEHLO_INT = "stablehlo-int"
    TOSA_RESCALE = "tosa-rescale"
    TOSA = "tosa"


SOURCE_FORMATS = (Format.ONNX, Format.TFLITE)
"""Each has a runtime of its own, with which conversions are compared."""

OUTPUT_FORMATS = tuple(name for name in Format if name is not Format.TFLITE)


_SIMULATED: dict[str, tuple[str, ...]] = {
    "quant.const_fake_quant": ("convert-fake-quant", "quant-casts-to-stablehlo"),
    "quant.const_fake_quant_per_axis": ("convert-fake-quant", "quant-casts-to-stablehlo"),
    "stablehlo.round_nearest_even": ("raise-fake-quant",),
}
"""What turns simulated quantization into the real one, by the ops that are in every simulation."""


def simulation_passes(ops: Iterable[str]) -> tuple[str, ...]:
    """The passes that a module with these ops needs first, of which most need none."""
    found = [name for op in ops for name in _SIMULATED.get(op, ())]
    return tuple(dict.fromkeys(found))


def default_passes(target: Format) -> tuple[str, ...]:
    """The passes between reading a model and handing it to a backend."""
    if target in (Format.STABLEHLO_QDQ, Format.ONNX):
        return ("fold",)
    return ("fold", "legalize-qdq-to-quantized-op", "hybridize")


HEAD_BYTES = 4096
"""How much of a file is looked at to recognise its format."""

ARTIFACT_SUFFIX = ".mlirbc"
"""A file of this name is written as a portable artifact of StableHLO."""

_BYTECODE = b"ML\xefR"


def is_artifact(head: bytes) -> bool:
    """Whether a file's first bytes are those of MLIR bytecode, of which portable artifacts are made."""
    return head.startswith(_BYTECODE)


_FLATBUFFER_IDENTIFIER = b"TOSA"


def is_flatbuffer(head: bytes) -> bool:
    """Whether a file's first bytes are those of a TOSA flatbuffer: its identifier follows the offset of its root."""
    return head[4:8] == _FLATBUFFER_IDENTIFIER


_TFLITE_IDENTIFIER = b"TFL3"


def is_tflite(head: bytes) -> bool:
    """Whether a file's first bytes are those of a TFLite model."""
    return head[4:8] == _TFLITE_IDENTIFIER


def recognise(head: bytes) -> Format:
    """The format of a file from its first bytes; raises ConversionError where it is none that is read.

    MLIR is text that mentions a module or a function, or bytecode with its own magic number; flatbuffers have an
    identifier; ONNX is a protobuf whose first field is the IR version. Whether text is StableHLO or TOSA, its ops say.
    """
    if not head:
        raise ConversionError("the file is empty")
    if is_flatbuffer(head):
        return Format.TOSA
    if is_tflite(head):
        return Format.TFLITE
    if is_artifact(head):
        return Format.STABLEHLO
    if b"\0" not in head and (b"func.func" in head or b"module" in head):
        return Format.STABLEHLO
    if head[:1] == b"\x08" or b"\0" in head or not head.isascii():
        return Format.ONNX
    raise ConversionError(
        "this is no ONNX or TFLite model and no MLIR", hint="Give a .onnx, .tflite, .mlir, .mlirbc or .tosa file"
    )


FLATBUFFER_SUFFIX = ".tosa"
"""A file of this name is written as a TOSA flatbuffer."""

ONNX_SUFFIX = ".onnx"
"""A file of this name is written as an ONNX model."""


def _named_format(path: Path) -> Format | None:
    """What a file's name says, or None."""
    if path.suffix == FLATBUFFER_SUFFIX or path.suffixes[-2:] == [FLATBUFFER_SUFFIX, ".mlir"]:
        return Format.TOSA
    if path.suffix == ONNX_SUFFIX:
        return Format.ONNX
    return Format.STABLEHLO if path.suffix in (".mlir", ARTIFACT_SUFFIX) else None


def output_format(path: str, requested: Format | None) -> Format:
    """The format to write: the requested one, else what the file's name says.

    Raises UsageError where the name says nothing or the format cannot be written.
    """
    target = requested or _named_format(Path(path))
    if target is None:
        names = ".stablehlo.mlir, .mlirbc, .tosa.mlir, .tosa or .onnx"
        raise UsageError(f"'{path}' does not say what to write: name it {names}, or give --to")
    if target not in OUTPUT_FORMATS:
        raise UsageError(f"{target} cannot be written; {', '.join(OUTPUT_FORMATS)} can")
    return target
