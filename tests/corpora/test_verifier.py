"""The functions of StableHLO's own tests of its verifier on quantized types: the same are accepted, the same refused.

A refusal counts where it names the op that StableHLO's error stands at, and a reason that is the same one.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from qconvert.dialects.stablehlo import StableHLO
from qconvert.dialects.verify import verify_module, verify_stablehlo
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.support.errors import ConversionError, EngineError

ROOT = os.environ.get("STABLEHLO_CHECKOUT")
FILE = Path(ROOT or "") / "stablehlo" / "tests" / "ops_stablehlo_quantized.mlir"

pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(ROOT is None, reason="STABLEHLO_CHECKOUT names no checkout of openxla/stablehlo"),
]

OUTSIDE: set[str] = set()
"""Ops of the file that the dialect may lack."""

SIZES = {
    "gather_per_tensor_quantization": [("?x?x?x?x?x?x?x?", "1x1x8x1x7x1x6x1"), ("8x?x7x1x6x1x?", "8x1x7x1x6x1x5")],
    "negative_gather_quantization": [("<*x", "<1x1x8x1x7x1x6x1x"), ("8x?x7x1x6x1x?", "8x1x7x1x6x1x5")],
    "while_per_tensor_quantization": [("<?x", "<4x")],
    "quantized_dimension_with_dynamic_size": [("1x?x2", "1x2x2")],
}
"""Sizes for the functions that leave some open: every tensor of the IR has a known shape."""

_QUANTIZED_TYPE = r"quantized type \(C1[0123]\)|per-axis quantization is not accepted"
_AT_PARSING = r"zero point -?\d+ is outside the storage range|expected a storage type|quantized type \(C11\)"

REASONS = {
    r"must be (variadic of )?ranked tensor": rf"{_QUANTIZED_TYPE}|{_AT_PARSING}",
    r"operand and result shapes must match except": r"must have one shape|: the result has type",
    r"expect same quantization scales? and zero_points?": r"\(C1\): the result has type",
    r"quantization_dimension \d is not same as permutation": r"\(C4\): the result has type",
    r"result quantization_dimension \d not same|mismatch result (scale|zero_point)": r"\(C6\): the result has type",
    r"expect same quantization dimension size|product of dimensions before": r"mixes the slices .*\(C3\)",
    r"rhs should be quantized for quantized operations": r"\((C28|C14)\): rhs must be quantized",
    r"dimension of rhs should be same with kernel_output_feature_dimension": r"\(C29\)",
    r"dimension of result should be same with output_feature_dimension": r"\(C30\)",
    r"Zero points? of rhs should be 0": r"\(C15\)",
    r"dimension of rhs should not be in the contracting dimension": r"\(C16\)",
    r"mismatched lhs and rhs quantization storage types": r"\((C31|C17)\b",
    r"mismatched lhs, rhs and result quantization expressed types": r"\((C32|C18)\b",
    r"mismatched rhs and result quantization granularity": r"\((C33|C19)\b",
    r"mismatched rhs quantization expressed type and lhs": r"\((C34|C20)\b",
    r"out of expressed type range": r"quantized type \(C\d\): scale .* is out of the range",
    r"illegal quantized dimension: -1": r"\(C11\): quantization dimension -1 is negative",
    r"Expressed type of result expected to be": r"uniform_quantize \(C\d\): .* expresses",
}
"""Parts of StableHLO's errors, and what ours says of the same."""


@dataclass(frozen=True)
class Function:
    """One function: the error StableHLO's verifier gives, if any, and the op it stands at (None: the type itself)."""

    name: str
    text: str
    error: str | None
    op: str | None

    @classmethod
    def of(cls, section: str) -> Function:
        name = re.search(r"func\.func @(\w+)", section)
        assert name is not None
        expected = re.search(r"// expected-error(?:-re)?@\+1 \{\{(.*)\}\}\n(.*)", section)
        text = section
        for open_sizes, sizes in SIZES.get(name[1], ()):
            text = text.replace(open_sizes, sizes)
        if expected is None:
            return cls(name[1], text, None, None)
        op = re.search(r"stablehlo\.\w+", expected[2])
        return cls(name[1], text, expected[1], op and op[0])

    @property
    def unknown(self) -> set[str]:
        """The ops of the function that the dialect lacks."""
        known = {op.name for op in StableHLO.operations}
        return set(re.findall(r"(?<=[ \"])stablehlo\.[a-z]\w+(?=[\" (])", self.text)) - known

    def refusal(self) -> str | None:
        """Why ours refuses it; None where it does not."""
        try:
            module = parse_module(self.text, self.name)
            verify_stablehlo(module)
            verify_module(module)
        except ConversionError as error:
            return str(error)
        return None

    def is_refused_for_the_same_reason(self) -> bool:
        assert self.error is not None
        found = self.refusal() or ""
        reasons = [ours for theirs, ours in REASONS.items() if re.search(theirs, self.error)]
        assert len(reasons) == 1, f"{self.name}: {self.error} is {len(reasons)} of the known errors"
        at_op = self.op is None or self.op in found or re.search(_AT_PARSING, found) is not None
        return at_op and re.search(reasons[0], found) is not None


@pytest.fixture(scope="module")
def functions() -> list[Function]:
    sections = re.split(r"^// -----.*$", FILE.read_text(), flags=re.MULTILINE)
    return [Function.of(section) for section in sections if "func.func" in section]


def test_the_file_is_the_one_meant(functions: list[Function]) -> None:
    assert len(functions) == 130
    assert sum(function.error is not None for function in functions) == 102


def test_accepted_functions_are_accepted(functions: list[Function]) -> None:
    accepted = [function for function in functions if function.error is None]
    assert set().union(*(function.unknown for function in accepted)) <= OUTSIDE
    refused = {function.name: function.refusal() for function in accepted if not function.unknown}
    assert {name: why for name, why in refused.items() if why is not None} == {}


def test_refused_functions_are_refused_for_the_same_reason(functions: list[Function]) -> None:
    refused = [function for function in functions if function.error is not None]
    assert set().union(*(function.unknown for function in refused)) <= OUTSIDE
    missed = {f.name: (f.error, f.refusal()) for f in refused if not f.is_refused_for_the_same_reason()}
    lacking = {function.name for function in refused if function.unknown}
    assert set(missed) <= lacking, missed
    assert 1 - len(missed) / len(refused) >= 0.95


@pytest.mark.stablehlo
def test_the_real_verifier_agrees_with_the_annotations(functions: list[Function]) -> None:
    from qconvert.engines import stablehlo

    answers = stablehlo.verify_many(function.text for function in functions)
    for function, answer in zip(functions, answers, strict=True):
        assert isinstance(answer, EngineError) is (function.error is not None), function.name
