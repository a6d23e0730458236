"""The list of cases: each has a test, and each mark names a case."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from qconvert import Format, convert, load, run
from tests.cases import block_quantized
from tests.support.onnx_cases import theirs
from tests.support.paths import ROOT


def test_every_case_has_a_test() -> None:
    listed = re.findall(r"^\| ([A-Z]\d\d) \|", Path(__file__).with_name("README.md").read_text(), re.MULTILINE)
    marks = [mark for path in (ROOT / "tests").rglob("test_*.py") for mark in re.findall(_MARK, path.read_text())]
    marked = {name for mark in marks for name in re.findall(r"\w+", mark)}
    assert sorted(listed) == sorted(marked)


_MARK = re.compile(r"^@pytest\.mark\.row\((.*)\)$", re.MULTILINE)


@pytest.mark.row("U05")
@pytest.mark.parametrize("to", [to for to in Format if to is not Format.TOSA_RESCALE])
def test_negative_scales_of_int4_blocks(to: Format) -> None:
    case = block_quantized.ONNX["DequantizeLinear of int4 blocks, any sign"].case
    converted = convert(load(case.model), to)
    made = load(converted.content if converted.content is not None else converted.text.encode())
    feeds = dict(zip(made.input_names, case.feeds.values(), strict=True))
    np.testing.assert_array_equal(list(run(made, feeds).values()), theirs(case))
