"""Programs of StableHLO as TFLite: LiteRT and the file that is read again give the integers of the interpreter."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import tflite

from qconvert import Format, convert, load
from qconvert.engines import child, wire
from qconvert.engines.base import EngineName
from qconvert.engines.litert import Resolver, run
from qconvert.interpreter.program import evaluate
from qconvert.support.errors import ConversionError, EngineError
from qconvert.validation.sampling.samples import Sample, arguments, random_samples
from tests.support.onnx_cases import one_op, random
from tests.support.read_back import read_back

Q8 = "!quant.uniform<i8:f32, 0.0005:3>"
Q16 = "!quant.uniform<i16:f32, 0.0001>"
CHANNELS = "!quant.uniform<i8:f32:1, {0.01:2,0.02:-3,0.03:0}>"
WEIGHTS = "!quant.uniform<i8:f32:1, {0.01,0.02,0.03}>"
SUMS = "!quant.uniform<i32:f32:2, {0.000005,0.00001,0.000015}>"
SHIFTED = "!quant.uniform<i16:f32, 0.0001:-300>"
WIDE = "!quant.uniform<i32:f32, 0.0005>"


def program(kinds: str, result: str, *lines: str) -> str:
    """Return a function of %a, %b, ... of the types ``kinds``, which returns %y."""
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in zip("abc", kinds.split("; "), strict=False))
    body = "\n  ".join(lines)
    return f"func.func @main({arguments}) -> {result} {{\n  {body}\n  return %y : {result}\n}}"


def summed(scale: float) -> str:
    """Return a sum over an image, whose 32-bit integers are read at another scale."""
    image, sums = "!quant.uniform<i8:f32, 0.03:3>", "!quant.uniform<i32:f32, 0.03>"
    read, result = f"!quant.uniform<i32:f32, {scale!r}>", "!quant.uniform<i8:f32, 0.0137:-5>"
    return f"""func.func @main(%a: tensor<1x4x3x2x{image}>) -> tensor<1x2x{result}> {{
  %i = stablehlo.constant() <{{value = dense<3> : tensor<i8>}}> : () -> tensor<{image}>
  %y = "stablehlo.reduce"(%a, %i) <{{dimensions = array<i64: 1, 2>}}> ({{
  ^bb0(%e: tensor<{image}>):
    %w = stablehlo.uniform_quantize %e : (tensor<{image}>) -> tensor<{sums}>
    stablehlo.return %w : tensor<{sums}>
  }}, {{
  ^bb0(%l: tensor<{sums}>, %r: tensor<{sums}>):
    %s = stablehlo.add %l, %r : tensor<{sums}>
    stablehlo.return %s : tensor<{sums}>
  }}, {{
  ^bb0(%t: tensor<{sums}>):
    %b = stablehlo.bitcast_convert %t : (tensor<{sums}>) -> tensor<{read}>
    %q = stablehlo.uniform_quantize %b : (tensor<{read}>) -> tensor<{result}>
    stablehlo.return %q : tensor<{result}>
  }}) : (tensor<1x4x3x2x{image}>, tensor<{image}>) -> tensor<1x2x{result}>
  return %y : tensor<1x2x{result}>
}}"""


TINY_STEPS = "!quant.uniform<i8:f32, 1.0e-9:3>"
FAR_BELOW = "!quant.uniform<i8:f32, 0.0282:-103>"
HALF_STEPS = "!quant.uniform<i8:f32, 0.00025:1>"
ROWS = f"tensor<4x3x{Q8}>"
HALVES = "tensor<4x3x!quant.uniform<i8:f16, 0.03125:3>>"
COARSE = "tensor<4x3x!quant.uniform<i8:f32, 0.0305:3>>"
SQUARE = "tensor<2x2xi32>"
FINE = "tensor<4x3x!quant.uniform<i8:f32, 0.0137:-5>>"
PROGRAMS: dict[str, str] = {
    "comparison of neighbours at a small scale": program(
        f"{ROWS}; {ROWS}",
        "tensor<4x3xi1>",
        f"%y = stablehlo.compare LT, %a, %b : ({ROWS}, {ROWS}) -> tensor<4x3xi1>",
    ),
    "equality of 16 bits": program(
        f"tensor<4x3x{Q16}>; tensor<4x3x{Q16}>",
        "tensor<4x3xi1>",
        f"%y = stablehlo.compare EQ, %a, %b : (tensor<4x3x{Q16}>, tensor<4x3x{Q16}>) -> tensor<4x3xi1>",
    ),
    "sign, of which LiteRT has no kernel of 8 bits": program(ROWS, ROWS, f"%y = stablehlo.sign %a : {ROWS}"),
    "angle, of which LiteRT has no kernel of 8 bits": program(
        f"{COARSE}; {COARSE}", COARSE, f"%y = stablehlo.atan2 %a, %b : {COARSE}"
    ),
    "bounds halfway between two integers of the result": program(
        ROWS,
        ROWS,
        f"%l = stablehlo.constant() <{{value = dense<-6> : tensor<i8>}}> : () -> tensor<{HALF_STEPS}>",
        f"%h = stablehlo.constant() <{{value = dense<38> : tensor<i8>}}> : () -> tensor<{HALF_STEPS}>",
        f"%y = stablehlo.clamp %l, %a, %h : (tensor<{HALF_STEPS}>, {ROWS}, tensor<{HALF_STEPS}>) -> {ROWS}",
    ),
    "extreme of a constant halfway between two integers of the result": program(
        ROWS,
        ROWS,
        f"%c = stablehlo.constant() <{{value = dense<-6> : tensor<4x3xi8>}}> : () -> tensor<4x3x{HALF_STEPS}>",
        f"%y = stablehlo.maximum %a, %c : ({ROWS}, tensor<4x3x{HALF_STEPS}>) -> {ROWS}",
    ),
    "logarithm of zero, quantized with a negative zero point": program(
        ROWS,
        f"tensor<4x3x{FAR_BELOW}>",
        f"%f = stablehlo.uniform_dequantize %a : ({ROWS}) -> tensor<4x3xf32>",
        "%z = stablehlo.subtract %f, %f : tensor<4x3xf32>",
        "%l = stablehlo.log %z : tensor<4x3xf32>",
        f"%y = stablehlo.uniform_quantize %l : (tensor<4x3xf32>) -> tensor<4x3x{FAR_BELOW}>",
    ),
    "floats beyond int32 steps of the result": program(
        "tensor<4x3xf32>",
        f"tensor<4x3x{TINY_STEPS}>",
        "%s = stablehlo.constant dense<1000.0> : tensor<4x3xf32>",
        "%m = stablehlo.multiply %a, %s : tensor<4x3xf32>",
        f"%y = stablehlo.uniform_quantize %m : (tensor<4x3xf32>) -> tensor<4x3x{TINY_STEPS}>",
    ),
    "exponential beyond float32": program(
        "tensor<4x3xf32>",
        ROWS,
        "%s = stablehlo.constant dense<100.0> : tensor<4x3xf32>",
        "%p = stablehlo.abs %a : tensor<4x3xf32>",
        "%m = stablehlo.add %p, %s : tensor<4x3xf32>",
        "%e = stablehlo.exponential %m : tensor<4x3xf32>",
        f"%y = stablehlo.uniform_quantize %e : (tensor<4x3xf32>) -> {ROWS}",
    ),
    "quotient of two repeated values": program(
        "tensor<4x1xf32>; tensor<4x1xf32>",
        "tensor<4x3xf32>",
        "%r = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x3xf32>",
        "%s = stablehlo.broadcast_in_dim %b, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x3xf32>",
        "%y = stablehlo.divide %r, %s : tensor<4x3xf32>",
    ),
    "angle to a repeated value": program(
        "tensor<4x3xf32>; tensor<3xf32>",
        "tensor<4x3xf32>",
        "%r = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>",
        "%y = stablehlo.atan2 %a, %r : tensor<4x3xf32>",
    ),
    "product along the first dimension by weights of channels": program(
        f"tensor<2x4x3x{Q8}>",
        f"tensor<4x3x3x{Q8}>",
        f"%w = stablehlo.constant() <{{value = dense<[[-115, 102, -89], [10, 52, -26]]> : tensor<2x3xi8>}}> : () -> "
        f"tensor<2x3x{WEIGHTS}>",
        f"%d = stablehlo.dot_general %a, %w, contracting_dims = [0] x [0] : "
        f"(tensor<2x4x3x{Q8}>, tensor<2x3x{WEIGHTS}>) -> tensor<4x3x3x{SUMS}>",
        f"%y = stablehlo.uniform_quantize %d : (tensor<4x3x3x{SUMS}>) -> tensor<4x3x3x{Q8}>",
    ),
    "mean at a scale that float32 rounded": summed(float(np.float32(0.03 / 12))),
    "sum at a scale that is no mean's": summed(0.03 / 7),
    "16 bits with a zero point that are moved and narrowed": program(
        COARSE,
        COARSE,
        f"%c = stablehlo.uniform_quantize %a : ({COARSE}) -> tensor<4x3x{SHIFTED}>",
        f"%d = stablehlo.reverse %c, dims = [1] : tensor<4x3x{SHIFTED}>",
        f"%y = stablehlo.uniform_quantize %d : (tensor<4x3x{SHIFTED}>) -> {COARSE}",
    ),
    "product by a half": program(
        COARSE,
        FINE,
        f"%d = stablehlo.uniform_dequantize %a : ({COARSE}) -> tensor<4x3xf32>",
        "%c = stablehlo.constant dense<2.0> : tensor<4x3xf32>",
        "%q = stablehlo.divide %d, %c : tensor<4x3xf32>",
        f"%y = stablehlo.uniform_quantize %q : (tensor<4x3xf32>) -> {FINE}",
    ),
    "channels with scales of their own": program(
        COARSE,
        COARSE,
        f"%c = stablehlo.uniform_quantize %a : ({COARSE}) -> tensor<4x3x{CHANNELS}>",
        f"%y = stablehlo.uniform_quantize %c : (tensor<4x3x{CHANNELS}>) -> {COARSE}",
    ),
    "largest of plain integers": program(
        "tensor<1x4x4x3xi8>",
        "tensor<1x2x2x3xi8>",
        "%i = stablehlo.constant dense<-128> : tensor<i8>",
        """%y = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 1, 2, 2, 1>,
            window_strides = array<i64: 1, 2, 2, 1>}> ({
          ^bb0(%l: tensor<i8>, %r: tensor<i8>):
            %m = stablehlo.maximum %l, %r : tensor<i8>
            stablehlo.return %m : tensor<i8>
        }) : (tensor<1x4x4x3xi8>, tensor<i8>) -> tensor<1x2x2x3xi8>""",
    ),
    "matrix product of plain integers": program(
        "tensor<2x3xi8>; tensor<3x4xi8>",
        "tensor<2x4xi32>",
        "%y = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
        "(tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>",
    ),
    "padding by a computed value": program(
        "tensor<4x3xf32>; tensor<f32>",
        "tensor<6x3xf32>",
        "%y = stablehlo.pad %a, %b, low = [1, 0], high = [1, 0], interior = [0, 0] : "
        "(tensor<4x3xf32>, tensor<f32>) -> tensor<6x3xf32>",
    ),
    "slice of one number": program(
        "tensor<f32>", "tensor<f32>", "%y = stablehlo.slice %a [] : (tensor<f32>) -> tensor<f32>"
    ),
    "largest of stored integers": program(
        f"{ROWS}; {ROWS}",
        ROWS,
        f"%c = stablehlo.bitcast_convert %a : ({ROWS}) -> tensor<4x3xi8>",
        f"%d = stablehlo.bitcast_convert %b : ({ROWS}) -> tensor<4x3xi8>",
        "%e = stablehlo.maximum %c, %d : tensor<4x3xi8>",
        f"%y = stablehlo.bitcast_convert %e : (tensor<4x3xi8>) -> {ROWS}",
    ),
    "floats by computed integers": program(
        f"tensor<2x4xf32>; {COARSE}",
        "tensor<2x3xf32>",
        f"%c = stablehlo.uniform_dequantize %b : ({COARSE}) -> tensor<4x3xf32>",
        "%y = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : "
        "(tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>",
    ),
    "floats of 16 bits": program(
        HALVES, "tensor<4x3xf16>", f"%y = stablehlo.uniform_dequantize %a : ({HALVES}) -> tensor<4x3xf16>"
    ),
}


ROUNDED = ("product", "channels")
"""LiteRT rounds these in its own way, which is up to one step away."""


@cache
def samples(name: str) -> tuple[Sample, ...]:
    model = load(PROGRAMS[name].encode())
    return tuple(random_samples(arguments(model.module, model.input_names), 2, seed=5))


@pytest.fixture(scope="module")
def found() -> dict[str, wire.Message | EngineError]:
    """LiteRT's outputs of all programs, from one process."""
    tasks = [
        wire.Message(
            {"resolver": "reference"}, (), convert(load(text.encode()), Format.TFLITE).content or b"", samples(name)
        )
        for name, text in PROGRAMS.items()
    ]
    return dict(zip(PROGRAMS, child.run_tasks(EngineName.LITERT, tasks), strict=True))


