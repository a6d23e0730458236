"""Random graphs and programs as ONNX: onnxruntime gives the integers that the source's runtime gives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, helper, load_from_string

from qconvert import Format, convert, load
from qconvert.api import Converted, Model
from qconvert.backends.onnx import OnnxOptions, Style
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import returned
from qconvert.ir.types import quantized
from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Case, theirs
from tests.support.parameters import few
from tests.support.random_graphs import random_graph
from tests.support.random_programs import random_inputs, random_program

GRAPHS, PROGRAMS = range(40), range(60)


def feeds_of(model: ModelProto, seed: int) -> dict[str, NDArray[np.generic]]:
    generator = np.random.default_rng(seed)
    feeds: dict[str, NDArray[np.generic]] = {}
    for port in model.graph.input:
        sizes = [dim.dim_value for dim in port.type.tensor_type.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(port.type.tensor_type.elem_type)
        feeds[port.name] = (generator.standard_normal(sizes) * 2).astype(dtype)
    return feeds


def opset_of(model: ModelProto) -> int:
    return next(opset.version for opset in model.opset_import if not opset.domain)


def run(converted: Converted, feeds: dict[str, NDArray[np.generic]]) -> list[NDArray[np.generic]]:
    assert converted.content is not None
    return theirs(Case(converted.content, feeds))


@pytest.mark.quick(5)
@pytest.mark.parametrize("seed", GRAPHS)
def test_a_graph_comes_back_equal(seed: int) -> None:
    graph = random_graph(seed)
    source, feeds = graph.SerializeToString(), feeds_of(graph, seed)
    converted = convert(load(source), Format.ONNX, OnnxOptions(opset_of(graph)))
    for found, expected in zip(run(converted, feeds), theirs(Case(source, feeds)), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.quick(6)
@pytest.mark.parametrize("seed", few(GRAPHS, 20))
def test_a_graph_of_integer_operators_computes_the_same(seed: int) -> None:
    """Kernels of integers round near-ties of a sum or product, and ties of an average, to either side."""
    graph = random_graph(seed)
    source, feeds = graph.SerializeToString(), feeds_of(graph, seed)
    converted = convert(load(source), Format.ONNX, OnnxOptions(opset_of(graph), style=Style.QOPERATOR))
    for one, other in zip(run(converted, feeds), theirs(Case(source, feeds)), strict=True):
        assert one.shape == other.shape
        assert np.mean(one == other) > 0.99 if one.size else True


@pytest.mark.quick(2)
@pytest.mark.parametrize("seed", few(GRAPHS, 10))
def test_a_graph_comes_back_through_fused_text(seed: int) -> None:
    """Ties are broken in StableHLO's order of rounding on the way."""
    graph = random_graph(seed)
    source, feeds = graph.SerializeToString(), feeds_of(graph, seed)
    text = convert(load(source)).text
    found = run(convert(load(text.encode()), Format.ONNX), feeds)
    for one, other in zip(found, theirs(Case(source, feeds)), strict=True):
        assert one.shape == other.shape
        assert np.mean(one == other) > 0.99 if one.size else True


@pytest.mark.quick(20)
@pytest.mark.parametrize("seed", PROGRAMS)
def test_a_program_computes_what_the_interpreter_computes(seed: int) -> None:
    module = random_program(seed)
    kinds = [quantized(value) for value in returned(module)]
    model = Model(module, Format.STABLEHLO, str(seed))
    if any(kind is not None and kind.storage.width == 32 for kind in kinds):
        with pytest.raises(ConversionError, match=r"stablehlo\.\w+.*is quantized in 32 bits"):
            convert(model, Format.ONNX, OnnxOptions(25))
        return
    inputs = random_inputs(module, seed)
    converted = convert(model, Format.ONNX, OnnxOptions(25))
    assert converted.content is not None
    names = [port.name for port in load_from_string(converted.content).graph.input]
    found = run(converted, dict(zip(names, inputs, strict=True)))
    for one, other in zip(found, evaluate(module, inputs), strict=True):
        assert one.shape == other.shape
        np.testing.assert_array_equal(one, other)
