"""Open dimensions (``tensor<?x4xf32>``): their sizes from the caller or from arrays, and all sizes that follow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from qconvert import Format, convert, load, run
from qconvert.engines import stablehlo
from qconvert.engines.base import EngineName
from qconvert.frontends.mlir import sections
from qconvert.passes.dynamism.refinement import has_unknown_sizes
from qconvert.support.errors import ConversionError
from tests.support.commands import qconvert, refused

PROGRAMS = {
    section.strip().splitlines()[0].removeprefix("// "): section
    for section in sections((Path(__file__).parent / "open_sizes.mlir").read_text())
}
X = np.random.default_rng(3).permutation(np.arange(-10, 10)).reshape(5, 4).astype(np.float32)


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.row("D23")
def test_all_sizes_follow_from_the_given_one(text: str, batch: int) -> None:
    model = load(text.encode(), dims={"arg0.0": batch})
    assert not has_unknown_sizes(model.module)
    assert model.assumed_dims == ()
    assert model.open_dims == {"arg0.0": [("arg0", 0)]}
    names = {op.name for op in model.module.walk()}
    assert not any(name.startswith(("stablehlo.dynamic_", "stablehlo.real_", "stablehlo.get_dim")) for name in names)
    assert "stablehlo.custom_call" not in names
    results = run(model, {"arg0": X[:batch]})
    assert all(batch in value.shape or value.size in (1, 4 * batch, 8 * batch) for value in results.values())


@pytest.mark.stablehlo
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.row("D23")
def test_jaxlib_refines_to_the_same_numbers(text: str) -> None:
    """Its passes give @main the argument's type, and its own interpreter evaluates the result."""
    passes = "stablehlo-refine-arguments{types=tensor<5x4xf32>},stablehlo-refine-shapes"
    (refined,) = stablehlo.rewrite_many([text], f"builtin.module({passes},func.func(stablehlo-canonicalize-dynamism))")
    assert isinstance(refined, str), refined
    assert "?" not in refined
    plain = "\n".join(line for line in refined.splitlines() if "@shape_assertion" not in line)
    (theirs,) = stablehlo.run_samples(plain, [[X]])
    ours = run(load(text.encode(), dims={"arg0.0": 5}), {"arg0": X})
    for value, expected in zip(ours.values(), theirs, strict=True):
        np.testing.assert_array_equal(value, expected)
    asked = run(load(text.encode(), dims={"arg0.0": 5}), {"arg0": X}, engine=EngineName.STABLEHLO)
    for value, expected in zip(ours.values(), asked.values(), strict=True):
        np.testing.assert_array_equal(value, expected)


def test_sizes_from_arrays() -> None:
    text = PROGRAMS["a called function, arithmetic on sizes and an assertion about them"]
    model = load(text.encode(), arguments={"arg0": (3, 4)})
    np.testing.assert_array_equal(run(model, {"arg0": X[:3]})["result0"], X[:3].ravel() + 1)


def test_a_function_is_called_with_several_sizes() -> None:
    text = b"""func.func @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = call @twice(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = call @twice(%1) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %2 : tensor<?xf32>, tensor<?xf32>
}"""
    x = np.array([1, 2, 3], np.float32)
    found = run(load(text, dims={"arg0.0": 3}), {"arg0": x})
    np.testing.assert_array_equal(found["result0"], 2 * x)
    np.testing.assert_array_equal(found["result1"], 4 * np.tile(x, 2))


def test_a_batch_without_a_size_is_1() -> None:
    model = load(next(iter(PROGRAMS.values())).encode())
    assert model.assumed_dims == ("arg0.0",)
    assert "?" not in model.text


def function(types: str, body: str, result: str) -> bytes:
    return f"func.func @main({types}) -> {result} {{\n  {body}\n  return %0 : {result}\n}}".encode()


