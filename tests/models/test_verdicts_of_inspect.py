"""Real models beside the repository: ``inspect`` refuses what ``convert`` refuses, in each format and profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from qconvert import load
from qconvert.support.errors import ConversionError
from tests.support.paths import SHARED_MODELS
from tests.support.verdicts import assert_verdicts_agree

pytestmark = [pytest.mark.corpora, pytest.mark.slow]

CASES = SHARED_MODELS.parent / "cases"
FOLDERS, KINDS = (SHARED_MODELS, CASES), ("onnx", "tflite", "mlir")
FILES = sorted(path for folder in FOLDERS for kind in KINDS for path in folder.rglob(f"*.{kind}"))


@pytest.mark.usual(12)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_inspect_and_convert_agree(path: Path) -> None:
    try:
        model = load(path)
    except ConversionError:
        pytest.skip("the model cannot be read")
    assert_verdicts_agree(model)
