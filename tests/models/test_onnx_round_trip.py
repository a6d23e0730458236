"""Real models beside the repository: ONNX to ONNX is the same network, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper

from qconvert import Format, OnnxOptions, convert, load
from qconvert.files import read_arrays
from tests.ops.onnx_cases import Case, theirs

pytestmark = pytest.mark.corpora

Arrays: TypeAlias = dict[str, NDArray[np.generic]]

MODELS = Path(__file__).parents[2].parent / "shared" / "models"
UNREAD = ("qop", "qoperator", "lstm", "blk_s4", "mnb4")
"""Parts of the names of models with operators or scales that are not read."""
NEAR = ("mnist_dynamic",)
"""The source reshapes float weights at run time; constant ones onnxruntime multiplies in another order."""
SOURCES = sorted(
    path
    for folder in ("onnx", "zoo")
    for path in (MODELS / folder).glob("*.onnx")
    if not any(part in path.stem for part in UNREAD)
)
OLDEST = 13


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


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_onnx_comes_back_equal(path: Path) -> None:
    source = onnx.load_from_string(path.read_bytes())
    opset = next(opset.version for opset in source.opset_import if not opset.domain)
    converted = convert(load(path), Format.ONNX, OnnxOptions(max(OLDEST, opset)))
    assert converted.content is not None
    assert converted.lost_arithmetic == 0
    generator = np.random.default_rng(0)
    samples = [drawn(onnx.load_from_string(converted.content).graph, generator) for _ in range(3)]
    for sample in (*samples, *real(path, samples[0])):
        pairs = zip(theirs(Case(converted.content, sample)), theirs(Case(path.read_bytes(), sample)), strict=True)
        for found, expected in pairs:
            if path.stem in NEAR:
                np.testing.assert_allclose(found, expected, atol=1e-5)
            else:
                np.testing.assert_array_equal(found, expected)
