"""Mutated models end in text or in an error of one paragraph: no other exception, no killed worker, no wait."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKER = Path(__file__).with_name("fuzz_worker.py")
CASES, LARGEST = 500, 160_000


def _models() -> list[str]:
    """The repository's models and, where they are present, others; large ones would only take longer."""
    folders = (ROOT / "fixtures", ROOT.parent / "shared" / "models")
    found = sorted(path for folder in folders for path in folder.rglob("*.onnx"))
    return [str(path) for path in found if path.stat().st_size <= LARGEST]


@pytest.mark.parametrize("seed", [0, 10_000, 20_000, 30_000])
def test_mutated_models_end_in_text_or_in_an_error(seed: int) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}  # each thread reserves memory
    process = subprocess.run(
        [sys.executable, str(WORKER), str(seed), str(CASES), *_models()],
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
