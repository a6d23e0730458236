"""The shipped targets by name. A file of this folder that registers a target adds one."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from qconvert.quantization.target import Target
from qconvert.quantization.targets.toml_file import read_target
from qconvert.support.errors import UsageError
from qconvert.support.registry import Catalog

TARGETS: Catalog[str, Target] = Catalog("targets", __name__)


def shipped(target: Target) -> Target:
    """Register a target by its name, and return it."""
    TARGETS.add(target.name, target)
    return target


def find(name_or_path: str | Path) -> Target:
    """A shipped target by its name, or the one that a ``.toml`` file describes.

    Raises UsageError for a name that no target has, and for a file that cannot be read as one.
    """
    name = str(name_or_path)
    if name in TARGETS:
        return TARGETS[name]
    if name.endswith(".toml"):
        return read_target(Path(name), TARGETS)
    near = get_close_matches(name, TARGETS, 1)
    perhaps = f", perhaps '{near[0]}' is meant" if near else ""
    raise UsageError(f"there is no target '{name}'{perhaps}; there are {', '.join(TARGETS)}, and files NAME.toml")