@pytest.mark.litert
@pytest.mark.parametrize("name", PROGRAMS)
def test_litert_has_the_integers_of_the_program(name: str, found: dict[str, wire.Message | EngineError]) -> None:
    answer, module = found[name], load(PROGRAMS[name].encode()).module
    if isinstance(answer, EngineError):
        raise answer
    for theirs, sample in zip(answer.samples, samples(name), strict=True):
        (result,), (expected,) = theirs.values(), evaluate(module, list(sample.values()))
        assert result.shape == expected.shape
        apart = np.abs(result.astype(np.float64) - expected.astype(np.float64)).max()
        assert apart <= (1 if name.startswith(ROUNDED) else 1e-5 if result.dtype.kind == "f" else 0)


@pytest.mark.litert
def test_both_resolvers_give_a_dequantized_constant_that_is_an_output() -> None:
    """XNNPACK gives ADD the floats of the constant, and would leave the output as it is."""
    weights, kind = "tensor<2x!quant.uniform<i8:f32, 0.5>>", "tensor<2xf32>"
    text = f"""func.func @main(%x: {kind}) -> ({kind}, {kind}) {{
      %w = stablehlo.constant() <{{value = dense<[1, 2]> : tensor<2xi8>}}> : () -> {weights}
      %d = stablehlo.uniform_dequantize %w : ({weights}) -> {kind}
      %y = stablehlo.add %x, %d : {kind}
      return %d, %y : {kind}, {kind}
    }}"""
    content = convert(load(text.encode()), Format.TFLITE).content
    assert content is not None
    for resolver in Resolver:
        found = list(run(content, {"arg0": np.zeros(2, np.float32)}, resolver=resolver).values())
        np.testing.assert_array_equal(found, [[0.5, 1.0]] * 2)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_written_is_read(name: str) -> None:
    model = load(PROGRAMS[name].encode())
    read_back(convert(model, Format.TFLITE), model)


