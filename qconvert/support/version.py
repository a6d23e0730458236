"""The versions of installed packages."""

from __future__ import annotations


def version_of(distribution: str) -> str | None:
    """Return the version of an installed distribution, from its metadata; None if it is not installed."""
    from importlib import metadata  # brings the e-mail parser, a twentieth of a command's time, which few commands need

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def installed_version() -> str:
    """Return the version of the installed package, or ``0+source`` for a checkout that is not installed."""
    return version_of("qconvert") or "0+source"
