"""Operators from other packages: the entry points of the group ``qconvert.plugins``."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from qconvert.errors import UsageError

GROUP = "qconvert.plugins"


def load_plugins() -> None:
    """Import every installed plugin, which registers its operators with ``onnx_op``; one that is callable is called.

    Raises UsageError naming the plugin that cannot be loaded.
    """
    for plugin in sorted(entry_points(group=GROUP)):
        _load(plugin)


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
