"""Writing what was converted: text, artifacts, flatbuffers and models, whole or not at all."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import IO

from qconvert.api import Converted, Written
from qconvert.formats import ARTIFACT_SUFFIX, FLATBUFFER_SUFFIX
from qconvert.support.errors import UsageError
from qconvert.support.files import write_whole


def save(converted: Written, path: str | Path, *, artifact_version: str | None = None) -> None:
    """Write a module to a file, whole or not at all, or as text to ``-`` (standard output).

    A file named ``.tosa`` becomes a flatbuffer, which the ``tosa`` engine makes and validates; one named ``.mlirbc`` a
    portable artifact, which the ``stablehlo`` engine makes for the StableHLO version ``artifact_version``, by default
    that of twelve weeks before the engine's. Raises UsageError where the file cannot be written or a version is given
    for text, EngineError where the engine refuses the module.
    """
    as_artifact = Path(path).suffix == ARTIFACT_SUFFIX
    if artifact_version is not None and not as_artifact:
        raise UsageError(f"{path}: an artifact's version can be given for {ARTIFACT_SUFFIX} files only")
    content = converted.content if isinstance(converted, Converted) else None
    if content is not None:
        _save_content(content, path)
    elif str(path) == "-":
        converted.write(sys.stdout)
    elif Path(path).suffix == FLATBUFFER_SUFFIX:
        blob = flatbuffer(converted)
        write_whole(Path(path), lambda stream: stream.write(blob))
    elif as_artifact:
        from qconvert.engines import stablehlo

        artifact = stablehlo.write_artifact(converted.text, artifact_version)
        write_whole(Path(path), lambda stream: stream.write(artifact))
    else:
        write_whole(Path(path), lambda stream: _write_text(converted, stream))


def _save_content(content: bytes, path: str | Path) -> None:
    """Write a file's bytes, whole or not at all, or to standard output."""
    if str(path) == "-":
        sys.stdout.buffer.write(content)
    else:
        write_whole(Path(path), lambda stream: stream.write(content))


def flatbuffer(converted: Written) -> bytes:
    """A module of TOSA as a flatbuffer; raises EngineError where the tools refuse it."""
    from qconvert.backends.tosa import target_of
    from qconvert.engines import tosa

    text = io.BytesIO()
    _write_text(converted, text)
    return tosa.serialize(text.getvalue(), target=target_of(converted.module))


def _write_text(converted: Written, stream: IO[bytes]) -> None:
    text = io.TextIOWrapper(stream, "utf-8", write_through=True)  # into the stream's buffer, as large constants go
    converted.write(text)
    text.detach()
