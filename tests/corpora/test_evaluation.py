"""StableHLO's own quantized programs, evaluated: the values that its interpreter gives are the ones we give."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from qconvert.api import Model, transform
from qconvert.formats import Format
from qconvert.frontends.mlir import load_text, sections
from qconvert.interpreter.program import evaluate_function
from qconvert.support.errors import ConversionError

ROOT = os.environ.get("STABLEHLO_CHECKOUT")

pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(ROOT is None, reason="STABLEHLO_CHECKOUT names no checkout of openxla/stablehlo"),
]

QUANTIZED, PLAIN = 131, 85
"""The numbers of modules with quantized types and without."""

ROUND_TRIP = ("legalize-quantized-op-to-qdq", "legalize-qdq-to-quantized-op")
MATH = ("legalize-quant-to-math",)
RESCALES = ("quant-legalize-to-tosa-rescale", "tosa-rescale-legalize-to-stablehlo")


@dataclass(frozen=True)
class Case:
    """One module of a file."""

    name: str
    text: str


def cases() -> list[Case]:
    """All modules of the corpus, each named by its file and its number there."""
    folder = Path(ROOT or "") / "stablehlo"
    files = [*sorted((folder / "testdata" / "quantized").glob("*.mlir")), folder / "tests/interpret/quantized_ops.mlir"]
    found = [(file, section) for file in files for section in sections(file.read_text()) if "func.func" in section]
    return [Case(f"{file.stem[:60]}:{i}", text) for i, (file, text) in enumerate(found)]


def is_quantized(case: Case) -> bool:
    return "!quant." in case.text


def evaluate(module: ModuleOp) -> None:
    """Evaluate every function; raises CheckFailedError where a value is not what it must be."""
    for op in module.ops:
        if isinstance(op, FuncOp):
            evaluate_function(op, ())


def failures(passes: tuple[str, ...], chosen: list[Case]) -> dict[str, str]:
    """What goes wrong, by case, after passes."""
    found = {}
    for case in chosen:
        try:
            module = load_text(case.text, case.name)
            evaluate(transform(Model(module, Format.STABLEHLO, case.name), passes).module)
        except ConversionError as error:
            found[case.name] = str(error)
    return found


def test_the_corpus_is_the_one_that_is_known() -> None:
    found = cases()
    quantized = sum(map(is_quantized, found))
    assert (quantized, len(found) - quantized) == (QUANTIZED, PLAIN)


@pytest.mark.row("D20")
def test_every_module_gives_what_stablehlo_gives() -> None:
    assert failures((), cases()) == {}


@pytest.mark.parametrize("passes", [ROUND_TRIP, MATH, RESCALES], ids=lambda passes: passes[0])
def test_it_still_does_after_passes(passes: tuple[str, ...]) -> None:
    assert failures(passes, [case for case in cases() if is_quantized(case)]) == {}
