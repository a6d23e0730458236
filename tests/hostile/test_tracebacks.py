"""Small models that once ended in a traceback, in an assertion, or in a file that qconvert refused to read again.

Each is converted in every way and goes through every pass alone. It works, or ends in an error of one line.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from qconvert import Format, api
from qconvert.api.running import run
from qconvert.api.verification import verify
from qconvert.support.errors import ConversionError
from tests.support.commands import qconvert
from tests.support.read_back import every_way, read_back
from tests.support.tflite_cases import Graph, Node, Tensor, constant, write

Q4 = "tensor<4x!quant.uniform<i4:f32, {}>>"
PER_AXIS = "tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>"
IDENTITY = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {}{{ return %a : tensor<2xf32> }}"

MASKED = f"""func.func @main(%a: {PER_AXIS}) -> {PER_AXIS} {{
  %0 = stablehlo.or %a, %a : ({PER_AXIS}, {PER_AXIS}) -> {PER_AXIS}
  return %0 : {PER_AXIS}
}}"""

ADDED = f"""func.func @main(%0: {Q4.format("0.5:3")}, %1: {Q4.format("0.25:-7")}) -> {Q4.format("0.25:-7")} {{
  %2 = stablehlo.uniform_dequantize %0 : ({Q4.format("0.5:3")}) -> tensor<4xf32>
  %3 = stablehlo.uniform_dequantize %1 : ({Q4.format("0.25:-7")}) -> tensor<4xf32>
  %4 = stablehlo.add %2, %3 : tensor<4xf32>
  %5 = stablehlo.uniform_quantize %4 : (tensor<4xf32>) -> {Q4.format("0.25:-7")}
  return %5 : {Q4.format("0.25:-7")}
}}"""

EMPTY = """func.func @main(%0: tensor<0xf32>) -> tensor<0xf32> {
  %1 = stablehlo.constant dense<0.3> : tensor<0xf32>
  %2 = stablehlo.divide %0, %1 : tensor<0xf32>
  %3 = stablehlo.round_nearest_even %2 : tensor<0xf32>
  %4 = stablehlo.constant dense<-128.0> : tensor<f32>
  %5 = stablehlo.constant dense<127.0> : tensor<f32>
  %6 = stablehlo.clamp %4, %3, %5 : (tensor<f32>, tensor<0xf32>, tensor<f32>) -> tensor<0xf32>
  %7 = stablehlo.multiply %6, %1 : tensor<0xf32>
  return %7 : tensor<0xf32>
}"""

WIDE, NARROW = "tensor<2x!quant.uniform<i32:f32, 3.0:5>>", "tensor<2x!quant.uniform<i8:f32, 3.0>>"
WIDE_ZERO_POINT = f"""func.func @main(%a: {WIDE}) -> {NARROW} {{
  %0 = stablehlo.uniform_quantize %a : ({WIDE}) -> {NARROW}
  return %0 : {NARROW}
}}"""

X, W = "tensor<2x4x!quant.uniform<ui8:f32, 2147483648:131>>", "tensor<4x3x!quant.uniform<i8:f32:1, {0.125, 0.25, 0.5}>>"
SUM, Y = "tensor<2x3x!quant.uniform<i32:f32:1, {0.0625, 0.125, 0.25}>>", "tensor<2x3x!quant.uniform<ui8:f32, 0.75:7>>"
MIXED_SIGNS = f"""func.func @main(%x: {X}) -> {Y} {{
  %w = stablehlo.constant() <{{value = dense<3> : tensor<4x3xi8>}}> : () -> {W}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({X}, {W}) -> {SUM}
  %1 = stablehlo.uniform_quantize %0 {{qconvert.tensor = "y"}} : ({SUM}) -> {Y}
  return %1 : {Y}
}}"""

ELEMENTS, ACCUMULATED = "tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>", "tensor<!quant.uniform<i32:f32, 0.5>>"
ELEMENT, REDUCED = "tensor<!quant.uniform<i8:f32, 0.5:3>>", "tensor<2x!quant.uniform<i8:f32, 0.125:-7>>"
COUNTED = f"""func.func @main(%x: {ELEMENTS}) -> {REDUCED} {{
  %c = stablehlo.constant() <{{value = dense<3> : tensor<i8>}}> : () -> {ELEMENT}
  %0 = "stablehlo.reduce"(%x, %c) <{{dimensions = array<i64: 1>}}> ({{
  ^bb0(%a: {ELEMENT}):
    %1 = stablehlo.count_leading_zeros %a : ({ELEMENT}) -> {ACCUMULATED}
    stablehlo.return %1 : {ACCUMULATED}
  }}, {{
  ^bb0(%a: {ACCUMULATED}, %b: {ACCUMULATED}):
    %1 = stablehlo.add %a, %b : {ACCUMULATED}
    stablehlo.return %1 : {ACCUMULATED}
  }}, {{
  ^bb0(%a: {ACCUMULATED}):
    %1 = stablehlo.uniform_quantize %a : ({ACCUMULATED}) -> tensor<!quant.uniform<i8:f32, 0.125:-7>>
    stablehlo.return %1 : tensor<!quant.uniform<i8:f32, 0.125:-7>>
  }}) : ({ELEMENTS}, {ELEMENT}) -> {REDUCED}
  return %0 : {REDUCED}
}}"""

LAST = "tensor<2x!quant.uniform<i32:f32, 0.5>>"
RETURNS_ITS_ARGUMENT = f"""func.func @main(%x: {ELEMENTS}, %i: {ACCUMULATED}) -> {LAST} {{
  %0 = "stablehlo.reduce"(%x, %i) <{{dimensions = array<i64: 1>}}> ({{
  ^bb0(%a: {ELEMENT}, %b: {ACCUMULATED}):
    stablehlo.return %b : {ACCUMULATED}
  }}) : ({ELEMENTS}, {ACCUMULATED}) -> {LAST}
  return %0 : {LAST}
}}"""

WORKING = {
    "four bits added": ADDED,
    "fake quantization of nothing": EMPTY,
    "a wide zero point": WIDE_ZERO_POINT,
    "weights of another sign": MIXED_SIGNS,
    "a body that returns its argument": RETURNS_ITS_ARGUMENT,
    "a declaration": "func.func private @main(%x: tensor<4xf32>)",
    "a long header": "// licence\n" * 500 + "module { " + IDENTITY.format("") + " }",
    "aliases first": "".join(f'#loc{i} = loc("a long name")\n' for i in range(300))
    + "module { "
    + IDENTITY.format("")
    + " }",
}

REFUSED = {
    'attributes {input_names = ["a", "b"]} ': "the attribute input_names of @main must hold 1 strings",
    "attributes {input_names = [1 : i32]} ": "the attribute input_names of @main must hold 1 strings",
    'attributes {output_names = ["\\FF"]} ': "the attribute output_names of @main must hold 1 strings",
    "attributes {output_names = 3 : i32} ": "the attribute output_names of @main must hold 1 strings",
    "attributes {x = 1.0 : f128} ": "f128 is not supported: floats have at most 64 bits",
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("text", WORKING.values(), ids=WORKING)
@pytest.mark.slow
def test_a_text_works_or_is_refused(text: str) -> None:
    every_way(text.encode())
    verify(text.encode())


@pytest.mark.parametrize(("attributes", "found"), REFUSED.items())
def test_a_text_is_refused_where_it_is_read(attributes: str, found: str) -> None:
    with pytest.raises(ConversionError, match=f"<bytes>:1:.*{found}"):
        api.load(IDENTITY.format(attributes).encode())


def test_a_float_of_128_bits_in_a_property_is_refused() -> None:
    op = '%0 = "qconvert.softmax"(%a) <{axis = 1 : f128}> : (tensor<2xf32>) -> ()'
    text = f"func.func @main(%a: tensor<2xf32>) {{\n  {op}\n}}"
    with pytest.raises(ConversionError, match=r"<bytes>:2:.*f128 is not supported"):
        api.load(text.encode())


@pytest.mark.parametrize(("text", "op"), [(COUNTED, "count_leading_zeros"), (MASKED, "or")])
def test_bits_of_quantized_values_are_refused_where_they_are_read(text: str, op: str) -> None:
    with pytest.raises(ConversionError, match=rf"{op} \(I1\): signed integer or unsigned integer.* is needed"):
        api.load(text.encode())


def test_empty_tensors_are_computed() -> None:
    for to in (Format.STABLEHLO_INT, Format.ONNX):
        back = read_back(api.convert(api.load(EMPTY.encode()), to), api.load(EMPTY.encode()))
        [found] = run(back, {"arg0": np.zeros(0, np.float32)}).values()
        assert found.shape == (0,)


def tiled(rows: int) -> ModelProto:
    """An Add of an input and a constant that Tile repeats."""
    port = helper.make_tensor_value_info
    constants = [
        numpy_helper.from_array(np.arange(8, dtype=np.float32).reshape(2, 4), "w"),
        numpy_helper.from_array(np.array([rows, 1]), "repeats"),
    ]
    nodes = [helper.make_node("Tile", ["w", "repeats"], ["v"]), helper.make_node("Add", ["x", "v"], ["y"])]
    ports = [port("x", TensorProto.FLOAT, [1, 4])], [port("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "tiled", *ports, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def test_a_repeated_constant_is_written_whole() -> None:
    model = api.load(tiled(3))
    for to in (Format.TOSA, Format.ONNX, Format.STABLEHLO):
        back = read_back(api.convert(model, to), model)
        [found] = run(back, {"x": np.ones((1, 4), np.float32)}).values()
        np.testing.assert_array_equal(found, np.tile(np.arange(8).reshape(2, 4) + 1, (3, 1)))


def test_a_huge_repeated_constant_is_refused() -> None:
    model = api.load(tiled(250_000_000))
    for to in (Format.TOSA, Format.ONNX):
        with pytest.raises(
            ConversionError, match=r"node '.*broadcast constants take 8,000,000,000 bytes written out, the limit is"
        ):
            api.convert(model, to)


@pytest.mark.filterwarnings("error")
def test_the_smallest_scale_has_an_inverse_in_tosa() -> None:
    """Zero must stay zero, which an infinite inverse would make no number."""
    q = "tensor<4x!quant.uniform<i8:f32, 1.401298464324817e-45:3>>"
    body = f"%1 = stablehlo.uniform_quantize %0 : (tensor<4xf32>) -> {q} return %1 : {q}"
    text = f"func.func @main(%0: tensor<4xf32>) -> {q} {{ {body} }}"
    model = api.load(text.encode())
    back = read_back(api.convert(model, Format.TOSA), model)
    [found] = run(back, {"arg0": np.array([0, 1e-45, -3e-45, 7], np.float32)}).values()
    assert found.tolist() == [3, 4, 1, 127]


def graph(outputs: tuple[str, ...], x: tuple[int, ...] = (2, 3)) -> bytes:
    """A float network of one NEG with a pass-through input, as .tflite."""
    tensors = {name: Tensor(x, kind="FLOAT32") for name in ("x", "y")}
    return write(Graph(tensors, [Node("NEG", ["x"], ["y"], "NegOptions")], ("x",), outputs))


@pytest.mark.quick(1)
@pytest.mark.parametrize("outputs", [("y", "x"), ("x",), ("y", "y"), ()])
@pytest.mark.slow
def test_outputs_that_are_inputs_or_repeated(outputs: tuple[str, ...]) -> None:
    content = graph(outputs)
    every_way(content)
    model = api.load(content)
    if outputs:
        assert read_back(api.convert(model, Format.ONNX), model).output_names == outputs
    else:
        with pytest.raises(ConversionError, match="the model has no outputs"):
            api.convert(model, Format.ONNX)


def test_a_size_of_zero_is_no_open_dimension() -> None:
    model = api.load(graph(("y",), (2, 0)))
    back = read_back(api.convert(model, Format.ONNX), model)
    [found] = run(back, {"x": np.zeros((2, 0), np.float32)}).values()
    assert found.shape == (2, 0)


def test_ports_with_one_name_are_refused_for_onnx() -> None:
    names = 'attributes {input_names = ["x"], output_names = ["x"]} '
    body = "%0 = stablehlo.negate %a : tensor<2xf32> return %0 : tensor<2xf32>"
    text = f"func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {names}{{ {body} }}"
    with pytest.raises(ConversionError, match="two inputs or outputs have the name 'x'"):
        api.convert(api.load(text.encode()), Format.ONNX)


def test_a_bias_of_another_length_is_refused() -> None:
    tensors = {
        "x": Tensor((1, 4), 0.5),
        "w": constant(np.ones((3, 4)), "INT8", 0.25),
        "b": constant(np.ones(64), "INT32", 0.125),
        "y": Tensor((1, 3), 0.5),
    }
    node = Node("FULLY_CONNECTED", ["x", "w", "b"], ["y"], "FullyConnectedOptions")
    content = write(Graph(tensors, [node], ("x",), ("y",)))
    with pytest.raises(ConversionError, match="a bias of 64 numbers for 3 outputs"):
        api.load(content)


def test_a_long_header_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "header.mlir"
    path.write_text(WORKING["a long header"])
    assert "tensor<2xf32>" in qconvert("inspect", path).stdout
    assert "valid StableHLO" in qconvert("verify", path).stdout


def test_no_memory_is_an_error_that_names_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 32.0 TiB")

    model = api.load(IDENTITY.format("").encode())
    monkeypatch.setattr(api.fusing, "run_passes", fails)
    with pytest.raises(ConversionError, match=r"<bytes>: there is not enough memory: Unable to allocate 32\.0 TiB"):
        api.convert(model)


def test_a_bias_beyond_48_bits_is_refused_in_tosa() -> None:
    tensors = {
        "x": Tensor((1, 4), 0.5, kind="INT16"),
        "w": constant(np.ones((3, 4)), "INT8", 0.25),
        "b": constant([1, 2, 1 << 60], "INT64", 0.125),
        "y": Tensor((1, 3), 0.5, kind="INT16"),
    }
    node = Node("FULLY_CONNECTED", ["x", "w", "b"], ["y"], "FullyConnectedOptions")
    model = api.load(write(Graph(tensors, [node], ("x",), ("y",))))
    with pytest.raises(ConversionError, match=f"the integer {1 << 60} does not fit in 48 bits"):
        api.convert(model, Format.TOSA)


DYNAMIC = """func.func @main(%a: tensor<?x4xf32>) -> tensor<4xf32> {{
  %n = "stablehlo.get_dimension_size"(%a) <{{dimension = 0 : i64}}> : (tensor<?x4xf32>) -> tensor<i32>
  %c = stablehlo.constant dense<4> : tensor<i32>
  {}
  %y = stablehlo.dynamic_reshape %a, %s : (tensor<?x4xf32>, {}) -> tensor<4xf32>
  return %y : tensor<4xf32>
}}"""


JOINED = '"stablehlo.concatenate"(%n, %c){} : (tensor<i32>, tensor<i32>) -> tensor<2xi32>'


@pytest.mark.parametrize(
    ("line", "type", "found"),
    [
        (
            "%s = stablehlo.reshape %c : (tensor<i32>) -> tensor<5xi32>",
            "tensor<5xi32>",
            "the counts of elements differ",
        ),
        ("%s = stablehlo.add %c, %c : tensor<i32>", "tensor<i32>", "a list of sizes must have rank 1"),
        (f"%s = {JOINED.format(' <{dimension = 0 : i64}>')}", "tensor<2xi32>", "a tensor of rank 0"),
        (f"%s = {JOINED.format('')}", "tensor<2xi32>", "dimension"),
    ],
)
def test_arithmetic_on_sizes_that_is_not_valid(line: str, type: str, found: str) -> None:
    """Sizes are computed before the module is verified."""
    with pytest.raises(ConversionError, match=f"<bytes>:[45]:.*{found}"):
        api.load(DYNAMIC.format(line, type).encode(), dims={"arg0:0": 1})


def elementwise(op: str, type: str) -> bytes:
    body = f"%0 = stablehlo.{op} %a, %b : {type} return %0 : {type}"
    return f"func.func @main(%a: {type}, %b: {type}) -> {type} {{ {body} }}".encode()


@pytest.mark.parametrize("op", ["add", "multiply", "maximum", "minimum"])
def test_arithmetic_of_booleans_in_onnx(op: str) -> None:
    model = api.load(elementwise(op, "tensor<4xi1>"))
    back = read_back(api.convert(model, Format.ONNX), model)
    feeds = {"arg0": np.array([0, 0, 1, 1], bool), "arg1": np.array([0, 1, 0, 1], bool)}
    np.testing.assert_array_equal([*run(back, feeds).values()], [*run(model, feeds).values()])


def test_elements_that_an_operator_lacks() -> None:
    type = "tensor<4xf8E4M3FN>"
    text = f"func.func @main(%a: {type}) -> {type} {{ %0 = stablehlo.sqrt %a : {type} return %0 : {type} }}"
    with pytest.raises(ConversionError, match="Sqrt of opset 21 does not take elements of type f8E4M3FN"):
        api.convert(api.load(text.encode()), Format.ONNX)


def test_a_scale_below_its_float_is_refused() -> None:
    q = "tensor<4x!quant.uniform<i8:f32, 0.1e-45:3>>"
    with pytest.raises(ConversionError, match="out of the range of f32"):
        api.load(f"func.func @main(%x: {q}) -> {q} {{ return %x : {q} }}".encode())


def test_a_tensor_of_too_many_elements_is_not_converted() -> None:
    model = api.load(IDENTITY.format("").replace("2xf32", "4294967296xf32").encode())
    for to in (Format.ONNX, Format.STABLEHLO, Format.TOSA_RESCALE):
        with pytest.raises(ConversionError, match=r"has more than 2,147,483,648 elements"):
            api.convert(model, to)


def test_invalid_tosa_is_not_written_again() -> None:
    body = '%0 = "tosa.reverse"(%a) <{axis = 0 : i32}> : (tensor<0xi8>) -> tensor<0xi8> return %0 : tensor<0xi8>'
    text = f"func.func @main(%a: tensor<0xi8>) -> tensor<0xi8> {{ {body} }}"
    with pytest.raises(ConversionError, match="TOSA does not support tensors without elements"):
        api.convert(api.load(text.encode()), Format.TOSA)


def weight(integers: np.ndarray, scale: object, **attributes: int) -> ModelProto:
    """An Add of a float input and a constant behind DequantizeLinear."""
    port = helper.make_tensor_value_info
    constants = [
        numpy_helper.from_array(integers, "w"),
        numpy_helper.from_array(np.asarray(scale, np.float32), "scale"),
    ]
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "scale"], ["v"], **attributes),
        helper.make_node("Add", ["x", "v"], ["y"]),
    ]
    ports = [port("x", TensorProto.FLOAT, [1])], [port("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "weight", *ports, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def test_a_scalar_with_a_negative_scale() -> None:
    model = api.load(weight(np.array(3, np.int8), -0.5))
    [found] = run(model, {"x": np.ones(1, np.float32)}).values()
    assert found.tolist() == [-0.5]


@pytest.mark.parametrize("size", [-4, -(2**63), 2**40, 2**63 - 1])
def test_blocks_of_no_possible_size(size: int) -> None:
    with pytest.raises(ConversionError):
        api.load(weight(np.ones((4, 1), np.int8), [[-0.5]], axis=0, block_size=size))


def test_a_bias_of_no_elements_comes_back() -> None:
    types = ["tensor<0x4xf32>", "tensor<4x3xf32>", "tensor<0x3xf32>"]
    text = f"""func.func @main(%a: {types[0]}) -> {types[2]} {{
  %w = stablehlo.constant dense<0.5> : {types[1]}
  %b = stablehlo.constant dense<> : {types[2]}
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : ({types[0]}, {types[1]}) -> {types[2]}
  %1 = stablehlo.add %0, %b : {types[2]}
  return %1 : {types[2]}
}}"""
    model = api.load(text.encode())
    back = read_back(api.convert(model, Format.ONNX), model)
    assert api.convert(back).text


def test_a_list_of_integers_of_odd_width_is_refused() -> None:
    op = '%0 = "stablehlo.reverse"(%a) <{dimensions = array<i48: 0, 0, 0>}> : (tensor<2xf32>) -> tensor<2xf32>'
    text = IDENTITY.format("").replace("{ return", f"{{ {op} return")
    with pytest.raises(ConversionError, match="a list of i48 is not supported"):
        api.load(text.encode())


def test_limits_of_another_type_than_the_elements_are_refused() -> None:
    op = '%0 = "tosa.clamp"(%a) <{min_val = 0.0 : bf16, max_val = 1.0 : bf16}> : (tensor<2xf32>) -> tensor<2xf32>'
    text = IDENTITY.format("").replace("{ return", f"{{ {op} return")
    with pytest.raises(ConversionError, match="the limits must have the elements' type f32"):
        api.load(text.encode())
