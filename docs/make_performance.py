"""Writes docs/performance.svg and the tables of docs/performance.md: ``python docs/make_performance.py``.

The figures are those that ``python -m benchmarks.sizes`` and ``python -m benchmarks.interpreter`` wrote. A test fails
where the page or the drawing is stale.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.interpreter import FIGURES as INTERPRETER
from benchmarks.sizes import COPY, FIGURES, OUTPUTS, Figure

DOCS = Path(__file__).parent
PAGE, DRAWING = DOCS / "performance.md", DOCS / "performance.svg"
_COLOURS = (
    "#0b62a4",
    "#1d9a6c",
    "#7a4fb5",
    "#c2571a",
    "#b8870b",
    "#c03a6b",
    "#4b8b3b",
    "#777777",
    "#aaaaaa",
    "#222222",
)
_STYLE = "text{font-family:Helvetica,Arial,sans-serif;font-size:12px;fill:#222}.t{font-size:14px;font-weight:bold}"


@dataclass(frozen=True)
class _Panel:
    """A diagram with logarithmic axes: its title, its left edge, its range and the value of a figure."""

    title: str
    left: int
    low: float
    high: float
    unit: str
    value: Callable[[Figure], float | None]

    width: int = 340
    top: int = 40
    height: int = 320

    def x(self, megabytes: float) -> float:
        """Return the place of a model's size, from 10 MB to 10 GB."""
        return self.left + self.width * math.log10(megabytes / 10) / 3

    def y(self, value: float) -> float:
        """Return the place of a value."""
        share = math.log10(value / self.low) / math.log10(self.high / self.low)
        return self.top + self.height * (1 - share)

    def drawn(self, figures: Sequence[Figure]) -> Iterator[str]:
        """Yield the elements of the drawing."""
        yield f'<text class="t" x="{self.left}" y="24">{self.title}</text>'
        bottom = self.top + self.height
        for megabytes, label in ((10, "10 MB"), (100, "100 MB"), (1000, "1 GB"), (10_000, "10 GB")):
            x = self.x(megabytes)
            yield f'<path d="M{x:.0f} {self.top}V{bottom}" stroke="#ddd"/>'
            yield f'<text x="{x:.0f}" y="{bottom + 18}" text-anchor="middle">{label}</text>'
        value = self.low
        while value <= self.high:
            y = self.y(value)
            yield f'<path d="M{self.left} {y:.0f}h{self.width}" stroke="#ddd"/>'
            yield f'<text x="{self.left - 6}" y="{y + 4:.0f}" text-anchor="end">{value:g} {self.unit}</text>'
            value *= 10
        for title, colour in zip(_titles(), _COLOURS, strict=True):
            found = [(each.megabytes, self.value(each)) for each in figures if each.output == title]
            places = [(self.x(size), self.y(value)) for size, value in found if value is not None]
            if places:
                points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
                yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
            yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places)


def _titles() -> list[str]:
    return [*(output.title for output in OUTPUTS), COPY]


def drawing(figures: Sequence[Figure]) -> str:
    """Return the SVG: times and memories by the size of a model's weights."""
    panels = (
        _Panel("Time", 60, 0.01, 1000, "s", lambda figure: figure.seconds),
        _Panel("Largest memory of all processes", 480, 10, 10_000, "MB", lambda figure: figure.resident_megabytes),
    )
    lines = [line for panel in panels for line in panel.drawn(figures)]
    for row, (title, colour) in enumerate(zip(_titles(), _COLOURS, strict=True)):
        x, y = 60 + 260 * (row % 3), 410 + 20 * (row // 3)
        lines.append(f'<path d="M{x} {y - 4}h24" stroke="{colour}" stroke-width="3"/>')
        lines.append(f'<text x="{x + 30}" y="{y}">{title}</text>')
    size = 'viewBox="0 0 850 490" width="850" height="490"'
    label = 'role="img" aria-label="Time and memory of each output by the size of the weights"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {label}>'
    return "\n".join(
        [head, f"<style>{_STYLE}</style>", '<rect width="850" height="490" fill="#fff"/>', *lines, "</svg>\n"]
    )


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def sizes_table(figures: Sequence[Figure]) -> str:
    """Return the table of times and memories, and the reasons for what was not measured."""
    sizes = sorted({figure.megabytes for figure in figures})
    known = {(figure.output, figure.megabytes): figure for figure in figures}
    lines = [_row("output", *(f"{size:,} MB" for size in sizes)), "|" + "---|" * (len(sizes) + 1)]
    lines += [_row(title, *(_cell(known.get((title, size))) for size in sizes)) for title in [COPY, *_titles()[:-1]]]
    return "\n".join(lines)


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return "-"
    if figure.seconds is None:
        return figure.reason or "-"
    seconds = f"{figure.seconds:.2g} s" if figure.seconds < 10 else f"{figure.seconds:.0f} s"
    return seconds if figure.resident_megabytes is None else f"{seconds}, {figure.resident_megabytes:,.0f} MB"


def interpreter_table(rows: Sequence[dict[str, str | float]]) -> str:
    """Return the table of the interpreter beside its peers."""
    lines = [_row("model", "beside", "qconvert", "peer", "ratio"), "|---|---|---|---|---|"]
    for row in rows:
        ours, theirs = float(row["seconds"]), float(row["peer_seconds"])
        cells = (f"{ours * 1000:.3g} ms", f"{theirs * 1000:.3g} ms", f"{ours / theirs:.2g}")
        lines.append(_row(str(row["model"]), str(row["peer"]), *cells))
    return "\n".join(lines)


def page(text: str, tables: dict[str, str]) -> str:
    """Return the page with its tables as they should be; each stands behind a comment with its name."""
    for name, table in tables.items():
        text = re.sub(
            rf"(<!-- {name} -->\n\n)\|.*?(?=\n\n)", lambda found, made=table: found[1] + made, text, flags=re.DOTALL
        )
    return text


def made() -> dict[Path, str]:
    """Return the files as they should be."""
    figures = [Figure(**each) for each in json.loads(FIGURES.read_text())]
    tables = {"sizes": sizes_table(figures), "interpreter": interpreter_table(json.loads(INTERPRETER.read_text()))}
    return {DRAWING: drawing(figures), PAGE: page(PAGE.read_text(), tables)}


if __name__ == "__main__":
    for file, text in made().items():
        file.write_text(text)
