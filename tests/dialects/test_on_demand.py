"""The families of StableHLO ops that are imported where a text needs one of them, and nowhere else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from qconvert.api import convert, load
from qconvert.dialects.stablehlo import ON_DEMAND, StableHLO, is_on_demand, on_demand
from qconvert.dialects.verify import verify_stablehlo
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.support.errors import ConversionError

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
FAMILIES = {f"qconvert.{layer}.{name}" for layer in ("dialects.stablehlo", "interpreter") for name in ON_DEMAND}
PROGRAM = """
import sys
from pathlib import Path
import numpy as np
import qconvert
{work}
print(*sys.modules)
"""
CONVERT = f"qconvert.convert(qconvert.load({str(ROOT / 'fixtures' / 'digits_cnn_int8.onnx')!r}))"
TEXT = "func.func @main(%a: tensor<3xf32>) -> tensor<3xi1> {{\n  {op}\n  return %0 : tensor<3xi1>\n}}\n"
COMPARE = "%0 = stablehlo.compare LT, %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>"
IS_FINITE = "%0 = stablehlo.is_finite %a : (tensor<3xf32>) -> tensor<3xi1>"
FEEDS = "dict.fromkeys(model.input_names, np.ones(3, np.float32))"
RUN = f"model = qconvert.load(Path('m.mlir')); qconvert.run(model, {FEEDS})"


@pytest.mark.parametrize(
    ("op", "work", "expected"),
    [("", CONVERT, False), (COMPARE, RUN, False), (IS_FINITE, RUN, True)],
    ids=["ONNX", "text without", "text with"],
)
def test_only_text_with_one_of_their_ops_imports_them(tmp_path: Path, op: str, work: str, expected: bool) -> None:
    (tmp_path / "m.mlir").write_text(TEXT.format(op=op))
    command = [sys.executable, "-c", PROGRAM.format(work=work)]
    done = subprocess.run(command, check=True, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE)
    assert bool(FAMILIES & set(done.stdout.decode().split())) is expected


@pytest.mark.parametrize("family", [family for family in ON_DEMAND if (FOLDER / f"{family}.mlir").exists()])
def test_passes_and_backend_take_text_with_them(tmp_path: Path, family: str) -> None:
    for text in (FOLDER / f"{family}.mlir").read_text().split("// -----\n"):
        (tmp_path / "m.mlir").write_text(text)
        converted = convert(load(tmp_path / "m.mlir"))
        verify_stablehlo(parse_module(converted.text))


def test_no_op_is_in_both_groups() -> None:
    eager, rest = ({op.name for op in dialect.operations} for dialect in (StableHLO, on_demand()))
    assert not eager & rest
    assert all(is_on_demand(op) for op in on_demand().operations)
    assert not any(is_on_demand(op) for op in StableHLO.operations)


def test_names_that_no_family_has_are_refused_as_before() -> None:
    with pytest.raises(ConversionError, match=r"stablehlo\.frobnicate"):
        parse_module('"stablehlo.frobnicate"() : () -> ()')
    with pytest.raises(ConversionError, match=r"stablehlo\.frob"):
        parse_module("func.func @main(%a: !stablehlo.frob) { return }")