@pytest.mark.parametrize("element", ["bf16", "ui64"])
def test_tensors_of_every_type_are_read(element: str) -> None:
    kind = f"tensor<4x3x{element}>"
    model = load(program(kind, kind, f"%y = stablehlo.reshape %a : ({kind}) -> {kind}").encode())
    read_back(convert(model, Format.TFLITE), model)


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("tensor<2x2xi8>", "stablehlo.multiply %a, %b : tensor<2x2xi8>"),
        ("tensor<2x2xui8>", "stablehlo.compare LT, %a, %b : (tensor<2x2xui8>, tensor<2x2xui8>) -> tensor<2x2xi1>"),
        (
            SQUARE,
            f"stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({SQUARE}, {SQUARE}) -> {SQUARE}",
        ),
    ],
)
def test_integers_without_a_scale_are_not_computed_on(kind: str, line: str) -> None:
    result = line.rpartition(" ")[2]
    text = program(f"{kind}; {kind}", result, f"%y = {line}")
    with pytest.raises(ConversionError, match=r"LiteRT has no .* of u?i\d+ without a scale"):
        convert(load(text.encode()), Format.TFLITE)


@pytest.mark.litert
@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_exponential_linear_units_have_their_alpha(alpha: float) -> None:
    """LiteRT's reference kernels lack ELU, its default ones have it."""
    kind = "tensor<4x3xf32>"
    model = load(
        program(kind, kind, f'%y = "qconvert.elu"(%a) <{{alpha = {alpha} : f64}}> : ({kind}) -> {kind}').encode()
    )
    (sample,) = random_samples(arguments(model.module, model.input_names), 1, seed=5)
    found = run(convert(model, Format.TFLITE).content or b"", sample, resolver=Resolver.DEFAULT)
    np.testing.assert_allclose(found["result0"], evaluate(model.module, list(sample.values()))[0], rtol=1e-5)


