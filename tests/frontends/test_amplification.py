"""A few bytes that ask for gigabytes are refused or left to run time, with what every process has."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.support.paths import ROOT

REFUSED = {
    "fake quantization of 2^42": (
        "<bytes>:2:1: func.func: a tensor of shape [1099511627776, 4] has more than 2,147,483,648 elements. "
        "Check the shapes in the model; no tool can hold this one"
    ),
    "2^28 scales": (
        "<bytes>: node 'QuantizeLinear:q' (QuantizeLinear): the scale (input 1, 'S') has 268435456 elements. "
        "Set QCONVERT_BUDGET=listed=8388608 or more if you trust the model"
    ),
    "Gather at 2^28": (
        "<bytes>: node 'Gather:y' (Gather): 268435456 positions would be listed at conversion. "
        "Set QCONVERT_BUDGET=listed=8388608 or more if you trust the model"
    ),
    "AveragePool over 2^30": (
        "<bytes>: node 'AveragePool:y' (AveragePool): 1073709054 positions would be listed at conversion. "
        "Set QCONVERT_BUDGET=listed=8388608 or more if you trust the model"
    ),
}


@pytest.mark.slow
def test_small_models_that_ask_for_gigabytes() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}  # each thread reserves memory
    process = subprocess.run(
        [sys.executable, "-m", "tests.support.amplification"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert process.returncode == 0, f"the worker ended with {process.returncode}: {process.stderr[-2000:]}"
    found = json.loads(process.stdout)
    assert found == {name: REFUSED.get(name, "converted") for name in found}
    assert set(REFUSED) < set(found)
