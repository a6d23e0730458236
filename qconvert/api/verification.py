"""The check of a module in MLIR against the specification of its format: every violation, not only the first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from qconvert.api.loading import head, open_source
from qconvert.api.weights import check_weights
from qconvert.formats import FORMATS, Format, recognise
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.mlir import sections
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.frontends.mlir.sizes import give_sizes
from qconvert.support.counting import counted
from qconvert.support.errors import ConversionError, in_file
from qconvert.support.json_text import json_text
from qconvert.support.printable import printable, printable_lines

_CITED = re.compile(r"(?:([\w. ]+) )?\(([CI]\d[^)]*)\)(?:: )?")

_JUDGES = {Format.TFLITE: "what LiteRT's kernels take", Format.ONNX: "what ONNX and onnxruntime's kernels take"}


@dataclass(frozen=True)
class SpecificationViolation:
    """An op that violates the specification.

    ``place`` is ``file:line:column``, None for an op with a name, which is ``node``. ``constraint`` is the rule's
    number in the specification, as ``C15``, and empty where the rule has none; ``subject`` is the section that has the
    rule: an op without its dialect, or ``quantized type``.
    """

    place: str | None
    node: str | None
    op: str
    constraint: str
    subject: str
    found: str

    @classmethod
    def of(cls, error: ConversionError) -> SpecificationViolation:
        """Return the violation that a verification error describes."""
        op = error.op or "builtin.module"
        mnemonic = op.removeprefix("stablehlo.")
        cited = _CITED.match(error.found) or _CITED.search(error.found)
        if cited is None:
            return cls(error.file, error.node, op, "", mnemonic, error.found)
        if cited.start() == 0:
            subject, found = (cited[1] or mnemonic).removeprefix("stablehlo."), error.found[cited.end() :]
        else:
            before, after = error.found[: cited.start(2) - 1], error.found[cited.end(2) + 1 :]
            subject, found = mnemonic, before.rstrip() + after
        return cls(error.file, error.node, op, cited[2], subject, found)

    def __str__(self) -> str:
        where = self.place or (f"node '{self.node}'" if self.node else self.op)
        rule = f"({self.constraint}) of {self.subject}" if self.constraint else self.op
        return f"{where}: {rule}: {self.found}"


@dataclass(frozen=True)
class Verified:
    """The result of checking a file; without ``violations`` it is valid."""

    file: str
    format: Format
    violations: tuple[SpecificationViolation, ...]

    def json(self) -> str:
        """Return the result as JSON; its keys are the fields' names."""
        return json_text(asdict(self))

    def text(self) -> str:
        """Return a line for each violation, and one with their number."""
        title = FORMATS[self.format].title
        if not self.violations:
            return printable(f"{self.file}: valid {title}")
        broken = _JUDGES.get(self.format, f"{title}'s specification")
        total = f"{self.file}: {counted(len(self.violations), 'violation')} of {broken}"
        return printable_lines([*map(str, self.violations), total])


def verify(
    source: str | Path | bytes, *, dims: Mapping[str, int] | None = None, weights: str | Path | None = None
) -> Verified:
    """Check a module of StableHLO or TOSA, text or binary, against its specification, or a .tflite or .onnx file.

    Of a .tflite file, the types, scales and dimensions of each operator are checked against what LiteRT's kernels take.
    Of an .onnx file, the operators, attributes, numbers of inputs and element types of the main graph are checked
    against ONNX's schemas, and the types against onnxruntime's kernels.

    A file may hold several modules between ``// -----`` lines. ``dims`` gives sizes to open dimensions by name; the
    specification is checked at these sizes. ``weights`` is the .safetensors file of a program whose weights are in one:
    all of its data are read. Raises ConversionError for a file that holds no module, text that cannot be parsed, sizes
    that do not go together and weights that do not belong to the program, UsageError where a file cannot be opened.
    """
    file, opened = open_source(source)
    sizes = Dimensions(dims or {})
    with in_file(file):
        found = FORMATS[recognise(head(opened), file)]
        refused = found.file_errors(opened, sizes)
        if refused is not None:
            return Verified(file, found.name, tuple(map(SpecificationViolation.of, refused)))
        text = found.text(opened.read())
        modules = [_parsed(section, file, sizes) for section in sections(text)]
        sizes.refuse_unknown()
        if weights is not None:
            check_weights(modules[0], Path(weights))
    formats = [FORMATS[Format.STABLEHLO].read_format(module) for module in modules]
    errors = (error for module, name in zip(modules, formats, strict=True) for error in FORMATS[name].errors(module))
    return Verified(file, formats[0], tuple(map(SpecificationViolation.of, errors)))


def _parsed(text: str, file: str, sizes: Dimensions) -> ModuleOp:
    """Return a module with sizes for its open dimensions; it is not verified."""
    module = parse_module(text, file, open_sizes=True)
    give_sizes(module, sizes)
    return module
