"""Options of the whole test run, and which engines it has."""

from __future__ import annotations

import os

import numpy as np
import pytest

from qconvert.engines.base import EngineName, engine_info
from qconvert.engines.workers import NO_TELEMETRY

os.environ.update(NO_TELEMETRY)  # before a test imports onnxruntime


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what was found into the expected text")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests that are marked with an engine's name where that engine is not installed."""
    engines = (EngineName.STABLEHLO, EngineName.TOSA, EngineName.IREE, EngineName.LITERT)
    missing = {name: info.hint for name in engines if (info := engine_info(name)).version is None}
    for item in items:
        for name, hint in missing.items():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=f"the {name} engine is missing: {hint}"))


@pytest.fixture
def random() -> np.random.Generator:
    """Numbers that are the same whatever tests ran before."""
    return np.random.default_rng(11)
