"""Options of the whole test run, and which engines it has."""

from __future__ import annotations

import pytest

from qconvert.engines.base import EngineName, engine_info


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what was found into the expected text")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked with an engine's name are skipped where that engine is not installed."""
    for item in items:
        for name in (EngineName.STABLEHLO, EngineName.TOSA, EngineName.IREE, EngineName.LITERT):
            info = engine_info(name)
            if item.get_closest_marker(name) and info.version is None:
                item.add_marker(pytest.mark.skip(reason=f"the {name} engine is missing: {info.hint}"))
