"""The ops that only StableHLO text brings, held against StableHLO's own interpreter, or against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.support.errors import ConversionError, EngineError
from tests.support.on_demand_programs import (
    BYTES,
    CLOSE,
    EVALUATED,
    FEATURES,
    IMAGE,
    OTHERS,
    Program,
    X,
    batch_norm,
    binary,
    compare,
    pad,
    reshape,
    sort,
)

Array = npt.NDArray[Any]
EPSILON = 1e-3


@pytest.fixture(scope="module")
def theirs() -> dict[str, Any]:
    """The results of StableHLO's interpreter, or its error, by name of the program."""
    from qconvert.engines import modules, stablehlo

    given = [modules.Program(program.text, [list(program.inputs)]) for program in EVALUATED.values()]
    return dict(zip(EVALUATED, stablehlo.run_many(given), strict=True))


@pytest.mark.stablehlo
@pytest.mark.parametrize("name", EVALUATED)
def test_results_are_those_of_stablehlos_interpreter(name: str, theirs: dict[str, Any]) -> None:
    assert not isinstance(theirs[name], EngineError), theirs[name]
    for ours, expected in zip(EVALUATED[name].evaluate(), theirs[name][0], strict=True):
        assert ours.dtype == expected.dtype
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.stablehlo
@pytest.mark.row("D24")
def test_functions_of_complex_numbers_are_those_of_stablehlos_interpreter() -> None:
    from qconvert.engines import modules, stablehlo

    given = [modules.Program(program.text, [list(program.inputs)]) for program in CLOSE.values()]
    for (name, program), theirs in zip(CLOSE.items(), stablehlo.run_many(given), strict=True):
        assert not isinstance(theirs, EngineError), theirs
        for ours, expected in zip(program.evaluate(), theirs[0], strict=True):
            np.testing.assert_allclose(ours, expected, rtol=3e-7, atol=3e-7, err_msg=name)


def test_transforms_are_undone_by_their_inverses() -> None:
    text = """func.func @main(%x: tensor<2x3x8xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x8xf32>) {
      %0 = stablehlo.fft %x, type = RFFT, length = [3, 8] : (tensor<2x3x8xf32>) -> tensor<2x3x5xcomplex<f32>>
      %1 = stablehlo.fft %0, type = FFT, length = [5] : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
      %2 = stablehlo.fft %1, type = IFFT, length = [5] : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xcomplex<f32>>
      %3 = stablehlo.real %2 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
      %4 = stablehlo.imag %2 : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x5xf32>
      %5 = stablehlo.fft %2, type = IRFFT, length = [3, 8] : (tensor<2x3x5xcomplex<f32>>) -> tensor<2x3x8xf32>
      return %3, %4, %5 : tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x8xf32>
    }"""
    x = np.random.default_rng(3).standard_normal((2, 3, 8)).astype(np.float32)
    real, imaginary, back = evaluate(parse_module(text), [x])
    expected = np.fft.rfft2(x.astype(np.float64))
    np.testing.assert_allclose(real + 1j * imaginary, expected, atol=1e-5)
    np.testing.assert_allclose(back, x, atol=1e-5)


def test_the_transform_of_nothing_is_nothing() -> None:
    text = """func.func @main(%x: tensor<2x0xf32>) -> tensor<2x0xf32> {
      %0 = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<2x0xf32>) -> tensor<2x0xcomplex<f32>>
      %1 = stablehlo.real %0 : (tensor<2x0xcomplex<f32>>) -> tensor<2x0xf32>
      return %1 : tensor<2x0xf32>
    }"""
    (found,) = evaluate(parse_module(text), [np.zeros((2, 0), np.float32)])
    assert found.shape == (2, 0)


