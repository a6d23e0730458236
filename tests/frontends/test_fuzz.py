"""Mutated files end in text or in an error of one paragraph: no other exception, no killed worker, no wait."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from qconvert.api import convert, load
from qconvert.formats import Format
from tests.support.paths import FIXTURES, ROOT, SHARED_MODELS
from tests.support.tflite_cases import write
from tests.support.tflite_networks import network
from tests.support.tflite_subgraphs import COMPOSED, FLATTENED

pytestmark = pytest.mark.slow
CASES, LARGEST = 500, 160_000


def _models() -> list[str]:
    """The repository's models and, where they are present, others; large ones would only take longer."""
    folders = (FIXTURES, SHARED_MODELS)
    found = sorted(path for folder in folders for path in folder.rglob("*.onnx"))
    return [str(path) for path in found if path.stat().st_size <= LARGEST]


def _texts() -> Iterator[str]:
    """The sections of the tests' texts, the fixtures as text and, where it is present, StableHLO's corpus."""
    folders = [(ROOT / "tests", "*.mlir")]
    if checkout := os.environ.get("STABLEHLO_CHECKOUT"):
        folders += [
            (Path(checkout) / "stablehlo", f"{part}/*.mlir") for part in ("testdata/quantized", "tests/interpret")
        ]
    for folder, pattern in folders:
        for path in sorted(folder.rglob(pattern)):
            if path.stat().st_size <= LARGEST:
                yield from re.split("// -----\n|// becomes\n", path.read_text())
    for path in sorted(FIXTURES.glob("*.onnx")):
        yield convert(load(path)).text


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A file for every text."""
    return _written(tmp_path_factory.mktemp("texts"), _texts())


@pytest.fixture(scope="module")
def tosa_texts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A file for every text of TOSA, and for the repository's models converted to TOSA."""
    models = sorted(path for suffix in ("onnx", "tflite") for path in FIXTURES.glob(f"*.{suffix}"))
    converted = [convert(load(path), Format.TOSA).text for path in models]
    tosa = [text for text in (*_texts(), *converted) if "tosa." in text and len(text) <= LARGEST]
    return _written(tmp_path_factory.mktemp("tosa"), tosa)


def _written(folder: Path, texts: Iterable[str]) -> list[str]:
    """Write a file for every text and return their paths."""
    paths = []
    for i, text in enumerate(texts):
        paths.append(str(folder / f"{i:04}.mlir"))
        Path(paths[-1]).write_text(text)
    return paths


def check(worker: str, seed: int, files: Sequence[str]) -> None:
    """Run a worker and look at its report."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}  # each thread reserves memory
    process = subprocess.run(
        [sys.executable, "-m", f"tests.support.{worker}", str(seed), str(CASES), *files],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, f"the worker ended with {process.returncode}: {process.stderr[-2000:]}"
    *failures, tally = map(json.loads, process.stdout.splitlines())
    assert failures == []
    assert sum(tally.values()) == CASES
    assert tally["converted"] > CASES // 20, "mutations are so strong that nothing behind the door is reached"


@pytest.mark.parametrize("seed", [0, 10_000, 20_000, 30_000])
def test_mutated_models_end_in_text_or_in_an_error(seed: int) -> None:
    check("fuzz_onnx", seed, _models())


@pytest.mark.parametrize("seed", [0, 10_000, 20_000, 30_000])
def test_mutated_texts_end_in_text_or_in_an_error(seed: int, texts: list[str]) -> None:
    check("fuzz_text", seed, texts)


@pytest.mark.parametrize("seed", [0, 10_000])
def test_mutated_tosa_ends_in_text_or_in_an_error(seed: int, tosa_texts: list[str]) -> None:
    check("fuzz_text", seed, tosa_texts)


@pytest.fixture(scope="module")
def flatbuffers(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The repository's .tflite files, random networks, subgraphs and, where they are present, real models."""
    folder = tmp_path_factory.mktemp("flatbuffers")
    made = {f"network_{seed}": write(network(seed)) for seed in range(20)}
    made |= {"composite": COMPOSED, "computed_shape": write(FLATTENED)}
    for name, data in made.items():
        (folder / f"{name}.tflite").write_bytes(data)
    folders = (FIXTURES, SHARED_MODELS, folder)
    return [str(path) for folder in folders for path in sorted(folder.rglob("*.tflite"))]


@pytest.mark.parametrize("seed", [0, 10_000, 20_000, 30_000])
def test_mutated_flatbuffers_end_in_text_or_in_an_error(seed: int, flatbuffers: list[str]) -> None:
    check("fuzz_tflite", seed, flatbuffers)
