"""ONNX Runtime, the reference runtime of ONNX models: CPU, one thread, by default without graph optimisation."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Self

from qconvert.engines import child, wire
from qconvert.engines.base import EngineName, require
from qconvert.engines.limits import Limits
from qconvert.engines.wire import Array
from qconvert.support.errors import EngineError


class Optimisation(StrEnum):
    """The level of onnxruntime's graph rewrites. DISABLED and BASIC give equal integers, EXTENDED and ALL may not."""

    DISABLED = "disabled"
    BASIC = "basic"
    EXTENDED = "extended"
    ALL = "all"


Model = str | os.PathLike[str] | bytes


def run(
    model: Model,
    inputs: Mapping[str, Array],
    *,
    optimisation: Optimisation = Optimisation.DISABLED,
    extra_outputs: Sequence[str] = (),
    limits: Limits | None = None,
) -> dict[str, Array]:
    """Run one sample; return the graph's outputs by name, then ``extra_outputs``: tensors of the main graph.

    Names that the main graph does not have, as those in functions, are left out.
    ``model`` is a path, whose folder may hold external data, or a serialized model without external data.
    4-bit, bfloat16 and float8 results are ml_dtypes arrays. 4-bit inputs are refused, as by onnxruntime.
    Raises EngineError with onnxruntime's message.
    """
    return run_samples(model, [inputs], optimisation=optimisation, extra_outputs=extra_outputs, limits=limits)[0]


def run_samples(
    model: Model,
    samples: Sequence[Mapping[str, Array]],
    *,
    optimisation: Optimisation = Optimisation.DISABLED,
    extra_outputs: Sequence[str] = (),
    limits: Limits | None = None,
) -> list[dict[str, Array]]:
    """Run several samples as :func:`run` does, in one session; ``limits.seconds`` covers all of them."""
    [found] = run_levels(model, samples, {optimisation: extra_outputs}, limits=limits)
    if isinstance(found, EngineError):
        raise found
    return found.samples


def run_levels(
    model: Model,
    samples: Sequence[Mapping[str, Array]],
    levels: Mapping[Optimisation, Sequence[str]],
    *,
    explains: bool = False,
    limits: Limits | None = None,
) -> list[wire.Ran | EngineError]:
    """Run the samples as :func:`run_samples` does, once for each level of optimisation, in one child.

    ``levels`` has the extra outputs of each level. A level that onnxruntime refuses has its error as the result. A note
    tells that this processor saturates sums which the reference cannot keep exact; if ``explains`` is True, the first
    samples are run again with optimisation, and a note tells if sums saturate there.
    """
    tasks = (_task(model, samples, optimisation, names, explains) for optimisation, names in levels.items())
    replies = child.run_tasks(EngineName.ONNXRUNTIME, tasks, limits)
    return [reply if isinstance(reply, EngineError) else wire.Ran.of(reply) for reply in replies]


def _task(
    model: Model,
    samples: Sequence[Mapping[str, Array]],
    optimisation: Optimisation,
    extra_outputs: Sequence[str],
    explains: bool,
) -> wire.Message:
    options = {"optimisation": str(optimisation)} | ({"explains": "1"} if explains else {})
    blob = b""
    if isinstance(model, bytes):
        blob = model
    else:
        options["path"] = str(Path(model).resolve())
    return wire.Message(options, tuple(extra_outputs), blob, tuple(samples))


class Session:
    """A serialized model in a child process, for runs in batches; use as a context manager, which ends the child."""

    def __init__(
        self,
        model: bytes,
        *,
        optimisation: Optimisation = Optimisation.DISABLED,
        limits: Limits | None = None,
    ) -> None:
        require(EngineName.ONNXRUNTIME)
        self._child = child.Child(EngineName.ONNXRUNTIME, limits)
        self._task = wire.Message({"optimisation": str(optimisation), "runs": "stacked"}, blob=model)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.__exit__(kind, value, trace)

    def run_stacked(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Run once for each element of the first dimension, which precedes the model's own dimensions.

        Raises EngineError with onnxruntime's message; then the session cannot be used again.
        """
        reply = self._child.run(replace(self._task, samples=(inputs,)))
        self._task = replace(self._task, blob=b"")  # the child keeps it
        return dict(reply.samples[0])
