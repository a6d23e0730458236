"""What the command line takes: the types of its arguments and options, and what they say of a format."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from qconvert.engines.base import EngineName
from qconvert.formats import Format
from qconvert.support.errors import UsageError

if TYPE_CHECKING:
    from qconvert.backends.base import Backend

Word = TypeVar("Word", bound=StrEnum)

ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="An .onnx, .mlir or .mlirbc file; - is standard input.")
]
DimOption = Annotated[list[str], typer.Option("--dim", metavar="NAME=SIZE", help="Size of a symbolic dimension.")]
InputsCut = Annotated[str, typer.Option("--inputs", metavar="T,..", help="Cut the model: tensors that become inputs.")]
OutputsCut = Annotated[str, typer.Option("--outputs", metavar="T,..", help="Cut the model: tensors that are outputs.")]
ToOption = Annotated[Format | None, typer.Option("--to", help="What to write; by default what OUT's name says.")]
FormOption = Annotated[
    str | None,
    typer.Option("--reduction-form", metavar="widen|spec|rfc", help="How StableHLO's sums are written: widen."),
]
ProfileOption = Annotated[
    str | None, typer.Option("--profile", metavar="mixed|int", help="TOSA: floats where needed (mixed), or none.")
]
VersionOption = Annotated[
    str | None, typer.Option("--artifact-version", metavar="X.Y.Z", help="The StableHLO that reads a .mlirbc OUT.")
]
SamplesOption = Annotated[
    Path | None, typer.Option("--inputs", metavar="IN.npz", help="Run on these samples instead of random ones.")
]
MinExactOption = Annotated[
    float | None,
    typer.Option("--min-exact", min=0, max=1, metavar="S", help="Fail below this share of equal elements."),
]
MaxRelOption = Annotated[
    float | None, typer.Option("--max-rel", min=0, metavar="R", help="Fail beyond this relative difference.")
]
OpsetOption = Annotated[int | None, typer.Option("--opset", metavar="N", help="ONNX: the version of its operators.")]
StyleOption = Annotated[
    str | None, typer.Option("--style", metavar="qdq|qoperator", help="ONNX: how quantized operators are spelled.")
]
ExactOption = Annotated[bool, typer.Option("--exact-rounding", help="Spell the source's rounding out.")]
QuantizedOption = Annotated[bool, typer.Option("--quantized-io", help="Quantized arguments and results.")]
KeepOption = Annotated[
    bool, typer.Option("--keep-composites", help="Keep ops that StableHLO lacks whole, with their decompositions.")
]
NhwcOption = Annotated[bool, typer.Option("--nhwc-io", help="TOSA: images come and go with channels last.")]
RoundingOption = Annotated[
    str | None,
    typer.Option("--rounding", metavar="half-up|half-even", help="TOSA: what becomes of exact halves."),
]
EngineOption = Annotated[EngineName, typer.Option("--engine", help="What runs the conversion.")]


def parse_dims(values: list[str]) -> dict[str, int]:
    """``NAME=SIZE`` pairs; raises UsageError where one is not of that form."""
    dims: dict[str, int] = {}
    for value in values:
        name, separator, size = value.rpartition("=")
        if not separator or not name or not size.isdigit() or int(size) < 1:
            raise UsageError(f"--dim {value}: expected NAME=SIZE with a size of at least 1")
        dims[name] = int(size)
    return dims


@dataclass(frozen=True)
class Wanted:
    """What the command line says of how a format is written; None where it says nothing."""

    reduction_form: str | None = None
    exact_rounding: bool = False
    quantized_io: bool = False
    profile: str | None = None
    keep_composites: bool = False
    rounding: str | None = None
    nhwc_io: bool = False
    opset: int | None = None
    style: str | None = None

    def options(self, target: Format) -> Backend:
        """The target's options; raises UsageError for an unknown word or an option of another target."""
        if target is Format.ONNX:
            return self._onnx()
        if self.opset is not None or self.style is not None:
            raise UsageError("--opset and --style are for --to onnx")
        return self._tosa() if target is Format.TOSA else self._stablehlo()

    def _onnx(self) -> Backend:
        from qconvert.backends.onnx import OnnxOptions, Style

        if replace(self, opset=None, style=None, quantized_io=False, exact_rounding=False) != Wanted():
            raise UsageError("only --opset, --style, --exact-rounding and --quantized-io are for --to onnx")
        style = _one_of("--style", self.style or Style.QDQ, Style)
        return OnnxOptions(self.opset, self.quantized_io, style, self.exact_rounding)

    def _stablehlo(self) -> Backend:
        from qconvert.backends.stablehlo import ReductionForm, StableHloOptions

        if self.profile is not None or self.rounding is not None or self.nhwc_io:
            raise UsageError("--profile, --rounding and --nhwc-io are for --to tosa")
        form = _one_of("--reduction-form", self.reduction_form or ReductionForm.WIDEN, ReductionForm)
        return StableHloOptions(form, self.exact_rounding, self.quantized_io, keep_composites=self.keep_composites)

    def _tosa(self) -> Backend:
        from qconvert.backends.tosa import HalfRounding, Profile, TosaOptions

        if self.reduction_form is not None or self.exact_rounding or self.keep_composites:
            raise UsageError("--reduction-form, --exact-rounding and --keep-composites are for StableHLO")
        profile = _one_of("--profile", self.profile or Profile.MIXED, Profile)
        rounding = _one_of("--rounding", self.rounding or HalfRounding.UP, HalfRounding)
        return TosaOptions(profile, self.quantized_io, rounding, self.nhwc_io)


def _one_of(option: str, word: str, words: type[Word]) -> Word:
    if word not in tuple(words):
        raise UsageError(f"{option} {word}: there are {', '.join(words)}")
    return words(word)
