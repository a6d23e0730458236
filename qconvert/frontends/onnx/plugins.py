"""Plugins: operators from other packages, found by the entry points of the group ``qconvert.plugins``."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from qconvert.frontends.onnx.context import OPERATORS
from qconvert.support.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "qconvert.plugins"


@lru_cache(maxsize=1)
def load_plugins() -> None:
    """Import every installed plugin, which registers operators with ``onnx_op``. A callable entry point is called.

    Raises UsageError that names the plugin if it cannot be loaded or registers an operator that exists already.
    """
    from importlib.metadata import entry_points  # brings the e-mail parser, which few models need

    for plugin in sorted(entry_points(group=GROUP)):
        built_in = {(key.domain, key.op_type) for key in OPERATORS}
        before = set(OPERATORS)
        _load(plugin)
        for key in set(OPERATORS) - before:
            if (key.domain, key.op_type) in built_in:
                raise UsageError(
                    f"the plugin '{plugin.name}' adds {key.domain or 'ai.onnx'}.{key.op_type}, which is there already. "
                    "Plugins add operators; they replace none"
                )


def _load(plugin: EntryPoint) -> None:
    try:
        loaded = plugin.load()
        if callable(loaded):
            loaded()
    except (ImportError, AttributeError, TypeError) as error:
        package = f" of package {plugin.dist.name}" if plugin.dist is not None else ""
        raise UsageError(
            f"the plugin '{plugin.name}'{package} ({plugin.value}) cannot be loaded: "
            f"{type(error).__name__}: {error}. Fix or uninstall it"
        ) from error
