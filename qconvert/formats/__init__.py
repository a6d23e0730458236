"""Formats: one object a format, which is found by its name, by a file's content or by a file's name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from qconvert.engines.base import EngineName
from qconvert.formats.base import HEAD_BYTES, BinaryForm, Format, ModelFormat, is_text
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
    "BinaryForm",
    "Format",
    "ModelFormat",
    "binary_form",
    "check_name",
    "engine_format",
    "needs_more",
    "output_format",
    "recognise",
    "stem",
    "text_of",
]

_OBJECTS = (STABLEHLO, STABLEHLO_QDQ, STABLEHLO_INT, TOSA_RESCALE, TOSA, TFLITE, ONNX)
"""The formats, in the order in which they are tried on a file or an engine."""

FORMATS: dict[Format, ModelFormat] = {found.name: found for found in _OBJECTS}

DEFAULT = Format.STABLEHLO
"""The default output format."""

BINARY_FORMS = tuple(dict.fromkeys(found.binary for found in FORMATS.values() if found.binary is not None))


def needs_more(head: bytes) -> bool:
    """Return True if the first bytes are text that does not show its format: comments and aliases may come first."""
    return is_text(head) and not any(found.resembles(head) for found in FORMATS.values())


def recognise(head: bytes, name: str = "") -> Format:
    """Return the format of a file from its first bytes: from a signature, else from what the file resembles.

    Text counts as StableHLO until its ops show that it is TOSA. A file's name is only used in the error for an unknown
    content. Raises ConversionError for an unknown format.
    """
    if not head:
        raise ConversionError("the file is empty")
    signed = [found for found in FORMATS.values() if found.signature is not None and found.signature.matches(head)]
    if signed:
        return signed[0].name
    owner, _ = _owner(name)
    starts = tuple(found.usual_start for found in FORMATS.values() if found.usual_start)
    if owner is not None and owner.signature is not None and not is_text(head) and not head.startswith(starts):
        raise ConversionError(
            f"this is not a {owner.title} file: it lacks the signature {owner.signature.content.decode('latin-1')} "
            f"at byte {owner.signature.offset}",
            hint="Export or download the file again",
        )
    for found in FORMATS.values():
        if found.resembles(head):
            return found.name
    raise ConversionError(
        "this is text, but not MLIR: it has no module and no function",
        hint="Give a .onnx, .tflite, .mlir, .mlirbc or .tosa file",
    )


def text_of(content: bytes | memoryview) -> str:
    """Return the MLIR text of a file, decoded if the file is binary; raises ConversionError if it holds no module."""
    signed = [found for found in FORMATS.values() if found.signature is not None and found.signature.matches(content)]
    return (signed[0] if signed else STABLEHLO).text(content)


def binary_form(path: str | Path) -> BinaryForm | None:
    """Return the binary form that a file's name chooses, or None."""
    return next((form for form in BINARY_FORMS if form.suffix == Path(path).suffix), None)


def engine_format(engine: EngineName) -> Format:
    """Return the default output format for an engine."""
    return next((found.name for found in FORMATS.values() if engine in found.runs), DEFAULT)


def output_format(path: str, requested: Format | None, plain: Format = DEFAULT) -> Format:
    """Return the format to write: the requested one, else the one that the file's name chooses.

    ``plain`` is the format for a name that means MLIR in any dialect. Raises UsageError if the name chooses no format.
    """
    named = _named_format(path)
    found = requested or (plain if named is DEFAULT else named)
    check_name(path, found)
    if found is None:
        suffixes = _output_suffixes()
        raise UsageError(f"'{path}' does not choose a format: let its name end in one of {suffixes}, or give --to")
    return found


def check_name(path: str | Path, target: Format | None) -> None:
    """Raise UsageError if a file's name belongs to another format than the one to write; None is any form of MLIR."""
    owner, suffix = _owner(str(path))
    if owner is None:
        return
    fitting = owner.is_mlir if target is None else suffix in _suffixes_of(FORMATS[target])
    if not fitting:
        kind, wanted = ("MLIR", _PLAIN) if target is None else (target, FORMATS[target].suffix)
        named = "MLIR" if suffix == _PLAIN else owner.title
        raise UsageError(f"'{path}' is a name for {named}, not for {kind}: let it end in {wanted}")


_PLAIN = ".mlir"
"""The suffix of MLIR text in any dialect."""


def _owner(path: str) -> tuple[ModelFormat | None, str]:
    """Return the format that a file's name belongs to, and the suffix by which it does."""
    owners = {suffix: found for found in FORMATS.values() for suffix in (found.suffix, *found.suffixes)}
    suffix = _longest(path, owners)
    return (None, "") if suffix is None else (owners[suffix], suffix)


def _suffixes_of(target: ModelFormat) -> list[str]:
    """Return the suffixes that the files of a format may have; the forms of one dialect share the suffixes of text."""
    binary = [form.suffix for form in BINARY_FORMS]
    related = [found for found in FORMATS.values() if found.title == target.title]
    text = [suffix for found in related for suffix in (found.suffix, *found.suffixes) if suffix not in binary]
    own = [] if target.binary is None else [target.binary.suffix]
    return [*text, *own, *([_PLAIN] if target.is_mlir else [])]


def _output_suffixes() -> str:
    return ", ".join(suffix for name in Format for suffix in FORMATS[name].suffixes)


def _named_format(path: str) -> Format | None:
    """Return the format that a file's name chooses, by the longest suffix that fits."""
    owner, _ = _owner(path)
    return None if owner is None or owner.options is None else owner.name


def stem(path: str) -> str:
    """Return a file's name without the suffix of its format."""
    name = Path(path).name
    _, suffix = _owner(path)
    return name.removesuffix(suffix) if suffix else Path(path).stem


def _longest(path: str, suffixes: Iterable[str]) -> str | None:
    """Return the longest suffix that a file's name has, or None."""
    own = "".join(Path(path).suffixes)
    return max((suffix for suffix in suffixes if own.endswith(suffix)), key=len, default=None)
