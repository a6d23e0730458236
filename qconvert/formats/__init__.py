"""Formats: each is an object that the other layers ask, found by its name, by a file's content or by a file's name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from qconvert.engines.base import EngineName
from qconvert.formats.base import BinaryForm, Format, ModelFormat
from qconvert.formats.onnx import ONNX
from qconvert.formats.stablehlo import STABLEHLO, STABLEHLO_INT, STABLEHLO_QDQ, TOSA_RESCALE
from qconvert.formats.tflite import TFLITE
from qconvert.formats.tosa import TOSA
from qconvert.support.errors import ConversionError, UsageError

__all__ = [
    "BINARY_FORMS",
    "DEFAULT",
    "FORMATS",
    "HEAD_BYTES",
    "OUTPUT_FORMATS",
    "BinaryForm",
    "Format",
    "ModelFormat",
    "binary_form",
    "engine_format",
    "output_format",
    "recognise",
    "stem",
    "text_of",
]

_OBJECTS = (STABLEHLO, STABLEHLO_QDQ, STABLEHLO_INT, TOSA_RESCALE, TOSA, TFLITE, ONNX)
"""The formats in the order in which they are asked whether a file or an engine is theirs."""

FORMATS: dict[Format, ModelFormat] = {found.name: found for found in _OBJECTS}

DEFAULT = Format.STABLEHLO
"""The format that is written if nothing chooses another one."""

BINARY_FORMS = tuple(found.binary for found in FORMATS.values() if found.binary is not None)

OUTPUT_FORMATS = tuple(name for name in Format if FORMATS[name].options is not None)

HEAD_BYTES = 4096
"""The number of a file's first bytes by which its format is recognised."""


def recognise(head: bytes) -> Format:
    """Return the format of a file from its first bytes: from a signature, else from what the file resembles.

    Text counts as StableHLO until its ops show that it is TOSA. Raises ConversionError for an unknown format.
    """
    if not head:
        raise ConversionError("the file is empty")
    signed = [found for found in FORMATS.values() if found.signature is not None and found.signature.matches(head)]
    similar = (found for found in FORMATS.values() if found.resembles(head))
    for found in (*signed, *similar):
        return found.name
    raise ConversionError(
        "this is no ONNX or TFLite model and no MLIR", hint="Give a .onnx, .tflite, .mlir, .mlirbc or .tosa file"
    )


def text_of(content: bytes) -> str:
    """Return the MLIR text of a file, from a binary form if need be; raises ConversionError if it holds no module."""
    signed = [found for found in FORMATS.values() if found.signature is not None and found.signature.matches(content)]
    return (signed[0] if signed else STABLEHLO).text(content)


def binary_form(path: str | Path) -> BinaryForm | None:
    """Return the binary form that a file's name asks for, or None."""
    return next((form for form in BINARY_FORMS if form.suffix == Path(path).suffix), None)


def engine_format(engine: EngineName) -> Format:
    """Return the format that is written for an engine where nobody names one."""
    return next((found.name for found in FORMATS.values() if engine in found.runs), DEFAULT)


def output_format(path: str, requested: Format | None, plain: Format = DEFAULT) -> Format:
    """Return the format to write: the requested one, else the one that the file's name chooses.

    ``plain`` is the format of a name that chooses no more than MLIR. Raises UsageError where the name chooses nothing,
    or where the format cannot be written.
    """
    target = requested or _named_format(path)
    if target is None:
        suffixes = ", ".join(suffix for name in OUTPUT_FORMATS for suffix in FORMATS[name].suffixes)
        raise UsageError(f"'{path}' does not choose a format: let its name end in one of {suffixes}, or give --to")
    FORMATS[target].checked_options()
    return plain if requested is None and target is DEFAULT else target


def _named_format(path: str) -> Format | None:
    """Return the format that a file's name chooses, by the longest suffix that fits."""
    suffixes = {suffix: name for name in OUTPUT_FORMATS for suffix in FORMATS[name].suffixes}
    found = _longest(path, suffixes)
    return None if found is None else suffixes[found]


def stem(path: str) -> str:
    """Return a file's name without the suffix of its format."""
    name = Path(path).name
    found = _longest(path, [suffix for found in FORMATS.values() for suffix in (found.suffix, *found.suffixes)])
    return Path(path).stem if found is None else name.removesuffix(found)


def _longest(path: str, suffixes: Iterable[str]) -> str | None:
    """Return the longest suffix that a file's name has, or None."""
    own = "".join(Path(path).suffixes)
    return max((suffix for suffix in suffixes if own.endswith(suffix)), key=len, default=None)
