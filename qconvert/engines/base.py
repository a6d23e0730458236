"""The engines and compilers that qconvert can run, which are installed, and how to install the others."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from qconvert.support.errors import EngineMissingError
from qconvert.support.version import version_of


class EngineName(StrEnum):
    """An engine that can run a model; the value is its name on the command line."""

    REFERENCE = "reference"
    ONNXRUNTIME = "onnxruntime"
    STABLEHLO = "stablehlo"
    TOSA = "tosa"
    IREE = "iree"
    LITERT = "litert"


class Compiler(StrEnum):
    """A compiler for hardware: it runs as engines do, but it does not run models."""

    VELA = "vela"


Tool: TypeAlias = EngineName | Compiler


class EngineInfo(NamedTuple):
    """An engine. ``version`` is None if it is not installed; ``hint`` is the command that installs it."""

    name: Tool
    version: str | None
    extra: str | None
    hint: str


class _Source(NamedTuple):
    """The distributions of an engine and the extra that installs them (None: the core installation)."""

    distributions: tuple[str, ...]
    extra: str | None = None


_SOURCES: dict[Tool, _Source] = {
    EngineName.REFERENCE: _Source(("qconvert",)),
    EngineName.ONNXRUNTIME: _Source(("onnxruntime",)),
    EngineName.STABLEHLO: _Source(("jaxlib",), "stablehlo"),
    EngineName.TOSA: _Source(("tosa-tools",), "tosa"),
    EngineName.IREE: _Source(("iree-base-compiler", "iree-base-runtime"), "iree"),
    EngineName.LITERT: _Source(("ai-edge-litert",), "litert"),
    Compiler.VELA: _Source(("ethos-u-vela",), "npu"),
}


def engine_info(name: Tool) -> EngineInfo:
    """Return the information about one engine from package metadata, without importing the runtime."""
    source = _SOURCES[name]
    versions = [version_of(distribution) for distribution in source.distributions]
    version = None if None in versions else versions[0]
    if name is EngineName.REFERENCE:
        version = version or "source tree"
    target = f"qconvert[{source.extra}]" if source.extra else "qconvert"
    return EngineInfo(name, version, source.extra, f"pip install '{target}'")


def engine_infos() -> tuple[EngineInfo, ...]:
    """Return all engines and compilers, in the order in which they are listed."""
    return tuple(map(engine_info, (*EngineName, *Compiler)))


def require(name: Tool) -> EngineInfo:
    """Return an installed engine's information; raises EngineMissingError with the command that installs it."""
    info = engine_info(name)
    if info.version is None:
        missing = " and ".join(d for d in _SOURCES[name].distributions if version_of(d) is None)
        kind = "compiler" if isinstance(name, Compiler) else "engine"
        raise EngineMissingError(f"the {name} {kind} is not installed ({missing} is missing): {info.hint}")
    return info
