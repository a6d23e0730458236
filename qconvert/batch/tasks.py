"""Tasks: a model, a target, an engine and a range of samples, addressed by the hash of all that decides the result."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from qconvert.api.loading import OpenedSource, head, open_source
from qconvert.batch.options import Given
from qconvert.batch.plan import Plan
from qconvert.batch.typed import WrongValueError
from qconvert.engines.base import EngineName, engine_info
from qconvert.formats import FORMATS, Format, recognise
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError, in_file
from qconvert.support.json_text import json_text
from qconvert.support.version import installed_version
from qconvert.validation import Limits

_WINDOW_BYTES = 1 << 20


@dataclass(frozen=True)
class Samples:
    """The samples of a task: ``count`` from ``first`` on, of a file or random; without a count all of the file."""

    first: int
    count: int | None
    seed: int
    file: str | None = None
    sha256: str | None = None

    @property
    def part(self) -> range | None:
        """The samples' numbers, None for all of a file."""
        return None if self.count is None else range(self.first, self.first + self.count)

    def __str__(self) -> str:
        last = self.first + (self.count or 0) - 1
        return "all samples" if self.count is None else f"samples {self.first} to {last}"


@dataclass(frozen=True)
class Task:
    """A comparison of a model with its conversion; files are named from the plan's folder.

    ``sha256`` is the hash of the model with its external data. ``versions`` has those of qconvert, the engine and the
    runtimes that references need.
    """

    model: str
    sha256: str
    target: Format
    engine: EngineName
    samples: Samples
    limits: Limits
    dims: dict[str, int]
    options: Given
    timeout: float | None
    versions: dict[str, str]

    @cached_property
    def key(self) -> str:
        """The hash of all fields, by which the result is found again."""
        return hashlib.sha256(json_text(asdict(self)).encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.model} as {self.target} on {self.engine}, {self.samples}"


def tasks_of(plan: Plan, folder: Path) -> list[Task]:
    """Return the tasks of a plan in a folder, in the plan's order.

    Raises WrongValueError for a pattern that no file matches, UsageError for a file that cannot be read.
    """
    hashes: dict[str, str] = {}
    return [
        Task(
            model,
            sha256,
            target,
            engine,
            samples,
            plan.limits,
            plan.dims,
            plan.options.get(target, {}),
            plan.timeout,
            versions(engine),
        )
        for model in models_of(plan, folder)
        for sha256 in [model_hash(source_of(model, folder))]
        for target, engine in plan.pairs()
        for samples in _samples(plan, model, folder, hashes)
    ]


def models_of(plan: Plan, folder: Path) -> list[str]:
    """Return the names of the models, from the plan's folder, each once and sorted within a pattern."""
    excluded = {name for pattern in plan.exclude for name in _matches("exclude", pattern, folder)}
    found = (name for pattern in plan.models for name in _matches("models", pattern, folder))
    names = [name for name in dict.fromkeys(found) if name not in excluded]
    if not names:
        raise WrongValueError(("exclude",), "no model is left")
    return names


def _matches(key: str, pattern: str, folder: Path) -> list[str]:
    anchor = Path(pattern).anchor
    if any("**" in part and part != "**" for part in Path(pattern).parts):  # pathlib of Python 3.13 reads it as '*'
        raise WrongValueError((key,), f"'{pattern}' is not a pattern: '**' must stand alone between slashes")
    try:
        paths = sorted(path for path in Path(folder, anchor).glob(pattern.removeprefix(anchor)) if path.is_file())
    except ValueError as error:
        raise WrongValueError((key,), f"'{pattern}' is not a pattern: {error}") from error
    if not paths:
        raise WrongValueError((key,), f"no file matches '{pattern}'")
    return [str(path) if anchor else os.path.relpath(path, folder) for path in paths]


def source_of(model: str, folder: Path) -> OpenedSource:
    """Return a model by its name in the plan; messages have that name on every machine."""
    return OpenedSource(model, open_source(folder / model).content)


def _samples(plan: Plan, model: str, folder: Path, hashes: dict[str, str]) -> Iterator[Samples]:
    """Yield the samples of each task of a model; ``hashes`` has those of the files that were read before."""
    inputs = plan.inputs
    file = None if inputs.file is None else inputs.file.replace("{model}", str(Path(model).with_suffix("")))
    if file is not None and file not in hashes:
        hashes[file] = file_hash(folder / file)
    for first, count in inputs.ranges():
        yield Samples(first, count, inputs.seed, file, None if file is None else hashes[file])


def versions(engine: EngineName) -> dict[str, str]:
    """Return the versions that decide a task's result."""
    names = sorted({engine, EngineName.ONNXRUNTIME, EngineName.LITERT})
    return {"qconvert": installed_version()} | {str(name): engine_info(name).version or "" for name in names}


def model_hash(source: OpenedSource) -> str:
    """Return the hash of a model with its external data; where that cannot be read, of the model and the reason."""
    digest = hashlib.sha256()
    _add(digest, source.content)
    try:
        with in_file(source.file):
            for file in FORMATS[recognise(head(source.content), source.file)].files(source.content):
                _add(digest, file)
    except ConversionError as error:
        digest.update(str(error).encode())
    return digest.hexdigest()


def file_hash(path: Path) -> str:
    """Return the hash of a file; raises UsageError where it cannot be read."""
    digest = hashlib.sha256()
    _add(digest, Content.at(path))
    return digest.hexdigest()


def _add(digest: hashlib._Hash, content: Content) -> None:
    """Add the size and the bytes of a file to a hash."""
    digest.update(f"{content.size} ".encode())
    for start in range(0, content.size, _WINDOW_BYTES):
        digest.update(content.read(start, start + _WINDOW_BYTES))
