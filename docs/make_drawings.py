"""Writes the drawings of docs/explanation: ``python docs/make_drawings.py``. A test fails where one is stale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path

from qconvert.numerics.rescale import Rounding, apply_rescale

FOLDER = Path(__file__).parent / "explanation"
BLUE, RED, GREY, INK = "#3f51b5", "#c62828", "#777777", "#222222"


@dataclass
class Drawing:
    """An SVG picture: marks are added in the order in which they are painted."""

    title: str
    height: int
    width: int = 720
    marks: list[str] = field(default_factory=list)

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str = INK, more: str = "") -> None:
        """Add a straight line."""
        self.marks.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" {more}/>')

    def arrow(self, x1: float, y1: float, x2: float, y2: float, colour: str = GREY) -> None:
        """Add a line that ends in a tip."""
        self.line(x1, y1, x2, y2, colour, 'marker-end="url(#tip)"')

    def dot(self, x: float, y: float, colour: str) -> None:
        """Add a filled circle."""
        self.marks.append(f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="{colour}"/>')

    def text(self, x: float, y: float, text: str, colour: str = INK, anchor: str = "middle") -> None:
        """Add a line of text."""
        self.marks.append(f'<text x="{x:g}" y="{y:g}" fill="{colour}" text-anchor="{anchor}">{escape(text)}</text>')

    def box(self, x: float, y: float, text: str, fill: str = "#eef3fb", width: int = 130) -> None:
        """Add a box with a text in it."""
        self.marks.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width}" height="36" rx="6" fill="{fill}" stroke="{BLUE}"/>'
        )
        self.text(x + width / 2, y + 23, text)

    def svg(self) -> str:
        """Return the picture as SVG."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{escape(self.title)}" font-family="Helvetica, Arial, sans-serif" font-size="14">'
        )
        tip = (
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0,0 L8,4 L0,8 z" fill="{GREY}"/></marker></defs>'
        )
        ground = f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>'
        return "\n".join([head, tip, ground, *self.marks, "</svg>", ""])


def _axis(drawing: Drawing, y: float, first: int, last: int) -> Iterator[float]:
    """Draw a number line of integers; yield the place of each."""
    step = (drawing.width - 80) / (last - first)
    drawing.line(30, y, drawing.width - 30, y)
    for index, number in enumerate(range(first, last + 1)):
        x = 40 + index * step
        drawing.line(x, y - 7, x, y + 7)
        drawing.text(x, y + 25, str(number))
        yield x


def tie() -> Drawing:
    """A result between two integers, and one exactly halfway."""
    drawing = Drawing("A tie lies exactly halfway between two integers", 170)
    places = list(_axis(drawing, 110, 11, 15))
    step = places[1] - places[0]
    near, half = places[1] + 0.3 * step, places[2] + 0.5 * step
    drawing.dot(near, 110, BLUE)
    drawing.text(near, 40, "12.3: every runtime rounds to 12", BLUE)
    drawing.arrow(near, 50, places[1] + 4, 98)
    drawing.dot(half, 110, RED)
    drawing.text(half + 60, 70, "13.5, a tie: 13 and 14 are both right", RED)
    drawing.arrow(half - 4, 82, places[2] + 5, 100)
    drawing.arrow(half + 4, 82, places[3] - 5, 100)
    return drawing


def double_rounding() -> Drawing:
    """A value that two roundings take to another integer than one."""
    factor, multiplier, shift, bits = 64, 431 << 22, 33, 2
    value = factor * multiplier / 2**shift
    finer = int(value * 2**bits + 0.5) / 2**bits
    once, twice = (
        int(apply_rescale(factor, multiplier, shift, mode)) for mode in (Rounding.SINGLE_ROUND, Rounding.DOUBLE_ROUND)
    )
    drawing = Drawing("Rounding twice differs from rounding once", 250)
    for y, title, steps in (
        (95, f"{Rounding.SINGLE_ROUND}: {value} becomes {once}", (value, once)),
        (205, f"{Rounding.DOUBLE_ROUND}: {value} becomes {finer}, then {twice}", (value, finer, twice)),
    ):
        places = list(_axis(drawing, y, 12, 15))
        step = places[1] - places[0]
        for quarter in range(1, 3 * 2**bits):
            x = places[0] + quarter * step / 2**bits
            drawing.line(x, y - 3, x, y + 3, GREY)
        drawing.text(40, y - 52, title, anchor="start")
        at = [places[0] + (each - 12) * step for each in steps]
        drawing.dot(at[0], y, BLUE)
        for index, (start, end) in enumerate(pairwise(at)):
            height = y - 16 - 14 * index
            drawing.line(start, y - 6, start, height, GREY)
            drawing.line(start, height, end, height, GREY)
            drawing.arrow(end, height, end, y - 8)
        drawing.dot(at[-1], y, RED)
    return drawing


def isolation() -> Drawing:
    """Two ways to compare layers: end to end, and each with the reference's own integers."""
    drawing = Drawing("A layer in isolation gets the reference's own integers", 330)
    names = ("conv_1", "pool_1", "conv_2")
    rows = (
        (40, "end to end: a tie in pool_1 shows in every later layer", ("equal", "1 LSB", "differs"), False),
        (200, "in isolation: each layer gets the reference's integers", ("equal", "1 LSB, a tie", "equal"), True),
    )
    for y, title, results, is_fed in rows:
        drawing.text(30, y - 14, title, anchor="start")
        for index, (name, result) in enumerate(zip(names, results, strict=True)):
            x = 60 + index * 220
            drawing.box(x, y + 30, name)
            drawing.text(x + 65, y + 90, result, INK if result == "equal" else RED)
            if is_fed:
                drawing.text(x + 65, y + 10, "reference's integers", BLUE)
                drawing.arrow(x + 65, y + 14, x + 65, y + 29)
            else:
                drawing.arrow(x - 50 if index == 0 else x - 88, y + 48, x - 2, y + 48)
    return drawing


DRAWINGS = {"tie": tie, "double-rounding": double_rounding, "isolation": isolation}

if __name__ == "__main__":
    for name, draw in DRAWINGS.items():
        (FOLDER / f"{name}.svg").write_text(draw().svg())
