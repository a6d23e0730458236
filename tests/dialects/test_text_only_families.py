"""The families of StableHLO ops that only StableHLO text brings, through passes and backend."""

from __future__ import annotations

from pathlib import Path

import pytest

from qconvert.api import convert, load
from qconvert.dialects.verify import verify_stablehlo
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.support.errors import ConversionError
from tests.support.text_only import FAMILIES

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.quick(6)
def test_passes_and_backend_take_text_with_them(tmp_path: Path, family: str) -> None:
    for text in (FOLDER / f"{family}.mlir").read_text().split("// -----\n"):
        (tmp_path / "m.mlir").write_text(text)
        converted = convert(load(tmp_path / "m.mlir"))
        verify_stablehlo(parse_module(converted.text))


def test_names_that_no_family_has_are_refused_as_before() -> None:
    with pytest.raises(ConversionError, match=r"stablehlo\.frobnicate"):
        parse_module('"stablehlo.frobnicate"() : () -> ()')
    with pytest.raises(ConversionError, match=r"stablehlo\.frob"):
        parse_module("func.func @main(%a: !stablehlo.frob) { return }")


@pytest.mark.parametrize(
    ("to", "reason"),
    [
        ("onnx", r"stablehlo\.add: Add of opset 21 does not take elements of type complex<f32>"),
        ("tosa", r"TOSA does not support elements of type complex<f32>"),
    ],
)
@pytest.mark.row("D24")
def test_complex_numbers_are_for_stablehlo_only(to: str, reason: str) -> None:
    type = "tensor<2xcomplex<f32>>"
    text = f"func.func @main(%z: {type}) -> {type} {{\n  %0 = stablehlo.add %z, %z : {type}\n  return %0 : {type}\n}}"
    assert "complex<f32>" in convert(load(text.encode())).text
    with pytest.raises(ConversionError, match=reason):
        convert(load(text.encode()), to)
