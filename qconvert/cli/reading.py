"""Reading the model that a command is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from qconvert.api import Model
from qconvert.api import load as load_model
from qconvert.api.loading import OpenedSource
from qconvert.cli.messages import note, say, step
from qconvert.support.errors import UsageError
from qconvert.support.numbers import whole_number

OPEN = "?"
"""The size of a dimension that stays open."""


def load(
    model: str | OpenedSource,
    dim: list[str],
    inputs: str = "",
    outputs: str = "",
    arguments: Mapping[str, Sequence[int]] | None = None,
    *,
    weights: Path | None = None,
    quiet: bool = False,
) -> Model:
    """Read a model, and name the dimensions that neither ``dim`` nor the shapes of ``arguments`` give a size."""
    cut = {"inputs": names(inputs), "outputs": names(outputs)}
    if not quiet:
        step(f"reading {model if isinstance(model, str) else model.file}")
    loaded = load_model(model, dims=sizes(dim), arguments=arguments, weights=weights, **cut)
    if quiet:
        return loaded
    for name in loaded.assumed_dims:
        note(f"{loaded.file}: dimension '{name}' is set to 1. --dim {name}=SIZE changes it.")
    for place in loaded.order_dependent:
        say(
            f"warning: {place}: the body of this reduction is not associative, so the result depends on the order of "
            "elements: from first to last, unless qconvert run --schedule sets another order."
        )
    return loaded


def open_dimensions(dim: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of the dimensions that ``NAME=?`` keeps open, and the other dimensions."""
    kept = [value for value in dim if value.endswith(f"={OPEN}")]
    return [value.removesuffix(f"={OPEN}") for value in kept], [value for value in dim if value not in kept]


def names(text: str) -> list[str]:
    """Return the names between commas."""
    return [name for name in text.split(",") if name]


def sizes(values: list[str]) -> dict[str, int]:
    """Return the sizes of ``NAME=SIZE`` pairs; raises UsageError where one is not of that form."""
    dims: dict[str, int] = {}
    for value in values:
        name, separator, size = value.rpartition("=")
        if size == OPEN:
            raise UsageError(f"--dim {value}: only convert keeps a dimension open; give it a size")
        number = whole_number(size)
        if not separator or not name or not number:
            raise UsageError(f"--dim {value}: expected NAME=SIZE with a size of at least 1")
        dims[name] = number
    return dims
