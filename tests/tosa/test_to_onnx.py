"""Every op of TOSA in ONNX: onnxruntime computes the integers that TOSA's own interpreter computes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, checker
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Block, SSAValue

from qconvert import ConversionError, Format, OnnxOptions, UsageError, convert, load
from qconvert.backends.base import Profile
from qconvert.backends.onnx import Style
from qconvert.backends.onnx.emit import emit
from qconvert.backends.onnx.lowering import TOSA_EMITTERS
from qconvert.backends.tosa import TosaOptions
from qconvert.dialects import tosa
from qconvert.expansion.builder import TosaBuilder, i16, i48
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import main_function
from qconvert.ir import f32, i1, i8, i32
from tests.support import onnx_cases
from tests.support.paths import FIXTURES
from tests.support.random_tosa_ops import EVERY, Kind, reduction
from tests.support.tosa_floats import OF_FLOATS, float_program
from tests.support.tosa_programs import argument, extremes, module_of, random_inputs
from tests.support.tosa_rescales import inputs_of, random_case, rescale_module

Arrays = Sequence[NDArray[np.generic]]
INTEGERS = TosaOptions(profile=Profile.INT)


def theirs(module: ModuleOp, inputs: Arrays, opset: int | None = None) -> list[NDArray[np.generic]]:
    """The results of a module's ONNX in onnxruntime."""
    content = emit(module, OnnxOptions(opset)).file
    assert content is not None
    checker.check_model(content)
    names = [f"arg{i}" for i in range(len(inputs))]
    return onnx_cases.theirs(onnx_cases.Case(content, dict(zip(names, inputs, strict=True))))


def check_equal(module: ModuleOp, inputs: Arrays, opset: int | None = None) -> None:
    for found, expected in zip(theirs(module, inputs, opset), evaluate(module, inputs), strict=True):
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


def random_module(kind: Kind, count: int, seed: int = 1) -> tuple[ModuleOp, Block]:
    rng, block, build = np.random.default_rng(seed), Block(), TosaBuilder()
    module = module_of(block, build, [kind(rng, build, block) for _ in range(count)])
    return module, main_function(module).body.block


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_an_op_has_every_integer(kind: Kind) -> None:
    module, block = random_module(kind, 20)
    check_equal(module, random_inputs(np.random.default_rng(2), block))
    if kind is not reduction:  # TOSA leaves sums open that do not fit
        check_equal(module, extremes(np.random.default_rng(2), block))


@pytest.mark.slow
@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_more_of_them_do(kind: Kind) -> None:
    module, block = random_module(kind, 200, 3)
    check_equal(module, random_inputs(np.random.default_rng(3), block))


@pytest.mark.parametrize("widths", [(8,), (16,), (32,)], ids=str)
@pytest.mark.quick(1)
def test_rescales_have_every_integer(widths: tuple[int, ...]) -> None:
    """In every rounding, with and without a sign, also where 2^62 is passed on the way."""
    rng = np.random.default_rng(3)
    cases = [random_case(rng, widths) for _ in range(60)]
    check_equal(rescale_module(cases), inputs_of(cases))


@pytest.mark.slow
def test_random_programs_use_every_op() -> None:
    rng, block, build = np.random.default_rng(1), Block(), TosaBuilder()
    for kind in EVERY:
        for _ in range(100):
            kind(rng, build, block)
    assert set(TOSA_EMITTERS) <= OF_FLOATS | {tosa.ErfOp} | {type(op) for op in build.ops} | {tosa.RescaleOp}


def only_in_onnx(build: TosaBuilder, x: SSAValue, image: SSAValue) -> list[SSAValue]:
    """Float ops that the translation to StableHLO lacks, or rounds otherwise."""
    window, zero = tosa.ConvWindow((1, 0, 0, 1), (1, 1), (1, 1)), build.zero_point(0, f32)
    weight, bias = build.constant(np.linspace(0.1, 1, 24).reshape(3, 2, 2, 2), f32), build.constant(np.ones(3), f32)
    beyond = build.multiply(x, build.filled(99, x, f32))
    return [
        build.add(tosa.ErfOp(x)),
        *(build.add(tosa.CastOp(beyond, element)) for element in (i8, i32, i1)),
        build.add(tosa.MaxPool2DOp(image, (2, 2), window)),
        build.add(tosa.MatMulOp((x, build.transpose(x, (0, 2, 1)), zero, zero))),
        build.add(tosa.ClampOp(x, 0.5, 1.5)),
        build.add(tosa.TransposeConv2DOp((image, weight, bias, zero, zero), (0, -1, 1, 0), (2, 1), f32)),
    ]


