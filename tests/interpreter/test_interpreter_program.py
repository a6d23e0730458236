"""Programs: what is prepared gives the same integers, is prepared once, and goes with the model."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert import Model, load, run
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import Program, program
from qconvert.interpreter.core import main_function
from qconvert.interpreter.plan import Plan
from qconvert.interpreter.threads import one_thread
from qconvert.support.errors import ConversionError
from tests.support.paths import MLP

Array = npt.NDArray[Any]

INPUTS = {
    "i8": "!quant.uniform<i8:f32, 0.5:-3>",
    "u8": "!quant.uniform<u8:f32, 0.25:7>",
    "i16": "!quant.uniform<i16:f32, 0.125>",
}
RESULTS = ("!quant.uniform<i8:f32, 7.3:5>", "!quant.uniform<u8:f32, 3.1>", "!quant.uniform<i16:f32, 0.9>")
ORDERS = ("", " {qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, SINGLE_ROUND, 64, 0>}")


def unprepared(module: ModuleOp, inputs: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate op by op."""
    with one_thread():
        return Plan(main_function(module).body.block).run(inputs)


def agree(text: str, *inputs: Array) -> Program:
    """Check that a program gives the same results as its ops, twice; return it."""
    module = parse_module(text)
    expected, prepared = unprepared(module, inputs), Program(module)
    for _ in range(2):
        for ours, theirs in zip(prepared.run(inputs), expected, strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)
    return prepared


def storage(name: str, shape: Sequence[int], random: np.random.Generator) -> Array:
    dtype = np.dtype({"i8": np.int8, "u8": np.uint8, "i16": np.int16}[name])
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def convolution(
    source: str, result: str, order: str, random: np.random.Generator, window: str, groups: int, features: int
) -> str:
    """Return a convolution of 11 x 9 images with 6 features, its bias and its requantization."""
    scales = random.uniform(0.001, 0.1, features)
    own = float(INPUTS[source].split(",")[1].split(":")[0].rstrip(">"))
    out = "x".join(map(str, (2, *SHAPES[window], features)))
    image, kernel = f"tensor<2x6x11x9x{INPUTS[source]}>", f"3x3x{6 // groups}x{features}x"
    sums = f"!quant.uniform<i32:f32:AXIS, {listed(own * scales)}>"
    types = {
        "kernel": f"tensor<{kernel}!quant.uniform<i8:f32:3, {listed(scales)}>>",
        "bias": f"tensor<{features}x{sums.replace('AXIS', '0')}>",
        "sums": f"tensor<{out}x{sums.replace('AXIS', '3')}>",
        "result": f"tensor<{out}x{result}>",
    }
    weights = f"dense<{random.integers(-127, 128, (3, 3, 6 // groups, features)).tolist()}> : tensor<{kernel}i8>"
    bias = f"dense<{random.integers(-3000, 3000, features).tolist()}> : tensor<{features}xi32>"
    return f"""func.func @main(%x: {image}) -> {types["result"]} {{
      %w = stablehlo.constant() <{{value = {weights}}}> : () -> {types["kernel"]}
      %c = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {{{window}}}
        {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}}
        : ({image}, {types["kernel"]}) -> {types["sums"]}
      %b = stablehlo.constant() <{{value = {bias}}}> : () -> {types["bias"]}
      %d = stablehlo.broadcast_in_dim %b, dims = [3] : ({types["bias"]}) -> {types["sums"]}
      %s = stablehlo.add %c, %d : {types["sums"]}
      %q = stablehlo.uniform_quantize %s{order} : ({types["sums"]}) -> {types["result"]}
      return %q : {types["result"]}
    }}"""


def listed(scales: Array) -> str:
    """Return the scales of a type, each with zero point 0."""
    return "{" + ", ".join(str(float(scale)) for scale in scales) + "}"


SHAPES = {
    "": (9, 7),
    "pad = [[1, 1], [1, 1]]": (11, 9),
    "stride = [2, 3], pad = [[0, 2], [1, 0]]": (6, 3),
    "pad = [[2, 3], [4, 4]], rhs_dilate = [2, 3]": (12, 11),
    "stride = [2, 1], lhs_dilate = [2, 1]": (10, 7),
    "pad = [[-1, 0], [0, -2]]": (8, 5),
}


@pytest.mark.quick(8)
@pytest.mark.parametrize(("groups", "features"), [(1, 8), (2, 4), (6, 6), (6, 12)])
@pytest.mark.parametrize("window", SHAPES)
@pytest.mark.parametrize("source", INPUTS)
def test_convolutions_are_the_same_prepared(
    source: str, window: str, groups: int, features: int, random: np.random.Generator
) -> None:
    for result, order in zip(RESULTS, (*ORDERS, ORDERS[1]), strict=True):
        text = convolution(source, result, order, random, window, groups, features)
        agree(text, storage(source, (2, 6, 11, 9), random))


