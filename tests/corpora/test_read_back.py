"""Everything that qconvert writes is read by qconvert: random models in every format, with every option, after passes.

``tests/frontends/test_fuzz.py`` does the same with mutated files.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import numpy as np
import pytest

from qconvert import Format, api
from qconvert.api import Model
from qconvert.formats import FORMATS
from qconvert.interpreter import evaluate
from qconvert.passes import PASSES
from qconvert.support.errors import ConversionError, QConvertError
from tests.support.parameters import few
from tests.support.random_graphs import random_graph
from tests.support.random_programs import random_program
from tests.support.read_back import check_content, convert_and_read_back, read_back, ways
from tests.support.tflite_networks import network_file

SEEDS = range(2 * len(ways()))
"""Seeds of which two follow each way of writing."""
FIRST = 31_000
"""Seeds of their own: other tests convert the first ones."""


def onnx(seed: int) -> Model:
    """A random quantized ONNX graph."""
    return api.load(random_graph(FIRST + seed))


def tflite(seed: int) -> Model:
    """A random TFLite network."""
    return api.load(network_file(FIRST + seed))


def stablehlo(seed: int) -> Model:
    """A random program on quantized values."""
    return Model(random_program(FIRST + seed), Format.STABLEHLO, str(seed))


MODELS = pytest.mark.parametrize("make", [onnx, tflite, stablehlo])


@pytest.mark.quick(4)
@MODELS
@pytest.mark.parametrize("seed", few(SEEDS, 4))
def test_a_random_model_is_read_back(make: Callable[[int], Model], seed: int) -> None:
    model = make(seed)
    with contextlib.suppress(QConvertError):  # not every way has a form of every op
        convert_and_read_back(model, seed)


@pytest.mark.quick(8)
@pytest.mark.parametrize("name", PASSES)
def test_a_pass_leaves_a_module_that_is_read(name: str) -> None:
    seed = sum(map(ord, name))
    model = (onnx, tflite, stablehlo)[seed % 3](seed % 50)
    with contextlib.suppress(QConvertError):  # not every pass takes every op
        read_back(api.transform(model, [name]), model)


@pytest.mark.slow
@MODELS
@pytest.mark.parametrize(
    "to",
    [
        pytest.param(Format.TOSA, marks=pytest.mark.tosa),
        pytest.param(Format.STABLEHLO, marks=pytest.mark.stablehlo),
        pytest.param(Format.STABLEHLO_INT, marks=pytest.mark.stablehlo),
    ],
)
def test_a_binary_file_is_read_back(make: Callable[[int], Model], to: Format) -> None:
    form = FORMATS[to].binary
    assert form is not None
    for seed in range(3):
        model = make(seed)
        with contextlib.suppress(ConversionError):  # TOSA does not have every window
            converted = api.convert(model, to)
            check_content(form.write(converted.module, None), model, is_specified=True)


SHARED = """func.func @main(%a: tensor<3xi8>, %b: tensor<3xi8>)
    -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>)
    attributes {input_names = ["a", "b"], output_names = ["first", "second", "third", "fourth"]} {
  %y = stablehlo.maximum %a, %b : tensor<3xi8>
  return %y, %b, %y, %b : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>
}"""


@pytest.mark.parametrize("to", [Format.TFLITE, pytest.param(Format.TOSA, marks=pytest.mark.tosa)])
def test_outputs_that_share_a_value_keep_their_names_in_a_flatbuffer(to: Format) -> None:
    """A tensor of a flatbuffer has one name."""
    model, form = api.load(SHARED.encode()), FORMATS[to].binary
    converted = api.convert(model, to)
    content = converted.content if form is None else form.write(converted.module, None)
    back = check_content(content or b"", model, is_specified=True)
    given = [np.int8([1, 2, 3]), np.int8([3, 2, 1])]
    found = evaluate(back.module, given)
    assert [array.tolist() for array in found] == [[3, 2, 3], [3, 2, 1], [3, 2, 3], [3, 2, 1]]
