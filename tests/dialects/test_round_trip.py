"""Every op through the real StableHLO parser and verifier and back: what we print it reads, what it prints we read."""

from __future__ import annotations

from pathlib import Path

import pytest

from qconvert.dialects.stablehlo import StableHLO
from qconvert.dialects.verify import verify_module, verify_stablehlo
from qconvert.frontends.mlir import load_text
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.ir.locations import node_names
from qconvert.ir.printing import module_text
from qconvert.support.errors import ConversionError, EngineError

FOLDER = Path(__file__).parent
CASES = {
    f"{path.stem}:{i}": text
    for path in sorted(FOLDER.glob("*.mlir"))
    if not path.stem.startswith("invalid")
    for i, text in enumerate(path.read_text().split("// -----\n"))
}
STABLEHLO = {case: text for case, text in CASES.items() if not case.startswith("ir:")}
INVALID = [section for path in sorted(FOLDER.glob("invalid*.mlir")) for section in path.read_text().split("// -----\n")]
ACCEPTED_ANYWAY = "// StableHLO accepts this one"


@pytest.mark.parametrize("case", CASES)
def test_our_text_is_a_fixpoint_of_our_parser(case: str) -> None:
    module = parse_module(CASES[case])
    verify_module(module)
    printed = module_text(module)
    assert module_text(parse_module(printed)) == printed


@pytest.mark.parametrize("case", [case for case in STABLEHLO if not case.startswith(("types:", "chlo:"))])
def test_accepted_at_the_level_of_stablehlo(case: str) -> None:
    verify_stablehlo(parse_module(CASES[case]))


def test_blocks_of_scales_are_for_the_ir_only() -> None:
    with pytest.raises(ConversionError, match=r"quantized type \(C10\).* has scales for blocks, which no op takes"):
        verify_stablehlo(parse_module(CASES["types:0"]))


@pytest.mark.parametrize("section", INVALID)
def test_wrong_ops_are_refused_with_the_constraint(section: str) -> None:
    message, _, text = section.partition("\n")
    with pytest.raises(ConversionError) as caught:
        verify_stablehlo(load_text(text, "wrong.mlir"))
    assert message.removeprefix("// ") in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.stablehlo
def test_the_real_verifier_refuses_the_same() -> None:
    from qconvert.engines import stablehlo

    for section, answer in zip(INVALID, stablehlo.verify_many(INVALID), strict=True):
        assert isinstance(answer, EngineError) is (ACCEPTED_ANYWAY not in section), section


@pytest.mark.stablehlo
@pytest.mark.parametrize("generic", [False, True], ids=["pretty", "generic"])
def test_the_real_parser_reads_what_we_print_and_we_read_what_it_prints(generic: bool) -> None:
    from qconvert.engines import stablehlo

    ours = {case: module_text(parse_module(text), locations=False) for case, text in STABLEHLO.items()}
    for (case, text), theirs in zip(ours.items(), stablehlo.verify_many(ours.values(), generic=generic), strict=True):
        assert isinstance(theirs, str), f"{case}: {theirs}"
        assert module_text(parse_module(theirs), locations=False) == text, case


@pytest.mark.stablehlo
def test_names_of_nodes_pass_through_the_real_parser() -> None:
    from qconvert.engines import stablehlo

    names = ("Conv", 'caf\u00e9 "quoted" \n\\', "/model/layer.1/Add_<3>")
    text = "func.func @main(%a: tensor<2xf32>) {{\n  %0 = stablehlo.abs %a : tensor<2xf32> loc({})\n  return\n}}\n"
    escaped = ", ".join('"' + "".join(f"\\{byte:02X}" for byte in name.encode()) + '"' for name in names)
    module = parse_module(text.format(f"fused[{escaped}]"))
    theirs = parse_module(stablehlo.verify(module_text(module), locations=True))
    for found in (module, theirs):
        assert [node_names(op.location) for op in found.walk() if op.name == "stablehlo.abs"] == [names]


def test_every_op_of_the_dialect_is_in_the_corpus() -> None:
    used = {type(op) for text in STABLEHLO.values() for op in parse_module(text).walk()}
    assert {op.name for op in StableHLO.operations} - {op.name for op in used} == set()
