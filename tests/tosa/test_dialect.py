"""The tosa dialect as text: read in both forms, printed so that tosa-opt reads it, wrong ops refused as TOSA does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from qconvert.frontends.mlir import load_text
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.ir.printing import module_text
from qconvert.support.errors import ConversionError, EngineError

FOLDER = Path(__file__).parent
OPS = (FOLDER / "ops.mlir").read_text().split("// -----\n")
INVALID = (FOLDER / "invalid.mlir").read_text().split("// -----\n")
LEFT_TO_RUN_TIME = " (tosa-opt leaves it to run time)"


@pytest.mark.parametrize("text", OPS)
def test_our_text_is_a_fixpoint_of_our_parser(text: str) -> None:
    printed = module_text(load_text(text, "ops.mlir"))
    assert module_text(parse_module(printed)) == printed


@pytest.mark.tosa
@pytest.mark.parametrize("text", OPS)
def test_tosa_opt_reads_what_we_print_and_we_read_what_it_prints(text: str) -> None:
    from qconvert.engines import tosa

    ours = module_text(load_text(text, "ops.mlir"), locations=False)
    theirs = re.sub(r"\{tosa\.target_env = .*\}", "", tosa.verify(ours))  # what it was validated against
    assert module_text(load_text(theirs, "theirs.mlir"), locations=False) == ours


@pytest.mark.tosa
def test_we_read_the_pretty_form_that_tosa_opt_prints() -> None:
    """But for the mode that is the default: it leaves out some, and writes others that we leave out."""
    from qconvert.engines import tosa_opt

    given = "// -----\n".join(OPS)
    command = [str(tosa_opt.program()), "--split-input-file"]
    pretty = subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout
    assert "= tosa.resize %" in pretty
    for ours, theirs in zip(OPS, pretty.split("// -----\n"), strict=True):
        texts = [module_text(load_text(text, "ops.mlir"), locations=False) for text in (ours, theirs)]
        assert DEFAULT.sub("", texts[0]) == DEFAULT.sub("", texts[1])


_MODE = r"nan_mode = #tosa\.nan_mode<PROPAGATE>"
DEFAULT = re.compile(rf", {_MODE}| <\{{{_MODE}\}}>")


@pytest.mark.parametrize("section", INVALID)
def test_wrong_ops_are_refused(section: str) -> None:
    message, _, text = section.partition("\n")
    with pytest.raises(ConversionError) as caught:
        load_text(text, "wrong.mlir")
    assert message.removeprefix("// ").removesuffix(LEFT_TO_RUN_TIME) in str(caught.value)


@pytest.mark.tosa
@pytest.mark.parametrize("section", INVALID)
def test_tosa_opt_refuses_the_same(section: str) -> None:
    from qconvert.engines import tosa

    message, _, text = section.partition("\n")
    if message.endswith(LEFT_TO_RUN_TIME):
        tosa.verify(text)
    else:
        with pytest.raises(EngineError):
            tosa.verify(text)


def test_a_rescale_without_its_operands_is_a_located_error() -> None:
    op = "%0 = tosa.rescale %a {scale32 = true} : (tensor<2xi8>) -> tensor<2xi8>"
    with pytest.raises(ConversionError, match=r"short\.mlir"):
        load_text(f"func.func @main(%a: tensor<2xi8>) {{\n  {op}\n}}", "short.mlir")
