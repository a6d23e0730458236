"""``qconvert engines``."""

from __future__ import annotations

import platform
from typing import Annotated

import typer

from qconvert.cli.messages import show
from qconvert.engines.base import engine_infos
from qconvert.engines.process import missing_restrictions
from qconvert.support.json_text import json_text
from qconvert.support.version import installed_version


def engines(as_json: Annotated[bool, typer.Option("--json", help="Print all versions as JSON.")] = False) -> None:
    """List the runtimes that qconvert can ask, and how to add the missing ones."""
    if as_json:
        found = {
            "qconvert": installed_version(),
            "python": platform.python_version(),
            "system": platform.platform(),
            "engines": [info._asdict() for info in engine_infos()],
            "missing_restrictions": missing_restrictions(),
        }
        show(json_text(found))
        return
    for info in engine_infos():
        show(f"{info.name:<12} {info.version or 'missing: ' + info.hint}")
    for clause in missing_restrictions():
        show(f"engines are not fully confined on this system: {clause}")