def test_floats_have_the_same_values() -> None:
    module, inputs = float_program(only_in_onnx)
    for found, expected in zip(theirs(module, inputs), evaluate(module, inputs), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-5)


OLD = tuple(
    kind for kind in EVERY if kind.__name__ in ("convolution", "pool", "table", "matmul", "resize", "reduction")
)


@pytest.mark.parametrize("kind", OLD, ids=lambda kind: kind.__name__)
def test_the_oldest_opset_is_enough(kind: Kind) -> None:
    module, block = random_module(kind, 10)
    check_equal(module, random_inputs(np.random.default_rng(2), block), 13)


def test_bitwise_operators_need_an_opset() -> None:
    block, build = Block(), TosaBuilder()
    x = argument(block, i32, (2,))
    module = module_of(block, build, [build.add(tosa.BitwiseAndOp(x, x))])
    with pytest.raises(ConversionError, match=r"tosa\.bitwise_and: BitwiseAnd is not in opset 17\. Give --opset 18"):
        theirs(module, [np.ones(2, np.int32)], 17)


def computed_weights(element: IntegerType, kind: type[tosa.ConvolutionOp | tosa.TransposeConv2DOp]) -> ModuleOp:
    """A convolution whose weights are an argument."""
    block, build = Block(), TosaBuilder()
    image, weight = argument(block, element, (2, 4, 4, 3)), argument(block, i8, (3, 2, 3, 3))
    wide = i48 if element == i16 else i32
    operands = (image, weight, build.constant(np.arange(9 if kind is tosa.DepthwiseConv2DOp else 3), wide))
    zeros = (build.zero_point(0 if element == i16 else 5, element), build.zero_point(-3, i8))
    if issubclass(kind, tosa.TransposeConv2DOp):
        made = build.add(kind((*operands, *zeros), (0, 0, 0, 0), (2, 2), wide))
    else:
        made = build.add(kind((*operands, *zeros), tosa.ConvWindow((0, 0, 1, 1), (1, 1), (1, 1)), wide))
    return module_of(block, build, [made])


@pytest.mark.parametrize("element", [i8, i16])
@pytest.mark.parametrize("kind", [tosa.Conv2DOp, tosa.DepthwiseConv2DOp, tosa.TransposeConv2DOp])
def test_weights_may_be_computed(kind: type[tosa.ConvolutionOp | tosa.TransposeConv2DOp], element: IntegerType) -> None:
    module = computed_weights(element, kind)
    check_equal(module, random_inputs(np.random.default_rng(2), main_function(module).body.block))


def test_both_bytes_meet_signed_weights() -> None:
    """Onnxruntime saturates products of a signed image and unsigned weights on some processors."""
    block, build = Block(), TosaBuilder()
    image, weight = argument(block, i16, (1, 3, 3, 2)), build.constant(np.full((4, 1, 1, 2), -127), i8)
    zeros = build.zero_point(0, i16), build.zero_point(0, i8)
    window = tosa.ConvWindow((0, 0, 0, 0), (1, 1), (1, 1))
    made = build.add(tosa.Conv2DOp((image, weight, build.constant([0], i48), *zeros), window, i48))
    content = emit(module_of(block, build, [made]), OnnxOptions()).file
    graph = ModelProto.FromString(content or b"").graph
    types = {tensor.name: tensor.data_type for tensor in graph.initializer}
    convolutions = [node for node in graph.node if node.op_type == "ConvInteger"]
    assert [types[node.input[1]] for node in convolutions] == [TensorProto.INT8, TensorProto.INT8]


