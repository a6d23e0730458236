"""Which runtimes qconvert can ask, which of them are installed, and how to add the rest."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata

from qconvert.support.errors import EngineMissingError


class EngineName(StrEnum):
    """Everything that can run a model; the value is what the command line takes."""

    REFERENCE = "reference"
    ONNXRUNTIME = "onnxruntime"
    STABLEHLO = "stablehlo"
    TOSA = "tosa"
    IREE = "iree"
    LITERT = "litert"


@dataclass(frozen=True)
class Limits:
    """What one child may use: seconds per task, and bytes of address space for the process.

    Address space is more than memory: after one small program jaxlib has reserved 0.35 GB, IREE 0.6 GB and onnxruntime
    0.16 GB, so below 1 GB an engine may not even start.
    """

    seconds: float = 600.0
    memory_bytes: int = 8 << 30


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class EngineInfo:
    """One engine: ``version`` is None when it is not installed, ``hint`` says how to install it."""

    name: EngineName
    version: str | None
    extra: str | None
    hint: str


@dataclass(frozen=True)
class _Source:
    """The distributions that make up an engine, and the extra that brings them (None: the core install does)."""

    distributions: tuple[str, ...]
    extra: str | None = None


_SOURCES: dict[EngineName, _Source] = {
    EngineName.REFERENCE: _Source(("qconvert",)),
    EngineName.ONNXRUNTIME: _Source(("onnxruntime",)),
    EngineName.STABLEHLO: _Source(("jaxlib",), "stablehlo"),
    EngineName.TOSA: _Source(("tosa-tools",), "tosa"),
    EngineName.IREE: _Source(("iree-base-compiler", "iree-base-runtime"), "iree"),
    EngineName.LITERT: _Source(("ai-edge-litert",), "litert"),
}


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def engine_info(name: EngineName) -> EngineInfo:
    """What is known about one engine, from package metadata alone: the runtime itself is not imported."""
    source = _SOURCES[name]
    versions = [_version(distribution) for distribution in source.distributions]
    version = None if None in versions else versions[0]
    if name is EngineName.REFERENCE:
        version = version or "source tree"
    target = f"qconvert[{source.extra}]" if source.extra else "qconvert"
    return EngineInfo(name, version, source.extra, f"pip install '{target}'")


def engine_infos() -> tuple[EngineInfo, ...]:
    """All engines in the order they are listed to the user."""
    return tuple(engine_info(name) for name in EngineName)


def require(name: EngineName) -> EngineInfo:
    """The engine's info if it is installed; raises EngineMissingError with the command that installs it."""
    info = engine_info(name)
    if info.version is None:
        missing = " and ".join(d for d in _SOURCES[name].distributions if _version(d) is None)
        raise EngineMissingError(f"the {name} engine is not installed ({missing} is missing): {info.hint}")
    return info
