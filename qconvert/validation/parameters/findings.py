"""The difference of two models: dataclasses whose fields are the keys of its JSON (docs/diff.md)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass

from qconvert.support.json_text import json_text

SCHEMA = 1


@dataclass(frozen=True)
class DiffedFile:
    """One of the two files: its name and its format."""

    file: str
    format: str


@dataclass(frozen=True)
class Finding:
    """A parameter that differs.

    ``layer`` is its layer in the first model, ``second_layer`` that in the second model; one is None if the layer is in
    one model alone. ``op`` is the operator, ``parameter`` what differs, ``text`` how. ``is_form`` is True for other
    operators, which may compute the same numbers.
    """

    layer: str | None
    second_layer: str | None
    op: str
    parameter: str
    text: str
    is_form: bool = False

    @property
    def name(self) -> str:
        """The name of the layer, in the first model if it is there."""
        return self.layer or self.second_layer or ""

    @property
    def is_of_result(self) -> bool:
        """True for the scale or zero point of the layer's result, which the layers that read it have as well."""
        return not self.is_form and self.parameter in ("scale", "zero point")

    def is_of(self, names: Collection[str]) -> bool:
        """Return True if the layer in one of the models has one of the names."""
        return self.layer in names or self.second_layer in names

    def __str__(self) -> str:
        return f"{self.name}: {self.parameter}: {self.text}"


@dataclass(frozen=True)
class Difference:
    """How the parameters of two models differ; nothing was run.

    ``compared_as`` is the format in which both were compared, and ``options`` those of the conversion to it that are
    not the defaults, as the command line has them. ``operators`` is the number of operators of both. The ``findings``
    are in the first model's order. ``on_purpose`` has what differs between the files without changing what they
    compute. ``hint`` is an advice where both have other operators, else empty.
    """

    schema: int
    qconvert: str
    first: DiffedFile
    second: DiffedFile
    compared_as: str
    operators: tuple[int, int]
    findings: tuple[Finding, ...]
    on_purpose: tuple[str, ...]
    equal: bool
    options: tuple[str, ...] = ()
    hint: str = ""

    def json(self) -> str:
        """Return the difference as JSON."""
        return json_text(asdict(self))
