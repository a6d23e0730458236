"""The shipped targets by name. A file of this folder that registers a target adds one."""

from __future__ import annotations

from pathlib import Path

from qconvert.quantization.target import Target
from qconvert.quantization.targets.toml_file import read_target
from qconvert.support.errors import UsageError
from qconvert.support.registry import Catalog
from qconvert.support.suggestions import perhaps

TARGETS: Catalog[str, Target] = Catalog("targets", __name__)


def shipped(target: Target) -> Target:
    """Register a target by its name, and return it."""
    TARGETS.add(target.name, target)
    return target


def find(name_or_path: str | Path) -> Target:
    """Return a shipped target by its name, or the target that a ``.toml`` file describes.

    Raises UsageError for an unknown name, and for a file that is not a valid target.
    """
    name = str(name_or_path)
    if name in TARGETS:
        return TARGETS[name]
    if name.endswith(".toml"):
        return read_target(Path(name), TARGETS)
    allowed = ", ".join(TARGETS)
    raise UsageError(f"there is no target '{name}'{perhaps(name, TARGETS)}; there are {allowed}, and files NAME.toml")
