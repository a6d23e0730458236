"""Whole CNNs of ``fixtures/make_cnns.py``, each of which is made once for the tests of one process."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from make_cnns import RECIPES, write


def parameter(name: str, *values: object) -> Any:
    """Return the parameters of a test of one CNN: all tests of it run in one process."""
    return pytest.param(name, *values, marks=pytest.mark.xdist_group(name))


@cache
def cnn(name: str) -> Path:
    """Return the file of a CNN."""
    path = _folder() / f"{name}.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of onnxruntime's quantizer
        write(RECIPES[name], path)
    return path


@cache
def _folder() -> Path:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    return Path(folder)
