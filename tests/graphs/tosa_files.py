"""TOSA flatbuffers of many modules: tosa-opt validates in one process what ``convert -o x.tosa`` validates singly."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.tosa import flatbuffer, weights
from qconvert.backends.tosa.target import target_of
from qconvert.engines import child, tosa, tosa_opt, wire
from qconvert.engines.base import EngineName
from qconvert.ir import module_bytes
from qconvert.support.errors import EngineError
from tests.graphs.network import Array

_LINE = re.compile(rb"<stdin>:(\d+):\d+: error: (.*)")
_BETWEEN = b"\n// -----\n"

Answer = list[list[Array]] | EngineError


def run(modules: Sequence[ModuleOp], samples: Sequence[Sequence[Sequence[Array]]]) -> list[Answer]:
    """Return the reference model's results for the flatbuffer of each module, or why tosa-opt or the model refuses.

    Each of a module's arguments and results has a name and a tensor of its own.
    """
    software = tosa.version()
    errors = _errors(modules)
    tasks = [
        wire.Message(blob=flatbuffer.module_parts(module, software).joined(), samples=tuple(map(wire.positional, each)))
        for module, each, error in zip(modules, samples, errors, strict=True)
        if error is None
    ]
    answers = iter(child.run_tasks(EngineName.TOSA, tasks, handler="tests.graphs.tosa_worker"))
    return [error if error is not None else _results(next(answers)) for error in errors]


def _results(answer: wire.Message | EngineError) -> Answer:
    return answer if isinstance(answer, EngineError) else [list(sample.values()) for sample in answer.samples]


def _errors(modules: Sequence[ModuleOp]) -> list[EngineError | None]:
    """Return tosa-opt's error for each module; modules of one target are validated together."""
    groups: dict[str, list[int]] = {}
    for i, module in enumerate(modules):
        groups.setdefault(str(target_of(module)), []).append(i)
    found: list[EngineError | None] = [None] * len(modules)
    for target, members in groups.items():
        texts = [module_bytes(weights.without_weights(modules[i])) for i in members]
        for i, error in zip(members, _validated(texts, target), strict=True):
            found[i] = error
    return found


def _validated(texts: Sequence[bytes], target: str) -> list[EngineError | None]:
    command = [str(tosa_opt.program()), f"--tosa-attach-target={target}", "--split-input-file"]
    command += ["--tosa-validate=strict-op-spec-alignment"]
    done = subprocess.run(
        command, input=_BETWEEN.join(texts), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    if done.returncode == 0:
        return [None] * len(texts)
    if len(texts) == 1:
        lines = [text.decode(errors="replace") for _, text in _LINE.findall(done.stderr)]
        return [EngineError("tosa-opt: " + "; ".join(lines[:2] or [f"ended with {done.returncode}"]))]
    middle = len(texts) // 2
    return _validated(texts[:middle], target) + _validated(texts[middle:], target)
