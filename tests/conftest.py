"""Options of the whole test run, and which engines it has."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from qconvert.engines import child, vela
from qconvert.engines.base import engine_infos
from qconvert.engines.workers import NO_TELEMETRY
from tests.support import warm_engines
from tests.support.browser import browser
from tests.support.parameters import mark_others

__all__ = ["browser"]

settings.register_profile("slow machines", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("slow machines")

os.environ.update(NO_TELEMETRY)  # before a test imports onnxruntime


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what was found into the expected text")


def pytest_configure() -> None:
    """Let collection run without the garbage collector, which would look at everything imported again and again."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what was collected, which lives as long as the run, out of all later collections of garbage."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)  # pytest looks at -m in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what ``make check`` and ``make test`` leave out, and skip the tests of an extra that is not installed."""
    mark_others(items)
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
