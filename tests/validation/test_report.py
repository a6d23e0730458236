"""The JSON report of a validation: its form is stable, and each of its keys is documented."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from qconvert import Report, load, validate
from qconvert.validation import Limits, Settings
from tests.support.paths import FIXTURES
from tests.validation.test_validate import FEW, MLP

pytestmark = pytest.mark.slow  # onnxruntime starts in a process for most of them

NUMBER, TEXT = "number", "string"
GOLDEN: dict[str, Any] = {
    "schema": "integer",
    "qconvert": TEXT,
    "model": {"file": TEXT, "sha256": TEXT},
    "reference": {"name": TEXT, "version": TEXT, "optimisation": TEXT, "why": TEXT},
    "engine": {"name": TEXT, "version": TEXT, "optimisation": TEXT, "why": TEXT},
    "to": TEXT,
    "samples": "integer",
    "seed": "null",
    "limits": {"max_lsb": "integer", "min_exact": NUMBER, "min_sqnr_db": NUMBER, "max_rel": NUMBER},
    "outputs": [
        {
            "name": TEXT,
            "dtype": TEXT,
            "exact": NUMBER,
            "max_lsb": "integer",
            "max_abs": NUMBER,
            "sqnr_db": "null",
            "top1": NUMBER,
            "exact_reference_optimised": NUMBER,
            "max_rel": NUMBER,
            "distinct": "integer",
        }
    ],
    "layers": [
        {
            "node": TEXT,
            "nodes": [TEXT],
            "op": TEXT,
            "family": TEXT,
            "tensor": TEXT,
            "exact": NUMBER,
            "exact_non_ties": NUMBER,
            "max_lsb": "integer",
            "elements": "integer",
            "ties": "integer",
            "inputs": [TEXT],
            "proof": "null",
            "bound": "null",
            "measured": "null",
            "float_error": "null",
            "needed": NUMBER,
            "rewritten": "null",
            "passed": "boolean",
            "cause": "null",
        }
    ],
    "passed": "boolean",
    "failures": [],
    "notes": [TEXT],
    "inputs": [{"name": TEXT, "exact": NUMBER, "elements": "integer", "bits": "integer"}],
    "values": [],
    "whole": [
        {
            "name": TEXT,
            "differing": NUMBER,
            "most_differing": NUMBER,
            "sqnr_db": "null",
            "least_sqnr_db": NUMBER,
            "max_abs": NUMBER,
            "most_abs": NUMBER,
            "off_grid": "integer",
            "passed": "boolean",
        }
    ],
    "file": TEXT,
    "file_sha256": TEXT,
    "ops": {"ops": "integer", "judged": "integer", "merged_layers": "integer"},
    "accuracy": "null",
    "parameters": [],
    "other_cause": "null",
    "higher_precision": [],
    "unmatched": [[]],
}
"""Schema 2: keys in order, and types. Whoever changes what is here, but for adding keys, raises the schema's number."""


def form(value: Any) -> Any:
    """A JSON value with types in the place of its leaves; a list by its first element."""
    if isinstance(value, dict):
        return {key: form(part) for key, part in value.items()}
    if isinstance(value, list):
        return [form(part) for part in value[:1]]
    names = {bool: "boolean", int: "integer", float: NUMBER, str: TEXT, type(None): "null"}
    return names[type(value)]


@pytest.fixture(scope="module")
def report() -> Report:
    settings = Settings(limits=Limits(3, 0.5, 1.0, 0.5), bisect=True)
    return validate(MLP, inputs=FEW, settings=settings)


def test_the_reports_form_is_stable(report: Report) -> None:
    found = json.loads(report.json())
    assert form(found) == GOLDEN
    assert json.dumps(form(found)) == json.dumps(GOLDEN)  # the order too


def test_the_reports_content(report: Report) -> None:
    found = json.loads(report.json())
    model = load(MLP)
    assert found["schema"] == 2
    assert found["model"] == {"file": str(MLP), "sha256": model.sha256}
    assert found["reference"]["name"] == "onnxruntime"
    assert found["reference"]["optimisation"] == "disabled"
    assert found["engine"]["name"] == "stablehlo"
    assert found["file"] == ""
    assert found["to"] == "stablehlo"
    assert found["samples"] == 8
    assert found["limits"] == {"max_lsb": 3, "min_exact": 0.5, "min_sqnr_db": 1.0, "max_rel": 0.5}
    assert {layer["op"] for layer in found["layers"]} >= {"Flatten", "Gemm"}
    assert {layer["family"] for layer in found["layers"]} <= {"contraction", "average", "movement", "elementwise"}
    assert all(0 <= layer["exact"] <= 1 and 0 <= layer["ties"] <= layer["elements"] for layer in found["layers"])


def test_every_key_is_documented() -> None:
    page = (FIXTURES.parent / "docs" / "validation-json.md").read_text()
    keys = {key for quoted in re.findall(r"`([^`]*)`", page) for key in re.findall(r"[a-z_0-9]+", quoted)}

    def walk(value: Any) -> set[str]:
        if isinstance(value, dict):
            return {*value, *(key for part in value.values() for key in walk(part))}
        return {key for part in value for key in walk(part)} if isinstance(value, list) else set()

    assert walk(GOLDEN) <= keys


def test_outputs_of_any_value_make_valid_json() -> None:
    arrays = {"image": np.full((1, 1, 8, 8), np.nan, np.float32)}
    assert json.loads(validate(MLP, inputs=arrays).json())["samples"] == 1