def test_complex_numbers_have_no_remainder() -> None:
    type = "tensor<2xcomplex<f32>>"
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %0 = stablehlo.remainder %x, %x : {type}
      return %0 : {type}
    }}"""
    with pytest.raises(ConversionError, match=r"stablehlo\.remainder: complex numbers have no remainder"):
        evaluate(parse_module(text), [np.ones(2, np.complex64)])


def test_products_of_64_bit_integers_wrap() -> None:
    types = "tensor<2x2xi8>, tensor<2x2xui64>"
    text = f"""func.func @main(%x: tensor<2x2xi8>, %y: tensor<2x2xui64>) -> tensor<2x2xui64> {{
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : ({types}) -> tensor<2x2xui64>
      return %0 : tensor<2x2xui64>
    }}"""
    x, y = np.array([[-1, 2], [3, 4]], np.int8), np.array([[1 << 63, 5], [1 << 62, 6]], np.uint64)
    (found,) = evaluate(parse_module(text), [x, y])
    exact = [[sum(int(x[i, k]) * int(y[k, j]) for k in range(2)) % (1 << 64) for j in range(2)] for i in range(2)]
    assert found.tolist() == exact


def test_a_function_called_in_a_reduction_takes_whole_tensors() -> None:
    text = """
    func.func private @larger(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.constant dense<1.0> : tensor<f32>
      %1 = stablehlo.maximum %a, %b : tensor<f32>
      %2 = stablehlo.multiply %1, %0 : tensor<f32>
      return %2 : tensor<f32>
    }
    func.func @main(%x: tensor<3x4xf32>, %i: tensor<f32>) -> tensor<3xf32> {
      %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = func.call @larger(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    }"""
    (found,) = evaluate(parse_module(text), [X, np.float32(-9)])
    np.testing.assert_array_equal(found, X.max(axis=1))


def test_updates_of_single_elements_have_no_window() -> None:
    text = """func.func @main(%x: tensor<3xi32>, %i: tensor<1xi64>, %u: tensor<i32>) -> tensor<3xi32> {
      %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %1 = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %1 : tensor<i32>
      }) : (tensor<3xi32>, tensor<1xi64>, tensor<i32>) -> tensor<3xi32>
      return %0 : tensor<3xi32>
    }"""
    (found,) = evaluate(parse_module(text), [np.array([1, 2, 3], np.int32), np.array([1]), np.array(10, np.int32)])
    assert found.tolist() == [1, 12, 3]


def result(name: str) -> Array:
    (found,) = OTHERS[name].evaluate()
    return found


def requantized(real: Array, scale: float = 0.5, zero_point: int = 3) -> Array:
    return np.clip(np.rint(real / scale + zero_point), -128, 127).astype(np.int8)


def real(storage: Array) -> Array:
    return (storage.astype(np.float32) - 3) * np.float32(0.5)


def test_a_quantized_slice_is_replaced_in_storage() -> None:
    expected = BYTES.copy()
    expected[:2, 1:3] = BYTES[1:, 1:3]
    np.testing.assert_array_equal(result("quantized update"), expected)


def test_a_quantized_map_computes_in_float() -> None:
    np.testing.assert_array_equal(result("map"), requantized(real(BYTES // 16) ** 2))


def test_every_quantized_element_is_finite() -> None:
    assert result("quantized finite").all()


def test_a_quantized_sort_compares_real_values() -> None:
    np.testing.assert_array_equal(result("quantized sort"), np.sort(BYTES, 1))


def test_a_quantized_scatter_rounds_after_every_update() -> None:
    expected = BYTES.copy()
    for i, places in enumerate([[1, 1], [3, 4], [0, 2]]):
        for j, place in enumerate(places):
            if place < 4:
                expected[i, place] = requantized(real(expected[i, place]) + real(BYTES[i, j]))
    np.testing.assert_array_equal(result("scatter in batches"), expected)


# Batch normalization


def normalized(x: Array, scale: Array, offset: Array, mean: Array, variance: Array) -> Array:
    scale, offset, mean, variance = (v.astype(np.float64)[:, np.newaxis] for v in (scale, offset, mean, variance))
    return np.asarray((x - mean) / np.sqrt(variance + EPSILON) * scale + offset)


def test_batch_normalization_is_its_formula() -> None:
    np.testing.assert_allclose(result("batch norm"), normalized(IMAGE, *FEATURES), rtol=1e-5, atol=1e-6)


def test_training_normalizes_by_its_own_mean_and_variance() -> None:
    output, mean, variance = OTHERS["batch norm training"].evaluate()
    expected = IMAGE.astype(np.float64)
    np.testing.assert_allclose(mean, expected.mean((0, 2)), rtol=1e-5)
    np.testing.assert_allclose(variance, expected.var((0, 2)), rtol=1e-5)
    np.testing.assert_allclose(output, normalized(IMAGE, *FEATURES[:2], mean, variance), rtol=1e-5, atol=1e-6)


def test_gradients_are_those_of_training(random: np.random.Generator) -> None:
    training = batch_norm("training", 3, 3, "f64")
    weights = random.standard_normal(IMAGE.shape)
    operand, scale, offset = (value.astype(np.float64) for value in training.inputs)
    module = parse_module(training.text)

    def loss(*inputs: Array) -> float:
        return float((evaluate(module, inputs)[0] * weights).sum())

    _, mean, variance = evaluate(module, (operand, scale, offset))
    gradients = parse_module(batch_norm("grad", 5, 3, "f64").text)
    found = evaluate(gradients, (operand, scale, mean, variance, weights))
    for i, gradient in enumerate(found):
        inputs = [operand, scale, offset]
        for at in np.ndindex(*inputs[i].shape):
            step = np.zeros(inputs[i].shape)
            step[at] = 1e-5
            moved = [loss(*inputs[:i], inputs[i] + side * step, *inputs[i + 1 :]) for side in (1, -1)]
            np.testing.assert_allclose(gradient[at], (moved[0] - moved[1]) / 2e-5, rtol=1e-4, atol=1e-6)


def test_quantized_batch_normalization_rounds_once() -> None:
    program = OTHERS["quantized batch norm"]
    reals = [value.astype(np.float32) / 8 for value in program.inputs]
    expected = requantized(normalized(reals[0], *reals[1:]), 0.125, 0)
    np.testing.assert_array_equal(result("quantized batch norm"), expected)


# Without a reference of their own


def test_dot_is_a_product_of_matrices() -> None:
    types = ("tensor<3x4xf32>", "tensor<4xf32>")
    body = f"  %r0 = stablehlo.dot %a, %b : ({', '.join(types)}) -> tensor<3xf32>"
    (found,) = Program(body, types, ("tensor<3xf32>",), (X, X[0])).evaluate()
    np.testing.assert_allclose(found, X @ X[0], rtol=1e-6)


def test_total_order_has_a_place_for_every_nan_and_zero(random: np.random.Generator) -> None:
    ordered = np.array([-np.nan, -np.inf, -1, -0.0, 0.0, 1e-40, 2, np.inf, np.nan], np.float32)
    for permutation in (random.permutation(9) for _ in range(5)):
        program = sort(("tensor<9xf32>",), (ordered[permutation],), 0, compare("LT", ("f32",), order=", TOTALORDER"))
        assert program.evaluate()[0].tobytes() == ordered.tobytes()


def test_a_long_sort_is_numpys(random: np.random.Generator) -> None:
    x = random.integers(0, 100, (2, 1000)).astype(np.int32)
    program = sort(("tensor<2x1000xi32>",), (x,), 1, compare("LT", ("i32",)))
    np.testing.assert_array_equal(program.evaluate()[0], np.sort(x, 1))


def test_many_updates_of_one_place_are_all_applied() -> None:
    types = ("tensor<1xi32>", "tensor<500x1xi32>", "tensor<500xi32>")
    numbers = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
    body = (
        f'  %r0 = "stablehlo.scatter"(%a, %b, %c) <{{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>}}> '
        f"{binary('add', 'i32')} : ({', '.join(types)}) -> tensor<1xi32>"
    )
    inputs = (np.zeros(1, np.int32), np.zeros((500, 1), np.int32), np.arange(500, dtype=np.int32))
    assert Program(body, types, types[:1], inputs).evaluate()[0].tolist() == [124750]


REFUSED = {
    "the shape operand is [3, 4], the result's shape is [2, 6]": reshape([3, 4]),
    "the shape operand is [5, 4], the result's shape is [4, 9]": pad((1, 0), (1, 0), (0, 0), "tensor<4x9xf32>"),
    "interior padding must not be negative, found [0, -1]": pad((1, 0), (0, 2), (0, -1), "tensor<4x9xf32>"),
    "the comparator does not define an order": sort(
        ("tensor<4xf32>",), (np.array([1, np.nan, 0, 2], np.float32),), 0, compare("LT", ("f32",), order=", FLOAT")
    ),
    "this op needs several devices": Program("  %r0 = stablehlo.replica_id : tensor<ui32>", (), ("tensor<ui32>",), ()),
    "this op exchanges values with the host": Program(
        "  %t = stablehlo.create_token : !stablehlo.token\n"
        '  %r0, %u = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)',
        (),
        ("tensor<f32>",),
        (),
    ),
    "a tensor is needed here, found tuple<tensor<f32>>": Program(
        "  %r0 = stablehlo.tuple %a : tuple<tensor<f32>>", ("tensor<f32>",), ("tuple<tensor<f32>>",), (np.float32(1),)
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_has_no_value_is_refused(message: str) -> None:
    with pytest.raises(ConversionError) as caught:
        REFUSED[message].evaluate()
    assert message in str(caught.value)


def test_a_region_sees_the_values_around_it() -> None:
    computation = binary("multiply", "f32").replace("%x, %y :", "%x, %b :")
    types = ("tensor<3x4xf32>", "tensor<f32>")
    body = (
        f'  %r0 = "stablehlo.map"(%a, %a) <{{dimensions = array<i64: 0, 1>}}> {computation} '
        f": ({types[0]}, {types[0]}) -> {types[0]}"
    )
    [found] = Program(body, types, types[:1], (X, np.float32(2))).evaluate()
    np.testing.assert_array_equal(found, 2 * X)


def test_a_slice_cannot_start_elsewhere_for_every_element_of_a_map() -> None:
    body = """  %r0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<i32>):
    %c = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %y = stablehlo.dynamic_slice %c, %x, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
    %z = stablehlo.reshape %y : (tensor<1xf32>) -> tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<2xi32>) -> tensor<2xf32>"""
    program = Program(body, ("tensor<2xi32>",), ("tensor<2xf32>",), (np.arange(2, dtype=np.int32),))
    with pytest.raises(ConversionError, match="starts at a different index for each element"):
        program.evaluate()
