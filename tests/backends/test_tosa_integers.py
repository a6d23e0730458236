"""Contractions of plain integers in TOSA: bytes, differences of bytes, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qconvert.backends.tosa import TosaOptions
from qconvert.backends.tosa.emit import emit
from qconvert.dialects import tosa as dialect
from qconvert.engines import tosa
from qconvert.engines.modules import Program
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.ir import module_text
from qconvert.support.errors import ConversionError, EngineError
from tests.support.litert_reference import signless


def program(body: str, **arguments: str) -> str:
    given = ", ".join(f"%{name}: tensor<{type}>" for name, type in arguments.items())
    result = body.rpartition("-> ")[2].strip()
    return f"func.func @main({given}) -> {result} {{\n{body}\n  return %r : {result}\n}}"


def widened(name: str, sizes: str, element: str = "ui8") -> str:
    return f"  %{name}w = stablehlo.convert %{name} : (tensor<{sizes}{element}>) -> tensor<{sizes}i32>\n"


def less(name: str, sizes: str, point: str, dims: str, axes: str) -> str:
    """Return the difference of widened bytes and a widened zero point, which ``axes`` are the dimensions of."""
    return (
        widened(name, sizes)
        + widened(point, dims)
        + f"  %{point}b = stablehlo.broadcast_in_dim %{point}w, dims = [{axes}] : "
        + f"(tensor<{dims}i32>) -> tensor<{sizes}i32>\n"
        + f"  %{name}d = stablehlo.subtract %{name}w, %{point}b : tensor<{sizes}i32>\n"
    )


PRODUCT = (
    "  %r = stablehlo.dot_general {}, {}, contracting_dims = [1] x [0] : "
    "(tensor<4x9xi32>, tensor<9x5xi32>) -> tensor<4x5xi32>"
)
CONVOLUTION = (
    "  %r = stablehlo.convolution({}, {}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
    "window = {{{}}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : "
    "(tensor<2x5x6x3xi32>, tensor<3x3x3x4xi32>) -> tensor<2x{}x{}x4xi32>"
)
MATRICES = {"a": "4x9xui8", "b": "9x5xui8"}
IMAGES = {"a": "2x5x6x3xui8", "b": "3x3x3x4xui8"}
PLAIN = widened("b", "9x5x")
KERNEL = widened("b", "3x3x3x4x")
PROGRAMS = {
    "bytes": program(
        "  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
        "(tensor<4x9xui8>, tensor<9x5xi8>) -> tensor<4x5xi32>",
        a="4x9xui8",
        b="9x5xi8",
    ),
    "bytes that are computed": program(
        "  %d = stablehlo.subtract %a, %c : tensor<4x9xui8>\n"
        "  %r = stablehlo.dot_general %d, %b, contracting_dims = [1] x [0] : "
        "(tensor<4x9xui8>, tensor<9x5xi8>) -> tensor<4x5xi32>",
        a="4x9xui8",
        b="9x5xi8",
        c="4x9xui8",
    ),
    "a zero point of each row": program(
        less("a", "4x9x", "z", "4x", "0") + PLAIN + PRODUCT.format("%ad", "%bw"), **MATRICES, z="4xui8"
    ),
    "a zero point of each term": program(
        less("a", "4x9x", "z", "9x", "1") + PLAIN + PRODUCT.format("%ad", "%bw"), **MATRICES, z="9xui8"
    ),
    "a zero point on each side": program(
        less("a", "4x9x", "z", "4x", "0") + less("b", "9x5x", "y", "5x", "1") + PRODUCT.format("%ad", "%bd"),
        **MATRICES,
        z="4xui8",
        y="5xui8",
    ),
    "transposed bytes": program(
        less("a", "9x4x", "z", "4x", "1")
        + "  %t = stablehlo.transpose %ad, dims = [1, 0] : (tensor<9x4xi32>) -> tensor<4x9xi32>\n"
        + PLAIN
        + PRODUCT.format("%t", "%bw"),
        a="9x4xui8",
        b="9x5xui8",
        z="4xui8",
    ),
    "reshaped bytes": program(
        less("a", "36x", "z", "", "")
        + "  %t = stablehlo.reshape %ad : (tensor<36xi32>) -> tensor<4x9xi32>\n"
        + PLAIN
        + PRODUCT.format("%t", "%bw"),
        a="36xui8",
        b="9x5xui8",
        z="ui8",
    ),
    "reshaped bytes with several zero points": program(
        less("a", "2x2x9x", "z", "2x2x", "0, 1")
        + "  %t = stablehlo.reshape %ad : (tensor<2x2x9xi32>) -> tensor<4x9xi32>\n"
        + PLAIN
        + PRODUCT.format("%t", "%bw"),
        a="2x2x9xui8",
        b="9x5xui8",
        z="2x2xui8",
    ),
    "constants of 9 bits": program(
        widened("a", "4x9x")
        + f"  %c = stablehlo.constant dense<{np.arange(-230, 40, 6).reshape(9, 5).tolist()}> : tensor<9x5xi32>\n"
        + PRODUCT.format("%aw", "%c"),
        a="4x9xui8",
    ),
    "constants of 8 bits beside a zero point": program(
        less("a", "4x9x", "z", "", "")
        + f"  %c = stablehlo.constant dense<{np.arange(-190, 35, 5).reshape(9, 5).tolist()}> : tensor<9x5xi32>\n"
        + PRODUCT.format("%ad", "%c"),
        a="4x9xui8",
        z="ui8",
    ),
    "an image with a zero point each": program(
        less("a", "2x5x6x3x", "z", "2x", "0")
        + KERNEL
        + CONVOLUTION.format("%ad", "%bw", "stride = [2, 1], pad = [[1, 1], [2, 0]]", 3, 6),
        **IMAGES,
        z="2xui8",
    ),
    "an image with a zero point, cropped": program(
        less("a", "2x5x6x3x", "z", "", "")
        + KERNEL
        + CONVOLUTION.format("%ad", "%bw", "pad = [[-1, 1], [2, -1]]", 3, 5),
        **IMAGES,
        z="ui8",
    ),
    "an image with zeros between": program(
        less("a", "2x5x6x3x", "z", "", "")
        + f"  %c = stablehlo.constant dense<{np.arange(-54, 54).reshape(3, 3, 3, 4).tolist()}> : tensor<3x3x3x4xi32>\n"
        + CONVOLUTION.format("%ad", "%c", "pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]", 9, 11),
        a=IMAGES["a"],
        z="ui8",
    ),
}


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    modules = {name: parse_module(text) for name, text in PROGRAMS.items()}
    random, given, programs = np.random.default_rng(5), {}, []
    for name, module in modules.items():
        types = [argument.type for argument in next(iter(module.ops)).body.block.args]  # type: ignore[attr-defined]
        given[name] = [
            random.integers(0, 256, type.get_shape()).astype(np.uint8).view(np.int8 if "xi8" in str(type) else np.uint8)
            for type in types
        ]
        programs.append(Program(module_text(emit(module, TosaOptions()).module), [signless(given[name])]))
    found = tosa.run_many(programs)
    return {
        name: (evaluate(modules[name], given[name])[0], result) for name, result in zip(modules, found, strict=True)
    }


@pytest.mark.tosa
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_sum_is_exact(name: str, answers: dict[str, Any]) -> None:
    expected, found = answers[name]
    assert not isinstance(found, EngineError), str(found)
    np.testing.assert_array_equal(found[0][0], expected)


def contractions(text: str) -> int:
    module = emit(parse_module(text), TosaOptions()).module
    return sum(
        isinstance(op, dialect.ConvolutionOp | dialect.TransposeConv2DOp | dialect.MatMulOp) for op in module.walk()
    )


def test_a_zero_point_that_terms_share_costs_no_contraction() -> None:
    counts = {name: contractions(text) for name, text in PROGRAMS.items()}
    twice = {
        "reshaped bytes with several zero points",
        "a zero point of each term",
        "a zero point on each side",
        "constants of 9 bits",
        "an image with zeros between",
    }
    assert counts == {name: 2 if name in twice else 1 for name in PROGRAMS}


REFUSED = {
    "an argument in 32 bits": program(PLAIN + PRODUCT.format("%a", "%bw"), a="4x9xi32", b="9x5xui8"),
    "widened 16 bits": program(
        widened("a", "4x9x", "i16") + PLAIN + PRODUCT.format("%aw", "%bw"), a="4x9xi16", b="9x5xui8"
    ),
    "signed less unsigned bytes": program(
        widened("a", "4x9x", "i8")
        + widened("z", "4x9x")
        + "  %d = stablehlo.subtract %aw, %zw : tensor<4x9xi32>\n"
        + PLAIN
        + PRODUCT.format("%d", "%bw"),
        a="4x9xi8",
        z="4x9xui8",
        b="9x5xui8",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_integers_are_refused(name: str) -> None:
    with pytest.raises(ConversionError, match=r"TOSA multiplies integers of 8 bits, found tensor<4x9xi32> that is not"):
        emit(parse_module(REFUSED[name]), TosaOptions())


def test_constants_of_more_bits_are_refused() -> None:
    text = program(
        widened("a", "4x9x") + "  %c = stablehlo.constant dense<300> : tensor<9x5xi32>\n" + PRODUCT.format("%aw", "%c"),
        a="4x9xui8",
    )
    with pytest.raises(ConversionError, match="TOSA multiplies integers of 8 bits, found constants from 0 to 300"):
        emit(parse_module(text), TosaOptions())
