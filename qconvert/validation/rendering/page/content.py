"""The content of a report's page as texts and figures, not yet HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple


class Mismatch(StrEnum):
    """A class of layers by what differs; the value is its name in the style sheet."""

    EQUAL = "equal"
    WITHIN = "within"
    TIES = "ties"
    LITTLE = "little"
    SOME = "some"
    MUCH = "much"
    FAILED = "failed"
    UNKNOWN = "unknown"


BEYOND = (Mismatch.LITTLE, Mismatch.SOME, Mismatch.MUCH, Mismatch.FAILED)
"""The classes of layers that differ by more than what is harmless."""


@dataclass(frozen=True)
class Column:
    """The head of a column of a table, and what it means.

    Of columns that are not ``is_main`` the page shows the figures in the details of a layer.
    """

    name: str
    meaning: str = ""
    is_main: bool = True


@dataclass(frozen=True)
class Cell:
    """A cell of a table; ``key`` is the number by which rows are sorted, None for a text."""

    text: str
    key: float | None = None


@dataclass(frozen=True)
class LayerRow:
    """A layer or value that was compared: its row of the table, its bar and its node. The first cell is its name.

    ``height`` is 0 to 1, ``tip`` appears over the bar and the node, ``figure`` stands in the node's corner. ``facts``
    have names. Rows are sorted by ``rank``, those of one rank in their order.
    """

    tensor: str
    style: Mismatch
    cells: tuple[Cell, ...]
    height: float
    tip: str
    figure: str
    facts: tuple[tuple[str, str], ...]
    rank: tuple[float, ...] = ()


@dataclass(frozen=True)
class LayerNode:
    """A layer in the drawing; ``inputs`` are tensors of layers or of the model, ``figure`` stands in the corner.

    ``style`` is a class of the style sheet: what differs, or the numbers that the layer computes with.
    """

    tensor: str
    node: str
    op: str
    inputs: tuple[str, ...]
    style: str
    tip: str
    figure: str


@dataclass(frozen=True)
class Table:
    """A table under a heading and a sentence; its first column is a text, or with ``is_text`` all are."""

    heading: str
    hint: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    is_text: bool = False


@dataclass(frozen=True)
class Drawing:
    """The network: its layers, the tensors behind each output, the meaning of colours, and the script's data.

    ``data`` has an object for each of ``nodes``.
    """

    hint: str
    nodes: tuple[LayerNode, ...]
    outputs: Mapping[str, tuple[str, ...]]
    data: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class LayersTable:
    """The table of layers: ``texts`` counts the first columns, which are texts.

    ``choices`` are the classes that the selection offers, each with its text. ``hint`` explains the rows' order.
    """

    columns: tuple[Column, ...]
    rows: tuple[LayerRow, ...]
    texts: int
    choices: tuple[tuple[str, tuple[Mismatch, ...]], ...]
    bars: str
    hint: str


class Shown(NamedTuple):
    """The layers or values of a report: figures, the table, a hint at the drawing, and the meaning of the classes.

    ``marked`` has the badges of some rows by their tensors.
    """

    cards: Sequence[tuple[str, str]]
    table: LayersTable | None
    drawn: str
    legend: Mapping[Mismatch, str]
    marked: Mapping[str, str]


@dataclass(frozen=True)
class Content:
    """The content of one report's part of a page.

    ``name`` is the heading, ``conclusion`` the sentence under it. ``legend`` has the meaning of each class of layers,
    ``marked`` the badges of some layers by their tensors; the first of them is open when the page opens, else the first
    layer of the table that differs. ``meanings`` explains columns, under headings. ``again`` and ``command`` are what
    makes the report again.
    """

    name: str
    passed: bool
    summary: str
    cards: Sequence[tuple[str, str]]
    failures: Sequence[str]
    notes: Sequence[str]
    outputs: Table
    drawing: Drawing | None
    layers: LayersTable | None
    legend: Mapping[Mismatch, str]
    meanings: Mapping[str, Sequence[tuple[str, str]]]
    again: Sequence[tuple[str, str]]
    command: str | None
    tables: Sequence[Table] = ()
    marked: Mapping[str, str] = field(default_factory=dict)
    conclusion: str = ""