PRODUCT = """func.func @main(%x: tensor<3x2x40x!quant.uniform<u8:f32, 0.5:9>>) -> RESULT {
  %w = stablehlo.constant() <{value = dense<WEIGHTS> : tensor<5x40xi8>}>
    : () -> tensor<5x40x!quant.uniform<i8:f32, 0.25:3>>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1]
    : (tensor<3x2x40x!quant.uniform<u8:f32, 0.5:9>>, tensor<5x40x!quant.uniform<i8:f32, 0.25:3>>) -> RESULT
  return %y : RESULT
}"""


@pytest.mark.parametrize("element", ["!quant.uniform<i32:f32, 0.125>", "!quant.uniform<i8:f32, 31.0:-5>"])
def test_products_of_matrices_are_the_same_prepared(element: str, random: np.random.Generator) -> None:
    weights = str(random.integers(-127, 128, (5, 40)).tolist())
    text = PRODUCT.replace("WEIGHTS", weights).replace("RESULT", f"tensor<3x2x5x{element}>")
    agree(text, storage("u8", (3, 2, 40), random))


def test_sums_that_are_used_elsewhere_are_kept(random: np.random.Generator) -> None:
    text = convolution("i8", RESULTS[0], "", random, "", 1, 2)
    result, sums = (text.split(before)[1].split("\n")[0] for before in ("return %q : ", "stablehlo.add %c, %d : "))
    both = text.replace(f"return %q : {result}", f"return %q, %s, %c : {result}, {sums}, {sums}")
    both = both.replace(f"-> {result} {{", f"-> ({result}, {sums}, {sums}) {{", 1)
    agree(both, storage("i8", (2, 6, 11, 9), random))


TABLES = ("i8:f32, 0.5:-3", "u8:f32, 0.75:9", "i32:f32, 0.5", "i16:f32, 0.1:7", "i4:f32, 8.0:-1")


@pytest.mark.parametrize("result", TABLES)
@pytest.mark.parametrize("order", ORDERS)
def test_tables_have_the_results_of_the_op(result: str, order: str, random: np.random.Generator) -> None:
    source, turned, found = (
        f"tensor<{sizes}x!quant.uniform<{element}>>"
        for sizes, element in (("40x30", "i8:f32, 0.5:-3"), ("30x40", "i8:f32, 0.5:-3"), ("30x40", result))
    )
    text = f"""func.func @main(%x: {source}) -> ({found}, tensor<40x30xf32>) {{
      %t = stablehlo.transpose %x, dims = [1, 0] : ({source}) -> {turned}
      %q = stablehlo.uniform_quantize %t{order} : ({turned}) -> {found}
      %f = stablehlo.uniform_dequantize %x : ({source}) -> tensor<40x30xf32>
      return %q, %f : {found}, tensor<40x30xf32>
    }}"""
    agree(text, storage("i8", (40, 30), random))


def image(model: Model) -> dict[str, Array]:
    return dict.fromkeys(model.input_names, np.linspace(0, 1, 64, dtype=np.float32).reshape(1, 1, 8, 8))


def test_a_second_run_prepares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(MLP)
    first = run(model, image(model))

    def refuse(*_: object) -> None:
        raise AssertionError("prepared again")

    for name in ("_parts", "_constants"):
        monkeypatch.setattr(f"qconvert.interpreter.plan.{name}", refuse)
    monkeypatch.setattr("qconvert.api.running.convert", refuse)
    for name, array in run(model, image(model)).items():
        np.testing.assert_array_equal(array, first[name])


def test_what_is_prepared_goes_with_the_model() -> None:
    model = load(MLP)
    run(model, image(model))
    [kept] = [weakref.ref(each) for each in model.programs.values()]
    assert kept() is not None
    del model
    gc.collect()
    assert kept() is None


@pytest.mark.slow
def test_several_threads_may_run_one_model() -> None:
    model = load(MLP)
    images = np.random.default_rng(5).uniform(0, 1, (24, 1, 1, 8, 8)).astype(np.float32)
    [name] = model.input_names
    expected = [[*run(load(MLP), {name: each}).values()] for each in images]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda each: [*run(model, {name: each}).values()], images))
    np.testing.assert_array_equal(np.stack(found), np.stack(expected))


def test_preparations_have_a_largest_size(monkeypatch: pytest.MonkeyPatch, random: np.random.Generator) -> None:
    text, inputs = convolution("i8", RESULTS[0], "", random, "", 1, 8), storage("i8", (2, 6, 11, 9), random)
    assert agree(text, inputs).prepared_bytes > 0
    monkeypatch.setattr(program, "_PREPARED_BYTES", 100)
    assert agree(text, inputs).prepared_bytes == 0


def test_errors_name_the_op_of_a_plan() -> None:
    text = """func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
      %0 = stablehlo.add %x, %x : tensor<2xi32>
      %1 = stablehlo.custom_call @nobody(%0) : (tensor<2xi32>) -> tensor<2xi32>
      return %1 : tensor<2xi32>
    }"""
    with pytest.raises(ConversionError, match=r"stablehlo\.custom_call: the target @nobody"):
        Program(parse_module(text)).run([np.zeros(2, np.int32)])