REFUSED = {
    "no size": (
        function("%x: tensor<2x?xf32>", "%0 = stablehlo.abs %x : tensor<2x?xf32>", "tensor<2x?xf32>"),
        {},
        r"dimension 1 is 'arg0\.1'\. Give it a size: --dim arg0\.1=SIZE",
    ),
    "no such dimension": (
        function("%x: tensor<?xf32>", "%0 = stablehlo.abs %x : tensor<?xf32>", "tensor<?xf32>"),
        {"N": 3},
        r"no input has a dimension 'N'\. The model has arg0\.0",
    ),
    "no open dimension": (
        function("%x: tensor<2xf32>", "%0 = stablehlo.abs %x : tensor<2xf32>", "tensor<2xf32>"),
        {"N": 3},
        "no input has a dimension 'N'. The inputs' shapes are fixed: leave --dim N out",
    ),
    "a size from data": (
        function(
            "%x: tensor<?xf32>, %n: tensor<1xi32>",
            "%0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>",
            "tensor<?xf32>",
        ),
        {"arg0.0": 3},
        r"stablehlo\.dynamic_iota: the size of its result follows from data",
    ),
    "sizes that do not go together": (
        function(
            "%x: tensor<?xf32>, %y: tensor<4xf32>",
            "%0 = stablehlo.add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>",
            "tensor<?xf32>",
        ),
        {"arg0.0": 3},
        r"operands of an elementwise op must have one shape, found 3, 4",
    ),
    "a size that the type excludes": (
        function(
            "%x: tensor<?x2xf32>",
            "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x2xf32>) -> tensor<?x7xf32>",
            "tensor<?x7xf32>",
        ),
        {"arg0.0": 3},
        r"its result has type tensor<\?x7xf32>, but the inputs' sizes give it \[2, 3\]",
    ),
    "an assertion": (
        function(
            "%x: tensor<?xf32>",
            """%n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %c = stablehlo.constant dense<2> : tensor<i32>
  %p = stablehlo.compare GE, %n, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%p, %n) {error_message = "b >= 2"} : (tensor<i1>, tensor<i32>) -> ()
  %0 = stablehlo.abs %x : tensor<?xf32>""",
            "tensor<?xf32>",
        ),
        {},
        "a condition on sizes does not hold: b >= 2. Give other sizes with --dim",
    ),
    "a reshape to an unknown size": (
        function(
            "%x: tensor<?xf32>", "%0 = stablehlo.reshape %x : (tensor<?xf32>) -> tensor<?x1xf32>", "tensor<?x1xf32>"
        ),
        {"arg0.0": 3},
        r"stablehlo\.reshape: cannot reshape \(3,\) to \(\?, 1\)",
    ),
    "a constant": (
        function("%x: tensor<?xf32>", "%0 = stablehlo.constant dense<0.0> : tensor<?xf32>", "tensor<?xf32>"),
        {},
        "a constant must have known sizes",
    ),
    "too large": (
        function("%x: tensor<?x4xf32>", "%0 = stablehlo.abs %x : tensor<?x4xf32>", "tensor<?x4xf32>"),
        {"arg0.0": 2**40},
        "more than 2,147,483,648 elements",
    ),
    "a call that only its target knows": (
        function(
            "%x: tensor<?xf32>",
            "%0 = stablehlo.custom_call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>",
            "tensor<?xf32>",
        ),
        {"arg0.0": 3},
        r"stablehlo\.custom_call: the size of its result of type tensor<\?xf32> does not follow from the operands",
    ),
    "another function": (
        b"func.func @f(%x: tensor<?xf32>) { return }\nfunc.func @main() { return }",
        {},
        "an argument of @f has an unknown size. Only the arguments of @main are given sizes",
    ),
}


@pytest.mark.parametrize(("text", "dims", "message"), REFUSED.values(), ids=REFUSED)
def test_a_size_that_does_not_fit(text: bytes, dims: Mapping[str, int], message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        load(text, dims=dims)


def onnx_model() -> bytes:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", "S"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", "S"])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    return onnx.ModelProto.SerializeToString(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]))


def test_arrays_give_symbolic_dimensions_their_sizes() -> None:
    with pytest.raises(ConversionError, match=r"dimension 1 is 'S'\. Give it a size: --dim S=SIZE"):
        load(onnx_model())
    model = load(onnx_model(), arguments={"x": X.shape})
    np.testing.assert_array_equal(run(model, {"x": X})["y"], np.maximum(X, 0))


def test_the_command_takes_sizes_from_the_inputs(tmp_path: Path) -> None:
    (tmp_path / "model.mlir").write_text(next(iter(PROGRAMS.values())))
    (tmp_path / "model.onnx").write_bytes(onnx_model())
    np.savez(tmp_path / "in.npz", arg0=X, x=X)
    for name, output in (("model.mlir", "result0"), ("model.onnx", "y")):
        out = tmp_path / f"{name}.npz"
        qconvert("run", tmp_path / name, "--inputs", tmp_path / "in.npz", "-o", out)
        assert np.load(out)[output].size == X.size
    assert "--dim S=SIZE" in refused("convert", tmp_path / "model.onnx", "-o", tmp_path / "x.mlir")


def test_a_static_module_with_sizes_as_values_converts() -> None:
    text = """func.func @main(%x: tensor<3x4xf32>) -> tensor<12xf32> {
  %c = stablehlo.constant dense<12> : tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %x, %c : (tensor<3x4xf32>, tensor<1xi32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}"""
    assert "tosa.reshape" in convert(load(text.encode()), Format.TOSA).text


def test_the_size_of_a_solved_system_is_that_of_its_right_hand_side() -> None:
    text = """func.func @main(%a: tensor<?x4x4xf32>, %b: tensor<?x4x2xf32>) -> tensor<?x4x2xf32> {
      %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a =
        #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}>
        : (tensor<?x4x4xf32>, tensor<?x4x2xf32>) -> tensor<?x4x2xf32>
      return %0 : tensor<?x4x2xf32>
    }"""
    model = load(text.encode(), dims={"arg0.0": 3, "arg1.0": 3})
    assert not has_unknown_sizes(model.module)
