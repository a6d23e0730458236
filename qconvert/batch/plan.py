"""Plans: TOML files that name models, targets, engines, samples and limits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from qconvert.backends.base import WriteOptions
from qconvert.batch.options import Given, write_options
from qconvert.batch.typed import WrongValueError, typed
from qconvert.engines.base import EngineName
from qconvert.formats import FORMATS, Format
from qconvert.support.documents import read_document
from qconvert.support.errors import UsageError
from qconvert.validation import Limits

_SIZE = re.compile(r"([0-9]{1,9})([KMG])")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_HEADER = re.compile(r"\s*\[\[?([^\[\]]+)\]")
_ENTRY = re.compile(r"\s*([\w.\"'-]+)\s*=")


@dataclass(frozen=True)
class Inputs:
    """The samples of each model: random ones, or those of an .npz ``file``.

    ``{model}`` in the file's name stands for the model's path without its suffix. ``samples`` counts the samples, 16
    random ones or all of a file by default. ``block`` counts the samples of one task, by default all.
    """

    file: str | None = None
    samples: int | None = None
    seed: int = 0
    block: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("samples", 1), ("block", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise WrongValueError(("inputs", name), f"{value} is below {least}")
        if self.block is not None and self.file is not None and self.samples is None:
            raise WrongValueError(
                ("inputs", "block"), "blocks of a file need inputs.samples, the number of its samples"
            )

    def ranges(self) -> list[tuple[int, int | None]]:
        """Return the first sample and the number of samples of each task; None is all of a file."""
        count = self.samples if self.samples is not None or self.file is not None else _RANDOM_SAMPLES
        if count is None or self.block is None:
            return [(0, count)]
        return [(first, min(self.block, count - first)) for first in range(0, count, self.block)]


_RANDOM_SAMPLES = 16


@dataclass(frozen=True)
class Plan:
    """A plan. Globs and files are relative to the folder of the plan.

    ``options`` has the options of ``convert`` for each target, ``dims`` sizes of open dimensions. ``timeout`` is the
    limit in seconds for each run in an engine. ``memory`` limits each worker.
    """

    models: tuple[str, ...]
    targets: tuple[Format, ...]
    engines: tuple[EngineName, ...] = (EngineName.REFERENCE,)
    exclude: tuple[str, ...] = ()
    inputs: Inputs = field(default_factory=Inputs)
    limits: Limits = field(default_factory=Limits)
    dims: dict[str, int] = field(default_factory=dict)
    options: dict[Format, Given] = field(default_factory=dict)
    timeout: float | None = None
    memory: str = "4G"

    def __post_init__(self) -> None:
        for name in ("models", "targets", "engines"):
            if not getattr(self, name):
                raise WrongValueError((name,), "the list is empty")
        if not _SIZE.fullmatch(self.memory):
            raise WrongValueError(("memory",), f"'{self.memory}' is not a size such as 4G or 800M")
        if self.timeout is not None and self.timeout <= 0:
            raise WrongValueError(("timeout",), f"{self.timeout} is not above 0")
        for name, size in self.dims.items():
            if size < 1:
                raise WrongValueError(("dims", name), f"{size} is below 1")
        for target in self.options:
            self.written_with(target)
        self._check_pairs()

    def _check_pairs(self) -> None:
        """Raise WrongValueError for a target or an engine that is in no pair."""
        pairs = self.pairs()
        for target in self.targets:
            if target not in [pair[0] for pair in pairs]:
                raise WrongValueError(("targets",), f"none of the engines runs {target}")
        for engine in self.engines:
            if engine not in [pair[1] for pair in pairs]:
                raise WrongValueError(("engines",), f"{engine} runs none of the targets")

    def pairs(self) -> list[tuple[Format, EngineName]]:
        """Return each target with each engine that runs it."""
        return [
            (target, engine)
            for target in dict.fromkeys(self.targets)
            for engine in dict.fromkeys(self.engines)
            if engine is EngineName.REFERENCE or engine in FORMATS[target].runs
        ]

    def written_with(self, target: Format) -> WriteOptions:
        """Return the options with which a target is written; raises WrongValueError for one that the format lacks."""
        return write_options(target, self.options.get(target, {}), ("options", target))

    @property
    def memory_bytes(self) -> int:
        """The limit of each worker's memory."""
        match = _SIZE.fullmatch(self.memory)
        assert match is not None
        return int(match[1]) * _UNITS[match[2]]


def read_plan(path: Path) -> Plan:
    """Return the plan of a file; raises UsageError naming the file, the line, the key and what is allowed."""
    content = read_document(path, is_json=False)
    try:
        return typed(Plan, content)
    except WrongValueError as error:
        raise plan_error(path, error) from error


def plan_error(path: Path, error: WrongValueError) -> UsageError:
    """Return an error that names the plan's file, and the line of the key."""
    line = _line(path.read_text(), error.where)
    place = f"{path}:{line}" if line else str(path)
    return UsageError(f"{place}: {'.'.join(error.where)}: {error.found}")


def _line(text: str, where: tuple[str, ...]) -> int:
    """Return the line of the longest part of a key that the text has, 0 if it has none."""
    best, line = 0, 0
    table: tuple[str, ...] = ()
    for number, content in enumerate(text.splitlines(), 1):
        header, entry = _HEADER.match(content), _ENTRY.match(content)
        table = _parts(header[1]) if header else table
        key = (*table, *_parts(entry[1])) if entry else table if header else ()
        if key == where[: len(key)] and len(key) > best:
            best, line = len(key), number
    return line


def _parts(key: str) -> tuple[str, ...]:
    return tuple(part.strip(" \t\"'") for part in key.split("."))
