"""Vela, the compiler for Arm's Ethos-U processors, from ethos-u-vela: the parent's side.

Vela compiles a whole TOSA flatbuffer or refuses it: there is no fallback to the CPU. Cycles and traffic are Vela's
estimates for its default memories of each processor.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from qconvert.engines.base import Compiler, require
from qconvert.engines.child import Child
from qconvert.engines.limits import Limits
from qconvert.engines.wire import Message
from qconvert.support.errors import EngineDiedError, EngineError


@dataclass(frozen=True)
class NpuOperation:
    """One operation of the NPU, which may compute several ops of TOSA.

    ``op`` is the position, in the flatbuffer, of the first TOSA op that it computes; None for an operation that Vela
    adds without one. ``kind`` is Vela's name of the operation.
    """

    op: int | None
    kind: str
    cycles: int
    npu_cycles: int
    macs: int

    @property
    def runs_on_cpu(self) -> bool:
        """Return True for what Vela leaves to the CPU."""
        return self.kind == "Passthrough"


@dataclass(frozen=True)
class Compiled:
    """A compiled model: the TFLite file with the command stream, and Vela's summary.

    ``kernels`` has the operations in order, if they were asked for.
    """

    file: bytes
    summary: Mapping[str, str]
    kernels: tuple[NpuOperation, ...]


@dataclass(frozen=True)
class Refused:
    """A model that Vela does not compile, and the reason in Vela's words."""

    reason: str


class Vela:
    """Vela in a child process, for one configuration of a processor. Use as a context manager."""

    def __init__(self, config: str, limits: Limits | None = None) -> None:
        """Raise EngineMissingError if Vela is not installed."""
        self.config = config
        self.version = require(Compiler.VELA).version
        self._child = Child(Compiler.VELA, limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.__exit__(kind, value, trace)

    def compile(self, flatbuffer: bytes, *, kernels: bool = False) -> Compiled | Refused:
        """Compile a TOSA flatbuffer; an end of the process in between is a refusal, too.

        The operations are listed if ``kernels`` are asked for: then names of tensors must be plain words. Raises
        EngineError where Vela reaches a limit of time or memory.
        """
        self._child.start()
        options = {"config": self.config} | ({"tables": ""} if kernels else {})
        try:
            answer = self._child.run(Message(options, blob=flatbuffer))
        except EngineDiedError as error:
            return Refused(str(error).partition(";")[0])  # what Vela printed before are warnings
        if "refused" in answer.options:
            return Refused(answer.options["refused"])
        try:
            return _compiled(answer)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise EngineError(f"{Compiler.VELA} engine: its answer cannot be read: {error}") from error


def _compiled(answer: Message) -> Compiled:
    summary, operations, sources = (
        json.loads(answer.options.get(name, "[]")) for name in ("summary", "perf", "source")
    )
    positions = {source["id"]: int(source["ext_key"]) for source in sources}
    kernels = tuple(
        NpuOperation(
            positions.get(row["source_id"]),
            row["operator"],
            int(row["op_cycles"]),
            int(row["npu_cycles"]),
            int(row["mac_count"]),
        )
        for row in operations
    )
    return Compiled(answer.blob, {name: str(value) for name, value in summary.items()}, kernels)
