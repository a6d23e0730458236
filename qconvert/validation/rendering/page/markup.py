"""Pieces of HTML. Every text goes through :func:`escaped`, every value of a script through :func:`embedded`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files

from qconvert.support.json_text import json_text
from qconvert.support.printable import escaped

__all__ = ["asset", "document", "embedded", "escaped", "table"]


def embedded(value: object) -> str:
    """Return JSON for a script element: without a character that could end the element or begin a comment."""
    return json_text(value, indent=None).replace("<", "\\u003c").replace(">", "\\u003e")


def asset(name: str) -> str:
    """Return the text of a file beside this module."""
    return files("qconvert.validation.rendering.page").joinpath(name).read_text("utf-8")


def document(title: str, body: str, *scripts: str) -> str:
    """Return a page with a title, a body, the style of reports, and scripts."""
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        f"<title>{escaped(title)}</title><style>{asset('report.css')}</style></head>"
        f"<body>{body}{''.join(f'<script>{script}</script>' for script in scripts)}</body></html>\n"
    )


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], style: str = "") -> str:
    """Return a table of classes in a box that scrolls, nothing for no rows. A row may have more cells than columns."""
    body = "".join(
        "<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row[: len(columns)]) + "</tr>" for row in rows
    )
    head = "".join(f"<th>{escaped(column)}</th>" for column in columns)
    kind = f' class="{style}"' if style else ""
    return f"<div class=wide><table{kind}><tr>{head}</tr>{body}</table></div>" if body else ""
