"""Tables for a terminal."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from qconvert.support.printable import printable

WIDTH = 200
"""Columns of a table that is not printed on a terminal."""


def table(columns: tuple[str, ...], rows: list[tuple[str, ...]], left: int) -> Table:
    """Return a table for a terminal whose first ``left`` columns are text."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row[: len(columns)]))
    return table