def test_channels_are_not_moved() -> None:
    source, moved = f"tensor<4x3x{CHANNELS}>", f"tensor<3x4x{CHANNELS.replace(':1', ':0')}>"
    text = program(source, moved, f"%y = stablehlo.transpose %a, dims = [1, 0] : ({source}) -> {moved}")
    with pytest.raises(ConversionError, match="TFLite's operators move values of one scale"):
        convert(load(text.encode()), Format.TFLITE)


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("product by a half", [tflite.BuiltinOperator.MUL]),
        (
            "sign, of which LiteRT has no kernel of 8 bits",
            [tflite.BuiltinOperator.CAST, tflite.BuiltinOperator.ADD, tflite.BuiltinOperator.GATHER],
        ),
    ],
)
def test_functions_of_one_value_are_products_or_tables(name: str, codes: list[int]) -> None:
    model = tflite.Model.GetRootAs(convert(load(PROGRAMS[name].encode()), Format.TFLITE).content or b"", 0)
    graph = model.Subgraphs(0)
    operators = [graph.Operators(i) for i in range(graph.OperatorsLength())]
    assert [model.OperatorCodes(operator.OpcodeIndex()).BuiltinCode() for operator in operators] == codes


def test_an_output_with_scales_of_channels_is_copied() -> None:
    kind = f"tensor<4x3x{CHANNELS}>"
    model = load(program(kind, kind, f"%y = stablehlo.reshape %a : ({kind}) -> {kind}").encode())
    read_back(convert(model, Format.TFLITE), model)


