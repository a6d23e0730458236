"""Writes the table of op counts in docs/tosa.md: ``python docs/make_op_counts.py``. A test fails where it is stale."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from qconvert import Format, convert, load

PAGE = Path(__file__).with_name("tosa.md")
FIXTURES = Path(__file__).parents[1] / "fixtures"
MODELS = ("digits_mlp_int8", "digits_cnn_int8", "digits_cnn_uint8")
BEGIN, END = "| model | ", "\n\n"


def counts(model: Path) -> Counter[str]:
    """How often each op, constants aside, is in a conversion."""
    module = convert(load(model), Format.TOSA).module
    names = (op.name.removeprefix("tosa.") for op in module.walk() if op.dialect_name() == "tosa")
    return Counter(name for name in names if not name.startswith("const"))


def table() -> str:
    """A row for each model: all ops, and each kind."""
    rows = ["| model | ops | of these |", "|---|---|---|"]
    for name in MODELS:
        found = counts(FIXTURES / f"{name}.onnx")
        kinds = ", ".join(
            f"{count} {kind}" for kind, count in sorted(found.items(), key=lambda item: (-item[1], item[0]))
        )
        rows.append(f"| {name} | {found.total()} | {kinds} |")
    return "\n".join(rows)


def page() -> str:
    """The page with its table made anew."""
    text = PAGE.read_text()
    start = text.rindex(BEGIN)
    return text[:start] + table() + text[text.index(END, start) :]


if __name__ == "__main__":
    PAGE.write_text(page())