def test_an_op_that_ignores_nan_is_refused() -> None:
    block, build = Block(), TosaBuilder()
    op = tosa.MaximumOp(x := argument(block, f32, (2,)), x)
    op.properties["nan_mode"] = tosa.NanModeAttr(tosa.NanMode.IGNORE)
    module = module_of(block, build, [build.add(op)])
    with pytest.raises(ConversionError, match=r"tosa\.maximum: ONNX's operators do not ignore NaN"):
        emit(module, OnnxOptions())


def test_scales_and_signs_stay_on_the_ports() -> None:
    source = load(convert(load(FIXTURES / "digits_mlp_uint8.onnx"), Format.TOSA, INTEGERS).text.encode())
    made = convert(source, Format.ONNX)
    model = ModelProto.FromString(made.content or b"")
    stated = {entry.key: entry.value for entry in model.metadata_props}
    for port, info in zip(made.quantized_ports, (*model.graph.input, *model.graph.output), strict=True):
        assert info.type.tensor_type.elem_type == TensorProto.UINT8
        assert float(stated[f"{port.name}_scale"]) == pytest.approx(port.element.scale, rel=1e-8)
        assert int(stated[f"{port.name}_zero_point"]) == port.element.zero_point


def test_no_constant_is_unused() -> None:
    source = load(convert(load(FIXTURES / "svdf_int8.tflite"), Format.TOSA).text.encode())
    graph = ModelProto.FromString(convert(source, Format.ONNX).content or b"").graph
    assert {tensor.name for tensor in graph.initializer} <= {name for node in graph.node for name in node.input}


def test_the_opset_can_be_chosen_and_other_options_come_too_late() -> None:
    source = load(convert(load(FIXTURES / "digits_mlp_int8.onnx"), Format.TOSA, INTEGERS).text.encode())
    content = convert(source, Format.ONNX, OnnxOptions(17)).content
    assert ModelProto.FromString(content or b"").opset_import[0].version == 17
    with pytest.raises(UsageError, match="is tosa already; give options with the model it was made of"):
        convert(source, Format.ONNX, OnnxOptions(style=Style.QOPERATOR))


@pytest.mark.parametrize("element", ["f32", "bf16", "index"])
def test_a_shift_of_what_has_no_bits_is_refused(element: str) -> None:
    kind = f"tensor<2x{element}>"
    body = f'%0 = "tosa.logical_right_shift"(%a, %a) : ({kind}, {kind}) -> {kind}'
    model = load(f"func.func @main(%a: {kind}) -> {kind} {{\n  {body}\n  return %0 : {kind}\n}}".encode())
    with pytest.raises(ConversionError, match=r"tosa\.logical_right_shift: a shift of the bits of"):
        convert(model, Format.ONNX)


def test_a_cast_to_4_bits_saturates() -> None:
    text = """func.func @main(%a: tensor<3xf32>) -> tensor<3xi8> {
  %0 = "tosa.cast"(%a) : (tensor<3xf32>) -> tensor<3xi4>
  %1 = "tosa.cast"(%0) : (tensor<3xi4>) -> tensor<3xi8>
  return %1 : tensor<3xi8>
}"""
    content = convert(load(text.encode()), Format.ONNX).content or b""
    (found,) = onnx_cases.theirs(onnx_cases.Case(content, {"arg0": np.float32([-100, 2.5, 100])}))
    np.testing.assert_array_equal(found, [-8, 2, 7])


def test_what_is_made_of_repeated_constants_has_all_its_elements() -> None:
    """A constant of one number keeps size 1 in the graph, and so does what is computed from it."""
    block, build = Block(), TosaBuilder()
    wide = build.add(tosa.CastOp(build.constant(np.full(6, 127), i8), i32))
    product = build.multiply(wide, build.constant([3], i32))
    reshaped = build.add(tosa.ReshapeOp(product, build.shape((1, 2, 3))))
    column, row = argument(block, i32, (2, 1)), argument(block, i32, (1, 3))
    total = build.add(tosa.AddOp(column, row))
    made = [reshaped, product, build.add(tosa.ReverseOp(total, 1)), build.add(tosa.ReshapeOp(total, build.shape((6,))))]
    module = module_of(block, build, made)
    check_equal(module, [np.arange(2, dtype=np.int32).reshape(2, 1), np.arange(3, dtype=np.int32).reshape(1, 3)])
