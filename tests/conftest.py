"""Options of the whole test run, and which engines it has."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from qconvert.engines import child, vela
from qconvert.engines.base import engine_infos
from qconvert.engines.workers import NO_TELEMETRY
from tests.support import warm_engines
from tests.support.browser import browser

__all__ = ["browser"]

os.environ.update(NO_TELEMETRY)  # before a test imports onnxruntime


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what was found into the expected text")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests that are marked with the name of an extra that is not installed."""
    missing = {info.extra: info for info in engine_infos() if info.extra is not None and info.version is None}
    for item in items:
        for extra, info in missing.items():
            if item.get_closest_marker(extra):
                item.add_marker(pytest.mark.skip(reason=f"{info.name} is missing: {info.hint}"))


@pytest.fixture
def random() -> np.random.Generator:
    """Numbers that are the same whatever tests ran before."""
    return np.random.default_rng(11)


@pytest.fixture(autouse=True)
def warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let engines' processes serve several tests. Tests of the processes themselves replace this fixture."""
    for module in (child, vela):
        monkeypatch.setattr(module, "Child", warm_engines.WarmChild)


@pytest.fixture(autouse=True, scope="session")
def end_of_warm_engines() -> Iterator[None]:
    yield
    warm_engines.end_all()
