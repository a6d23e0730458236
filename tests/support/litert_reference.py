"""Runs cases in LiteRT, on our interpreter and in TOSA's reference model: each runtime once for all of them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from qconvert.api import convert, load
from qconvert.engines import child, modules, tosa, wire
from qconvert.engines.base import EngineName
from qconvert.formats import Format
from qconvert.interpreter.program import evaluate
from qconvert.support.errors import ConversionError, EngineError
from tests.cases.recurrent import Recurrent
from tests.support.tflite_cases import Array, Case, Tensor

SAMPLES = 4
_FEW = 2
"""Samples of forms that state the same integers as those that are compared on all samples."""
_LARGEST_FLOAT_ERROR = 1e-5


def drawn(tensor: Tensor, rng: np.random.Generator, least: float | None = None, most: float | None = None) -> Array:
    """Integers of the whole range or within limits, each of 8 bits before any comes again; floats around 0."""
    count = int(np.prod(tensor.shape))
    if tensor.kind == "FLOAT32":
        return rng.normal(0, 3, tensor.shape).astype(np.float32)
    if tensor.kind == "BOOL":
        return rng.integers(0, 2, tensor.shape).astype(np.bool_)
    dtype = np.dtype(tensor.kind.lower())
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if tensor.kind in ("INT32", "INT64"):
        low, high = -(1 << 20), 1 << 20
    low, high = low if least is None else int(least), high if most is None else int(most)
    if high - low < 256:
        values = np.concatenate([rng.permutation(np.arange(low, high + 1)) for _ in range(count // 256 + 256)])
    else:
        values = np.concatenate([rng.permutation([low, high, high // 2]), rng.integers(low, high + 1, count)])
    return values[:count].astype(dtype).reshape(tensor.shape)


class Judge:
    """The cases of one file by name, and what runtimes make of them."""

    def __init__(self, cases: Mapping[str, Case | Recurrent]) -> None:
        self.cases = cases

    def samples(self, name: str) -> list[dict[str, Array]]:
        """Return the same inputs at every call."""
        case = self.cases[name]
        if isinstance(case, Recurrent):
            return case.samples()
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        return [
            {key: drawn(tensor, rng, case.low, case.high) for key, tensor in case.fed.items()} for _ in range(SAMPLES)
        ]

    @cached_property
    def references(self) -> dict[str, list[list[Array]] | EngineError]:
        """LiteRT's outputs, or why it has none."""
        tasks = [
            wire.Message({"resolver": case.resolver}, (), case.model(), tuple(self.samples(name)))
            for name, case in self.cases.items()
        ]
        answers = child.run_tasks(EngineName.LITERT, tasks)
        return {name: _outputs(answer) for name, answer in zip(self.cases, answers, strict=True)}

    def expected(self, name: str) -> list[list[Array]]:
        """LiteRT's outputs; raises EngineError."""
        found = self.references[name]
        if isinstance(found, EngineError):
            raise found
        return found

    @cached_property
    def tosa_results(self) -> dict[str, list[list[Array]] | EngineError | ConversionError]:
        """The reference model's outputs, or why there are none."""
        texts: dict[str, str | ConversionError] = {}
        for name, case in self.cases.items():
            try:
                texts[name] = convert(load(case.model()), Format.TOSA).text
            except ConversionError as error:
                texts[name] = error
        programs = {
            name: modules.Program(text, [signless(sample.values()) for sample in self.samples(name)])
            for name, text in texts.items()
            if isinstance(text, str)
        }
        ran: dict[str, list[list[Array]] | EngineError] = dict(
            zip(programs, tosa.run_many(programs.values()), strict=True)
        )
        return {name: text if isinstance(text, ConversionError) else ran[name] for name, text in texts.items()}

    @cached_property
    def written(self) -> dict[str, list[list[Array]] | EngineError | ConversionError]:
        """LiteRT's outputs of the models that are read and written again, or why there are none."""
        files: dict[str, bytes | ConversionError] = {}
        for name, case in self.cases.items():
            try:
                files[name] = convert(load(case.model()), Format.TFLITE).content or b""
            except ConversionError as error:
                files[name] = error
        tasks = {
            name: wire.Message({"resolver": self.cases[name].resolver}, (), content, tuple(self.samples(name)))
            for name, content in files.items()
            if isinstance(content, bytes)
        }
        answers = dict(zip(tasks, child.run_tasks(EngineName.LITERT, tasks.values()), strict=True))
        return {
            name: content if isinstance(content, ConversionError) else _outputs(answers[name])
            for name, content in files.items()
        }

    def check_written(self, name: str, most: int = 0) -> None:
        """Raises AssertionError where LiteRT gives integers further away for the file that is written again."""
        found = self.written[name]
        if isinstance(found, EngineError | ConversionError):
            raise found
        self._check(name, found, most)

    def interpreted(self, name: str) -> list[list[Array]]:
        """Our interpreter's outputs of the imported model."""
        return self._evaluated(load(self.cases[name].model()).module, name)

    def _evaluated(self, module: ModuleOp, name: str, count: int | None = None) -> list[list[Array]]:
        return [list(evaluate(module, list(sample.values()))) for sample in self.samples(name)[:count]]

    def check_interpreter(self, name: str) -> None:
        """Raises AssertionError where integers differ from LiteRT's."""
        self._check(name, self.interpreted(name), self.cases[name].most)

    def check_tosa(self, name: str) -> None:
        """Raises AssertionError where integers differ from LiteRT's, or where TOSA has a form against expectation."""
        found, case = self.tosa_results[name], self.cases[name]
        if isinstance(case, Case) and not case.in_tosa:
            assert isinstance(found, EngineError | ConversionError)
            return
        if isinstance(found, EngineError | ConversionError):
            raise found
        self._check(name, found, self.cases[name].most)

    def check_integers(self, name: str, to: Format) -> None:
        """Raises AssertionError where a form without quantized types differs from LiteRT."""
        module = convert(load(self.cases[name].model()), to).module
        self._check(name, self._evaluated(module, name, _FEW), self.cases[name].most, _FEW)

    def check_stablehlo(self, name: str) -> None:
        """Raises AssertionError where StableHLO's arithmetic is further away from LiteRT's than the case says."""
        most = self.cases[name].apart
        if most is None:
            return
        module = convert(load(self.cases[name].model()), Format.STABLEHLO).module
        self._check(name, self._evaluated(module, name), most)

    def _check(self, name: str, found: list[list[Array]], most: int, count: int | None = None) -> None:
        for ours, theirs in zip(found, self.expected(name)[:count], strict=True):
            for a, b in zip(ours, theirs, strict=True):
                assert a.shape == b.shape
                if b.dtype.kind == "f":
                    limit = _LARGEST_FLOAT_ERROR * max(1.0, float(np.abs(b).max(initial=0)))
                    np.testing.assert_allclose(a, b, rtol=_LARGEST_FLOAT_ERROR, atol=limit)
                else:
                    _check_integers(a.view(b.dtype) if b.dtype.kind == "u" else a, b, most)


def _outputs(answer: wire.Message | EngineError) -> list[list[Array]] | EngineError:
    return answer if isinstance(answer, EngineError) else [list(sample.values()) for sample in answer.samples]


def signless(arrays: Iterable[Array]) -> list[Array]:
    """Arrays as TOSA takes them: unsigned integers by their bits, 64-bit ones in 32 bits."""
    return [_in_tosa(array) for array in arrays]


def _in_tosa(array: Array) -> Array:
    if array.dtype.kind == "u":
        return array.view(f"i{array.itemsize}")
    return array.astype(np.int32) if array.dtype == np.int64 else array


def _check_integers(a: Array, b: Array, most: int) -> None:
    apart = np.abs(a.astype(np.int64) - b.astype(np.int64))
    assert apart.max(initial=0) <= most, f"{(apart > most).mean():.2%} differ, by up to {apart.max()}: {a} {b}"
