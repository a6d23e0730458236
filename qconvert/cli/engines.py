"""``qconvert engines``."""

from __future__ import annotations

from qconvert.cli.messages import show
from qconvert.engines.base import engine_infos
from qconvert.engines.process import missing_restrictions


def engines() -> None:
    """List the runtimes that qconvert can ask, and how to add the missing ones."""
    for info in engine_infos():
        show(f"{info.name:<12} {info.version or 'missing: ' + info.hint}")
    for clause in missing_restrictions():
        show(f"engines are not fully confined on this system: {clause}")
