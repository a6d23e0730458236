"""The tables of what LiteRT's kernels take, held against LiteRT: each operator by element type and granularity.

What the tables take, LiteRT loads and computes. What they refuse, LiteRT refuses, too, or it is listed here with the
reason: its kernels return wrong numbers, or no conversion has such tensors.
"""

from __future__ import annotations

from collections.abc import Mapping

import ml_dtypes
import numpy as np
import pytest
from tflite import BuiltinOperator as Code
from xdsl.ir import Attribute

from qconvert.api import convert, load
from qconvert.backends.tflite.accepted import check_accepted
from qconvert.backends.tflite.flatbuffer import model_parts
from qconvert.backends.tflite.graph import Graph
from qconvert.engines.litert import Resolver, run
from qconvert.formats import Format
from qconvert.interpreter import evaluate
from qconvert.support.errors import ConversionError
from tests.support.litert_verdicts import Model, verdicts
from tests.support.tflite_kernels import (
    ACTIVATIONS,
    FORMS,
    PRODUCTS,
    Product,
    biases,
    elements,
    feeds,
    weight_types,
)

pytestmark = pytest.mark.litert


def refusal(graph: Graph) -> str:
    """Return the text of the tables' refusal, empty where they take a graph."""
    try:
        check_accepted(graph)
    except ConversionError as error:
        return str(error)
    return ""


def is_taken(graph: Graph) -> bool:
    """Return True if the tables take a graph; they refuse it in one sentence by its node."""
    text = refusal(graph)
    assert not text or ("node 'node'" in text and len(text) <= 300)
    return not text


def resolvers_of(graph: Graph) -> tuple[Resolver, ...]:
    return (Resolver.DEFAULT,) if graph.operators[0].code in _ABSENT_IN_REFERENCE else tuple(Resolver)


_ABSENT_IN_REFERENCE = (Code.CEIL, Code.ELU, Code.ROUND)
"""Operators that only LiteRT's default kernels have."""


def unloaded(graphs: Mapping[str, Graph]) -> list[str]:
    """Return the names of graphs that LiteRT does not load or compute."""
    models = [
        Model(model_parts(graph).joined(), tuple(feeds(graph).values()), tuple(map(str, resolvers_of(graph))))
        for graph in graphs.values()
    ]
    return [name for name, is_run in zip(graphs, verdicts(models), strict=True) if not is_run]


def forms() -> dict[str, Graph]:
    """Return every operator by name and type."""
    return {f"{name} {kind}": form.graph(element) for name, form in FORMS.items() for kind, element in elements(form)}


def test_what_the_tables_take_runs_in_litert() -> None:
    taken = {name: graph for name, graph in forms().items() if is_taken(graph)}
    assert len(taken) > 500
    assert {tensor.name for graph in taken.values() for tensor in graph.inputs}
    assert unloaded(taken) == []


UNSCALED = frozenset({"i8", "u8", "i16"})
"""Integers without scales: the kernels of quantized integers read scales that are absent."""

UNUSED = frozenset({"bf16", "f16", "i4", "i4 scaled", "i32 scaled", "u16 scaled", "f64"})
"""Types that no conversion gives these operators: floats of 16 bits are computed in 32."""

WRONG: dict[str, set[str]] = {
    "GELU": {"i16 scaled", "i16 with zero point"},
    "ELU": {"i8"},
    "MEAN": {"i32", "i64"},
    "DIV": {"i16 with zero point"},
    "QUANTIZE": {"f16", "f32"},
    "PRELU": {"f16"},
    "REDUCE_MAX": {"bool"},
    "REDUCE_MIN": {"bool"},
    "SUM": {"bool"},
}
"""Other types that kernels take and compute otherwise, or that only one set of kernels takes."""


@pytest.mark.slow
def test_what_the_tables_refuse_litert_refuses() -> None:
    tried = {
        f"{name} {kind}": form.graph(element)
        for name, form in FORMS.items()
        for kind, element in elements(form)
        if kind not in UNSCALED | UNUSED | WRONG.get(name, set()) and "along" not in kind
    }
    refused = {name: graph for name, graph in tried.items() if not is_taken(graph)}
    assert set(refused) - set(unloaded(refused)) == set()


def products(product: Product, element: Attribute) -> dict[str, Graph]:
    return {
        f"{kind}, {bias}": product.graph(element, weights, held, names_bias=is_named)
        for kind, weights in weight_types(product).items()
        for bias, (held, is_named) in biases(weights).items()
    }


def test_products_that_the_tables_take_run_in_litert() -> None:
    taken = {
        f"{name} {activations} by {kind}": graph
        for name, product in PRODUCTS.items()
        for activations, element in ACTIVATIONS.items()
        for kind, graph in products(product, element).items()
        if is_taken(graph)
    }
    kinds = {(name.split()[0], name.split()[1]) for name in taken}
    assert kinds == {(name, kind) for name in PRODUCTS for kind in ("f32", "i8", "u8", "i16")}
    assert unloaded(taken) == []


SIXTEEN = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
WEIGHTS = {"one scale": "{}:{}, 0.25", "scales": "{}:{}:1, {{0.25,0.5,0.125,1.0,2.0}}"}


def hybrid(element: str, integers: str, weights: str, *, is_constant: bool) -> bytes:
    """Return a product of floats of a type by integers of the same type's reals."""
    lhs, result = f"tensor<3x4x{element}>", f"tensor<3x5x{element}>"
    rhs = f"tensor<4x5x!quant.uniform<{WEIGHTS[weights].format(integers, element)}>>"
    constant = f"%w = stablehlo.constant() <{{value = dense<3> : tensor<4x5x{integers}>}}> : () -> {rhs}"
    return f"""func.func @main(%x: {lhs}{"" if is_constant else f", %w: {rhs}"}) -> {result} {{
  {constant if is_constant else ""}
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({lhs}, {rhs}) -> {result}
  return %y : {result}
}}""".encode()


@pytest.mark.parametrize("is_constant", [False, True])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("integers", ["i8", "i4"])
@pytest.mark.parametrize("element", SIXTEEN)
def test_products_of_floats_of_16_bits_run_or_are_refused(
    element: str, integers: str, weights: str, is_constant: bool
) -> None:
    model = load(hybrid(element, integers, weights, is_constant=is_constant))
    if element == "bf16":
        with pytest.raises(ConversionError, match=r"node '.*LiteRT has no \w+ of bf16"):
            convert(model, Format.TFLITE)
        return
    content = convert(model, Format.TFLITE).content
    assert content is not None
    numbers = np.arange(20).reshape(4, 5) % 7 - 3
    given = [np.linspace(-2, 2, 12).reshape(3, 4).astype(SIXTEEN[element])]
    given += [] if is_constant else [numbers.astype(np.int8)]
    [expected] = evaluate(model.module.clone(), given)
    [found] = run(content, dict(zip(model.input_names, given, strict=True))).values()
    np.testing.assert_array_equal(found, expected)