@pytest.mark.parametrize(
    ("op", "operand", "result", "message"),
    [
        ("uniform_quantize", "tensor<3xf32>", f"tensor<3x{WIDE}>", "LiteRT does not quantize f32 to "),
        ("uniform_dequantize", f"tensor<3x{WIDE}>", "tensor<3xf32>", "LiteRT does not dequantize "),
        ("tanh", f"tensor<3x{SHIFTED}>", f"tensor<3x{SHIFTED}>", "LiteRT computes on 16-bit integers without a zero"),
    ],
)
def test_what_litert_does_not_quantize_is_refused(op: str, operand: str, result: str, message: str) -> None:
    text = program(operand, result, f"%y = stablehlo.{op} %a : ({operand}) -> {result}")
    with pytest.raises(ConversionError, match=message):
        convert(load(text.encode()), Format.TFLITE)


@pytest.mark.parametrize("op_type", ["Softmax", "LogSoftmax"])
def test_a_softmax_along_another_dimension_is_written_in_floats(op_type: str) -> None:
    """LiteRT's operators are along the last one."""
    model = load(one_op(op_type, [random(2, 5, 3)], opset=13, axis=1).model)
    back = read_back(convert(model, Format.TFLITE), model)
    (ours,), (theirs,) = (evaluate(each.module, [random(2, 5, 3, seed=1)]) for each in (model, back))
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.litert
@pytest.mark.parametrize(("op", "function"), [("round_nearest_even", np.rint), ("ceil", np.ceil)])
@pytest.mark.parametrize("resolver", Resolver)
def test_floats_are_rounded_in_all_kernels(op: str, function: np.ufunc, resolver: Resolver) -> None:
    kind = "tensor<2x9xf32>"
    model = load(program(kind, kind, f"%y = stablehlo.{op} %a : {kind}").encode())
    content = convert(model, Format.TFLITE).content
    assert content is not None
    numbers = [0.5, 1.5, 2.5, 0.49999997, 8388607.5, 8388608.0, 4194303.5, 4194304.5, 1e20]
    inputs = np.asarray([numbers, np.negative(numbers)], np.float32)
    [found] = run(content, {model.input_names[0]: inputs}, resolver=resolver).values()
    np.testing.assert_array_equal(found, function(inputs))
