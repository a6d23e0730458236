"""Real models beside the repository: ONNX to ONNX is the same network, bit for bit, as QDQ and as QOperator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper

from qconvert import EngineName, Format, OnnxOptions, convert, load, validate
from qconvert.backends.onnx import Style
from qconvert.support.arrays import read_arrays
from qconvert.validation import Settings
from tests.support.onnx_cases import Case, theirs
from tests.support.paths import SHARED_MODELS
from tests.support.shared_models import REORDERED

pytestmark = pytest.mark.corpora

Arrays: TypeAlias = dict[str, NDArray[np.generic]]

SOURCES = sorted(
    path
    for folder in ("onnx", "zoo")
    for path in (SHARED_MODELS / folder).glob("*.onnx")
    if not any(part in path.stem for part in ("qop",))
)
QOPERATOR = sorted(path for folder in ("onnx", "zoo") for path in (SHARED_MODELS / folder).glob("*qop*.onnx"))
OLDEST = 13


FLOAT = ("wo_s8", "weightonly", "pt2e", "__dyn", "dynamic", "block16", "blk_s4", "mnb4")
"""Parts of the names of models whose outputs are floats of a contraction: its sums may have another order."""


def _has(path: Path, *parts: str) -> bool:
    return any(part in path.stem for part in parts)


def drawn(graph: onnx.GraphProto, generator: np.random.Generator) -> Arrays:
    arrays: Arrays = {}
    for port in graph.input:
        dtype = helper.tensor_dtype_to_np_dtype(port.type.tensor_type.elem_type)
        sizes = [dim.dim_value for dim in port.type.tensor_type.shape.dim]
        values = generator.standard_normal(sizes) * 2 if dtype.kind == "f" else generator.integers(0, 100, sizes)
        arrays[port.name] = values.astype(dtype)
    return arrays


def real(path: Path, like: Arrays) -> list[Arrays]:
    """The model's own samples that lie beside it, as far as they are for its inputs."""
    beside = path.with_suffix(".npz")
    arrays = read_arrays(beside) if beside.exists() else {}
    if not set(like) <= set(arrays):
        return []
    return [
        {name: np.resize(arrays[name][i : i + 1], like[name].shape).astype(like[name].dtype) for name in like}
        for i in range(3)
    ]


def opset_of(path: Path) -> int:
    """The source's, or the oldest that is written."""
    source = onnx.load_from_string(path.read_bytes())
    return max(OLDEST, next(opset.version for opset in source.opset_import if not opset.domain))


def outputs(path: Path, content: bytes | None) -> Iterator[tuple[NDArray[np.generic], NDArray[np.generic]]]:
    """What onnxruntime computes on a model written, beside the source's."""
    assert content is not None
    generator = np.random.default_rng(0)
    samples = [drawn(onnx.load_from_string(content).graph, generator) for _ in range(3)]
    for sample in (*samples, *real(path, samples[0])):
        yield from zip(theirs(Case(content, sample)), theirs(Case(path.read_bytes(), sample)), strict=True)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_onnx_comes_back_equal(path: Path) -> None:
    converted = convert(load(path), Format.ONNX)
    assert converted.lost_arithmetic == 0
    for found, expected in outputs(path, converted.content):
        if f"{path.parent.name}/{path.stem}" in REORDERED:
            np.testing.assert_allclose(found, expected, atol=1e-5)
        else:
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_a_fused_network_comes_back_equal(path: Path) -> None:
    """By way of StableHLO's text, whose products of activations have 16 bits and need opset 21 therefore."""
    text = convert(load(path)).text
    opset = max(opset_of(path), 21 if "xi16" in text or "quant.uniform<i16" in text else OLDEST)
    for found, expected in outputs(path, convert(load(text.encode()), Format.ONNX, OnnxOptions(opset)).content):
        if _has(path, *FLOAT):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())
        else:
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("path", [*SOURCES, *QOPERATOR], ids=lambda path: path.stem)
def test_every_layer_of_integers_is_within_its_limit(path: Path) -> None:
    """0.9999 of a contraction's elements, every element but ties of the others, one step at most."""
    options = OnnxOptions(style=Style.QOPERATOR)
    report = validate(path, settings=Settings(Format.ONNX, EngineName.ONNXRUNTIME, options, samples=4))
    assert report.passed, report.failures
    assert max((layer.max_lsb for layer in report.layers), default=0) <= 1


@pytest.mark.parametrize("path", QOPERATOR, ids=lambda path: path.stem)
def test_operators_of_integers_come_back_as_they_were(path: Path) -> None:
    converted = convert(load(path), Format.ONNX, OnnxOptions(style=Style.QOPERATOR))
    for found, expected in outputs(path, converted.content):
        np.testing.assert_array_equal(found, expected)
    before, after = (kinds(content) for content in (path.read_bytes(), converted.content))
    assert after == before


def kinds(content: bytes | None) -> Counter[str]:
    """How often there is each operator of integers."""
    assert content is not None
    nodes = onnx.load_from_string(content).graph.node
    return Counter(node.op_type for node in nodes if node.op_type.startswith("Q") or node.op_type == "DequantizeLinear")


@pytest.mark.parametrize("path", QOPERATOR, ids=lambda path: path.stem)
def test_operators_of_integers_as_qdq(path: Path) -> None:
    settings = Settings(Format.ONNX, EngineName.ONNXRUNTIME, samples=4)
    report = validate(path, settings=settings)
    assert report.passed, report.failures
    assert max(layer.max_lsb for layer in report.layers) <= 1
