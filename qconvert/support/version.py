"""The version of the installed package."""

from __future__ import annotations


def installed_version() -> str:
    """Return the version of the installed package, or ``0+source`` for a checkout that is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # brings the e-mail parser, which few commands need

    try:
        return version("qconvert")
    except PackageNotFoundError:
        return "0+source"
