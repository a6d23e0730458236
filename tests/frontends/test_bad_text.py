"""Bad MLIR text ends in one paragraph that names line and column, what was found and a little of the text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from qconvert.api import convert, load
from tests.support.bad_texts import BOMBS, TEXTS, function
from tests.support.commands import refused_file

EXPECTED = Path(__file__).with_name("bad_text.txt")
QUOTED = re.compile(r", at '(.*)'$")


def _expected() -> dict[str, str]:
    lines = EXPECTED.read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines)


def test_the_good_function_converts() -> None:
    assert "func.func @main" in convert(load(function().encode())).text


@pytest.mark.slow
def test_every_bad_text_is_refused_in_these_words(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    path = tmp_path / "bad.mlir"
    found = {}
    for name, text in TEXTS.items():
        path.write_text(text)
        found[name] = refused_file(path)
    if pytestconfig.getoption("--update-golden"):
        EXPECTED.write_text("".join(f"{name}: {text}\n" for name, text in found.items()))
    assert found == _expected()


def test_every_refusal_has_a_place_and_quotes_little() -> None:
    for name, text in _expected().items():
        assert re.match(r"\d+:\d+: ", text), f"{name}: {text}"
        quoted = QUOTED.search(text)
        assert quoted is None or len(quoted[1]) <= 120, name
        assert len(text) < 600, name


def test_bombs_are_refused_before_anything_recurses() -> None:
    expected = _expected()
    assert [name for name in BOMBS if "nested more than 200 deep" not in expected[name]] == ["10,000 arrows"]


def test_a_refused_op_has_its_place_after_passes_too(tmp_path: Path) -> None:
    path = tmp_path / "bad.mlir"
    q = "tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>"
    path.write_text(f"func.func @main(%a: {q}) -> {q} {{\n\n  %0 = stablehlo.tanh %a : {q}\n  return %0 : {q}\n}}\n")
    assert refused_file(path) == (
        "3:3: stablehlo.tanh: tanh (I1): per-axis quantization is not accepted, "
        "found !quant.uniform<i8:f32:1, {0.5,0.25}> (operands: tensor<2x2x!quant.uniform<i8:f32:1, {0.5,0.25}>>)"
    )
