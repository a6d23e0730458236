"""A case: a source model with samples, and what became of it in one format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from qconvert import Format
from qconvert.api import Model
from tests.graphs.network import Array

FORMATS = (Format.TOSA, Format.TFLITE, Format.ONNX, Format.STABLEHLO, Format.STABLEHLO_INT)


@dataclass(frozen=True)
class Case:
    """A source model, samples by the names of its inputs, and facts for the distribution."""

    label: str
    content: bytes
    samples: tuple[Mapping[str, Array], ...]
    source: str
    op_types: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    dims: Mapping[str, int] = field(default_factory=dict)
    made: Model | None = None
    """The model that is converted in place of the content, which is then the reference's."""


class Kind(StrEnum):
    """What became of a case in one format."""

    EQUAL = "equal"
    EXPLAINED = "explained"
    WRONG = "wrong"
    REFUSED = "refused"
    REFUSED_TOGETHER = "refused together"
    """No node is named, or the node alone converts."""
    TOOL_REFUSES = "tool refuses"
    TRACEBACK = "traceback"


FAULTS = (Kind.REFUSED_TOGETHER, Kind.WRONG, Kind.TOOL_REFUSES, Kind.TRACEBACK)


@dataclass(frozen=True)
class Outcome:
    """What became of a case in one format, with the numbers or the message."""

    kind: Kind
    text: str = ""

    @property
    def is_fault(self) -> bool:
        """True if the conversion is wrong, dies, or writes a file that its own tool refuses."""
        return self.kind in FAULTS
