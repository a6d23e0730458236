"""Floats between quantized values, computed in integers in TOSA's int profile, beside onnxruntime."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from qconvert import EngineName, Format, convert, load, validate
from qconvert.backends.base import Profile
from qconvert.backends.tosa import TosaOptions
from qconvert.backends.tosa.fixed_point.polynomials import Polynomials
from qconvert.backends.tosa.fixed_point.values import Interval
from qconvert.support.errors import ConversionError, FloatsRemainError
from qconvert.validation import Settings
from tests.support.ethos_u import PROCESSORS, compile_for
from tests.support.parameters import few

Array: TypeAlias = NDArray[Any]
IMAGE = (1, 8, 9, 9)


@dataclass(frozen=True)
class Chain:
    """Operators between quantizers: 'x' and 'y' are dequantized inputs, 'r' is quantized.

    Scales are those of 8 bits. ``scales`` and ``zero_points`` are those of 'x' and 'y'; 16 bits have no zero points.
    """

    nodes: tuple[NodeProto, ...]
    scale: float
    zero_point: int = 0
    known: Mapping[str, Any] = field(default_factory=dict)
    scales: tuple[float, float] = (0.05, 0.037)
    zero_points: tuple[int, int] = (3, -7)

    def model(self, bits: int) -> bytes:
        """Write the model."""
        element, dtype = (TensorProto.INT8, np.int8) if bits == 8 else (TensorProto.INT16, np.int16)
        factor, initializers = 2.0 ** (8 - bits), dict(self.known)
        names = [name for name in ("x", "y") if any(name in node.input for node in self.nodes)]
        parameters = dict(zip(("x", "y"), zip(self.scales, self.zero_points, strict=True), strict=True))
        parameters["r"] = (self.scale, self.zero_point)
        for name, (scale, zero_point) in parameters.items():
            initializers[f"{name}_scale"] = np.float32(scale * factor)
            initializers[f"{name}_zero_point"] = dtype(zero_point if bits == 8 else 0)
        made = [_linear("DequantizeLinear", f"{name}_in", name, name) for name in names]
        quantize = _linear("QuantizeLinear", "r", "r_out", "r")
        inputs = [helper.make_tensor_value_info(f"{name}_in", element, IMAGE) for name in names]
        outputs = [helper.make_empty_tensor_value_info("r_out")]
        tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in initializers.items()]
        graph = helper.make_graph([*made, *self.nodes, quantize], "chain", inputs, outputs, tensors)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        return model.SerializeToString()


def _linear(op_type: str, source: str, target: str, name: str) -> NodeProto:
    return helper.make_node(op_type, [source, f"{name}_scale", f"{name}_zero_point"], [target], f"{target}_linear")


def node(op_type: str, inputs: str, output: str = "r", **attributes: Any) -> NodeProto:
    return helper.make_node(op_type, inputs.split(), [output], f"{op_type}_{output}", **attributes)


def normal(*sizes: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(0, 1, sizes).astype(np.float32)


BATCH = {"g": normal(8), "b": normal(8, seed=1), "m": normal(8, seed=2), "v": np.abs(normal(8, seed=3)) + 0.3}
MEAN = {"axes": np.array([2, 3])}
SUM = node("Add", "x y", "a")
WEIGHTS = {
    "w_in": np.clip(normal(10, 8) * 50, -127, 127).astype(np.int8),
    "w_scale": (np.abs(normal(10, seed=1)) * 0.01 + 0.005).astype(np.float32),
    "w_zero_point": np.zeros(10, np.int8),
    "bias": normal(10, seed=2),
}
DENSE = helper.make_node("DequantizeLinear", ["w_in", "w_scale", "w_zero_point"], ["w"], axis=0)
KERNEL = {**WEIGHTS, "w_in": np.clip(normal(10, 8, 3, 3) * 50, -127, 127).astype(np.int8)}
DEPTHS = {name: array[:8] for name, array in KERNEL.items()} | {"w_in": KERNEL["w_in"][:8, :1]}
LARGE = {**WEIGHTS, "w_in": (np.sign(normal(10, 648)) * 127).astype(np.int8)}
POOL = node("GlobalAveragePool", "x", "p")

CHAINS: dict[str, Chain] = {
    "GlobalAveragePool, Flatten, Gemm": Chain(
        (POOL, node("Flatten", "p", "f"), DENSE, node("Gemm", "f w bias", transB=1)), 0.07, 5, WEIGHTS
    ),
    "Add, Flatten, Gemm of 648 inputs": Chain(
        (SUM, node("Flatten", "a", "f"), DENSE, node("Gemm", "f w bias", transB=1)), 2.0, 5, LARGE
    ),
    "GlobalAveragePool, Flatten, Gemm by floats": Chain(
        (POOL, node("Flatten", "p", "f"), node("Gemm", "f w", transB=1)), 0.03, known={"w": normal(10, 8)}
    ),
    "Conv by floats": Chain((node("Conv", "x w", pads=[1, 1, 1, 1]),), 0.1, 3, {"w": normal(10, 8, 3, 3)}),
    "depthwise Conv by floats": Chain((node("Conv", "x w", group=8),), 0.1, 3, {"w": normal(8, 1, 3, 3)}),
    "Add, Relu, Conv": Chain(
        (SUM, node("Relu", "a", "t"), DENSE, node("Conv", "t w bias", pads=[1, 1, 1, 1], strides=[2, 2])),
        0.5,
        5,
        KERNEL,
    ),
    "Add, depthwise Conv, Relu": Chain(
        (SUM, DENSE, node("Conv", "a w bias", "c", group=8, pads=[1, 1, 1, 1]), node("Relu", "c")), 0.15, -128, DEPTHS
    ),
    "padded average of one scale": Chain(
        (node("AveragePool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),), 0.05, 3
    ),
    "padded average of two scales": Chain(
        (node("AveragePool", "x", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),), 0.031, -5
    ),
    "padded average with a large window": Chain(
        (node("AveragePool", "x", kernel_shape=[7, 7], pads=[0, 0, 1, 1]),), 0.05, 3
    ),
    "batch normalization": Chain((node("BatchNormalization", "x g b m v"),), 0.06, -2, BATCH),
    "Add, Relu, AveragePool, Reshape": Chain(
        (
            SUM,
            node("Relu", "a", "c"),
            node("AveragePool", "c", "d", kernel_shape=[9, 9]),
            node("Reshape", "d sizes", "r"),
        ),
        0.02,
        -128,
        {"sizes": np.array([1, 8])},
    ),
    "ReduceMean, Tanh": Chain((node("ReduceMean", "x axes", "a", keepdims=0), node("Tanh", "a")), 1 / 127, 0, MEAN),
    "LRN": Chain((node("LRN", "x", size=5, alpha=0.1, beta=0.75, bias=1.0),), 0.03),
    "LRN, MaxPool": Chain(
        (node("LRN", "x", "a", size=5, alpha=1e-4), node("MaxPool", "a", kernel_shape=[3, 3], strides=[2, 2])), 0.05
    ),
    "Add, Gelu": Chain((SUM, node("Gelu", "a")), 0.06, -100),
    "Add, Gelu by tanh": Chain((SUM, node("Gelu", "a", approximate="tanh")), 0.06, -100),
    "Add, Erf": Chain((SUM, node("Erf", "a")), 1 / 127),
    "Add, Sigmoid, Mul": Chain((SUM, node("Sigmoid", "a", "s"), node("Mul", "a s")), 0.06, -100),
    "Add, Mul": Chain((SUM, node("Mul", "a x")), 0.2),
    **{
        f"{kind}, Where": Chain(
            (node(kind, "x y", "p"), node("Where", "p x y")),
            0.045,
            -2,
            scales=(0.05, 0.037 if kind != "Equal" else 0.1),
        )
        for kind, second in (
            ("Greater", 0.037),
            ("GreaterOrEqual", 0.037),
            ("Less", 0.037),
            ("LessOrEqual", 0.037),
            ("Equal", 0.1),
        )
    },
    "Less than a number, Where": Chain(
        (node("Less", "x low", "p"), node("Where", "p y high")),
        0.045,
        -2,
        {"low": np.float32(0.3), "high": np.float32(-1)},
    ),
    "Mul by channels, Sub, Clip": Chain(
        (node("Mul", "x k", "a"), node("Sub", "y a", "c"), node("Clip", "c low high")),
        0.05,
        2,
        {"k": normal(8, 1, 1), "low": np.float32(-3.5), "high": np.float32(4.25)},
    ),
    "quotient of a sigmoid": Chain(
        (node("Sigmoid", "y", "s"), node("Add", "s one", "t"), node("Div", "x t")), 0.05, 2, {"one": np.float32(1)}
    ),
    "Concat, Transpose, Neg, Sqrt": Chain(
        (
            node("Neg", "y", "n"),
            node("Concat", "x n", "c", axis=1),
            node("Transpose", "c", "t", perm=[0, 2, 3, 1]),
            node("Add", "t ten", "u"),
            node("Sqrt", "u"),
        ),
        0.03,
        -128,
        {"ten": np.float32(12)},
    ),
}


def samples(chain: Chain, bits: int, count: int = 6) -> dict[str, Array]:
    """Return arrays of random integers, the least and the largest among them."""
    rng, dtype = np.random.default_rng(7), np.dtype(f"int{bits}")
    limits = np.iinfo(dtype)
    names = [name for name in ("x", "y") if any(name in node.input for node in chain.nodes)]
    arrays = {f"{name}_in": rng.integers(limits.min, limits.max + 1, (count, *IMAGE)).astype(dtype) for name in names}
    for i, array in enumerate(arrays.values()):
        array[0], array[1] = (limits.min, limits.max) if i == 0 else (limits.max, limits.min)
        array[2] = rng.choice([limits.min, -1, 0, 1, limits.max], IMAGE)
    return {name: array.reshape(count, *IMAGE) for name, array in arrays.items()}


@pytest.mark.tosa
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("name", few(CHAINS, 3))
def test_chains_equal_onnxruntime_but_for_ties(name: str, bits: int) -> None:
    chain = CHAINS[name]
    settings = Settings(Format.TOSA, EngineName.TOSA, TosaOptions(Profile.INT))
    report = validate(load(chain.model(bits)), inputs=samples(chain, bits), settings=settings)
    assert report.passed, report.failures
    assert [output.max_lsb for output in report.outputs if output.max_lsb and output.max_lsb > 1] == []


@pytest.mark.tosa
@pytest.mark.parametrize("zero_point", [-7, -128])
@pytest.mark.parametrize("scale", [0.05, 0.011, 3.0])
def test_quotients_of_8_bits_equal_onnxruntime_by_0_too(scale: float, zero_point: int) -> None:
    chain = Chain((node("Div", "x y"),), scale, 2, zero_points=(3, zero_point))
    settings = Settings(Format.TOSA, EngineName.TOSA, TosaOptions(Profile.INT))
    report = validate(load(chain.model(8)), inputs=samples(chain, 8), settings=settings)
    assert report.passed, report.failures
    assert {layer.exact_non_ties for layer in report.layers} == {1.0}


@pytest.mark.tosa
def test_powers_of_8_bits_equal_onnxruntime() -> None:
    chain = Chain((node("Pow", "x y"),), 0.1, -128, zero_points=(-128, -7))
    settings = Settings(Format.TOSA, EngineName.TOSA, TosaOptions(Profile.INT))
    report = validate(load(chain.model(8)), inputs=samples(chain, 8), settings=settings)
    assert report.passed, report.failures
    assert {layer.exact for layer in report.layers} == {1.0}


@pytest.mark.parametrize("op_type", ["Div", "Pow"])
def test_quotients_and_powers_of_16_bits_are_refused(op_type: str) -> None:
    with pytest.raises(ConversionError, match="integers of 8 bits and floats"):
        in_tosa(Chain((node(op_type, "x y"),), 0.05), Profile.INT, 16)


CONTRACTIONS = [name for name in CHAINS if "Gemm" in name or "Conv" in name]


@pytest.mark.slow
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("name", CONTRACTIONS)
def test_vela_compiles_contractions(name: str, processor: str, bits: int, tmp_path: Path) -> None:
    compile_for(processor, CHAINS[name].model(bits), tmp_path)


@pytest.mark.parametrize(("bits", "count"), [(8, 1), (16, 2)])
def test_sums_that_fit_16_bits_are_multiplied_once(bits: int, count: int) -> None:
    """81 integers of 16 bits need two parts, those of 8 bits one."""
    text = in_tosa(CHAINS["GlobalAveragePool, Flatten, Gemm"], Profile.INT, bits)
    assert text.count('"tosa.conv2d"') == count


def in_tosa(chain: Chain, profile: Profile, bits: int = 8) -> str:
    return convert(load(chain.model(bits)), Format.TOSA, TosaOptions(profile)).text


def test_the_mixed_profile_computes_in_floats() -> None:
    assert "xf32" in in_tosa(CHAINS["LRN"], Profile.MIXED)
    assert "xf32" not in in_tosa(CHAINS["LRN"], Profile.INT)


STEEP = Chain((SUM, node("Mul", "a many", "c"), node("Sin", "c")), 1 / 127, known={"many": np.float32(3000)})
REFUSED = {
    "a product of 16-bit weights": (
        Chain(
            (POOL, node("Flatten", "p", "f"), DENSE, node("Gemm", "f w", transB=1)),
            0.03,
            known={**WEIGHTS, **{n: WEIGHTS[n].astype(np.int16) for n in ("w_in", "w_zero_point")}},
        ),
        "Gemm_r",
    ),
    "a product of computed values": (
        Chain((SUM, node("Tanh", "a", "t"), node("MatMul", "a t")), 0.5),
        "MatMul_r",
    ),
    "a root of numbers around 0": (Chain((SUM, node("Sqrt", "a")), 0.03), "Sqrt_r"),
    "a quotient by numbers around 0": (Chain((SUM, node("Div", "x a")), 0.03), "Div_r"),
    "a power of two values": (Chain((SUM, node("Pow", "a y")), 0.03), "Pow_r"),
    "a function too steep for its polynomials": (STEEP, "Sin_r"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_floats_without_integers_are_named(name: str) -> None:
    chain, named = REFUSED[name]
    with pytest.raises(FloatsRemainError, match=named):
        in_tosa(chain, Profile.INT)


def test_a_refusal_tells_the_bound_the_node_and_what_to_do() -> None:
    with pytest.raises(FloatsRemainError) as refused:
        in_tosa(STEEP, Profile.INT)
    for name in ("Add_a", "Mul_c", "Sin_r"):
        reason = refused.value.reasons[name]
        assert re.fullmatch(r"in integers 'Sin_r' may be \d.* LSB .* 0.25 .*: quantize a value .*", reason)


def test_a_function_that_is_not_finite_is_named_with_the_reason() -> None:
    with pytest.raises(FloatsRemainError) as refused:
        in_tosa(REFUSED["a root of numbers around 0"][0], Profile.INT)
    assert refused.value.reasons["Sqrt_r"].startswith("it is not finite")


@pytest.mark.slow
def test_a_long_chain_is_integers() -> None:
    """The integers of a chain are found by recursion, so that some of them are held on the way."""
    nodes = [SUM, *(node("Relu", f"a{i - 1}" if i else "a", f"a{i}") for i in range(600)), node("Tanh", "a599")]
    assert "xf32" not in in_tosa(Chain(tuple(nodes), 1 / 127), Profile.INT)


@pytest.mark.parametrize("bits", [16, 29])
def test_polynomials_are_within_their_bound(bits: int) -> None:
    domain, scale = Interval(-3.0, 5.0), 2.0**-28
    ends = (-3 << (bits - 3), (5 << (bits - 3)) - 1)
    made = Polynomials.fitted(np.tanh, domain, 2.0 ** (3 - bits), ends, scale)
    rest = np.random.default_rng(0).integers(0, 1 << made.bits, 50)
    reals = (made.start + np.arange(512)[:, None] * (1 << made.bits) + rest) * 2.0 ** (3 - bits)
    apart = np.abs(made.results(rest) * scale - np.tanh(reals)).max()
    assert apart <= made.error < 2.0**-21
    assert 1 <= made.steepness <= 2.1


def test_quantizers_end_a_chain() -> None:
    nodes = [SUM]
    for i in range(40):
        nodes += [node("Relu", "a" if not i else f"d{i - 1}", f"r{i}"), node("Mul", f"r{i} half", f"m{i}")]
        nodes += [_linear("QuantizeLinear", f"m{i}", f"q{i}", "x"), _linear("DequantizeLinear", f"q{i}", f"d{i}", "x")]
    chain = Chain((*nodes, node("Add", "d39 a", "s"), node("Relu", "s")), 0.05, known={"half": normal(8, 1, 1)})
    assert "xf32" not in in_tosa(chain, Profile.INT)


def by_channels(factors: Array, offsets: Array) -> Chain:
    """Return an affine function of each channel, as a BatchNormalization becomes one."""
    known = {"k": factors.astype(np.float32), "b": offsets.astype(np.float32)}
    return Chain((node("Mul", "x k", "m"), node("Add", "m b")), 0.06, -2, known)


@pytest.mark.slow
def test_affine_functions_of_channels_are_a_convolution_with_every_integer() -> None:
    """All 256 integers of each channel are tried; slopes have both signs, one is 0."""
    chain = by_channels(np.append(normal(8, seed=4), 0), normal(9, seed=5))
    text = in_tosa(chain, Profile.INT)
    assert "tosa.depthwise_conv2d" in text
    assert "tosa.mul" not in text
    every = np.broadcast_to(np.arange(-128, 128).reshape(4, 64, 1, 1).repeat(9, axis=-1), (4, 64, 1, 9))
    images = np.resize(every, (4, *IMAGE)).astype(np.int8)
    settings = Settings(Format.TOSA, options=TosaOptions(Profile.INT))
    report = validate(load(chain.model(8)), inputs={"x_in": images}, settings=settings)
    assert report.passed
    assert {layer.exact for layer in report.layers} == {1.0}


@pytest.mark.parametrize("op_type", ["Add", "Sub", "Mul"])
def test_a_quantized_constant_for_each_channel_makes_a_convolution(op_type: str) -> None:
    known = {"k_in": np.arange(-100, 101, 25).astype(np.int8), "k_scale": np.float32(0.013), "k_zero_point": np.int8(7)}
    nodes = (_linear("DequantizeLinear", "k_in", "k", "k"), node(op_type, "x k"))
    chain = Chain(nodes, 0.06, -2, known)
    assert "tosa.depthwise_conv2d" in in_tosa(chain, Profile.INT)
    assert "tosa.depthwise_conv2d" not in in_tosa(chain, Profile.MIXED)
    settings = Settings(Format.TOSA, options=TosaOptions(Profile.INT))
    report = validate(load(chain.model(8)), inputs=samples(chain, 8), settings=settings)
    assert report.passed, report.failures


def test_sums_of_scalars_have_no_channels() -> None:
    text = b"""func.func @main(%x: tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 0.6:3>> {
      %k = stablehlo.constant() <{value = dense<4> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.5>>
      %0 = stablehlo.add %x, %k : (tensor<!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>)
        -> tensor<!quant.uniform<i8:f32, 0.6:3>>
      return %0 : tensor<!quant.uniform<i8:f32, 0.6:3>>
    }"""
    written = convert(load(text), Format.TOSA, TosaOptions(Profile.INT)).text
    assert "tosa.add" in written or "tosa.table" in written


def test_channels_without_exact_weights_are_products() -> None:
    """An offset just beside a whole number is no quotient of a bias and a weight of 8 bits."""
    factors = np.linspace(1.1144, 1.1179, 9)
    text = in_tosa(by_channels(factors, 0.05 * factors * -19.998), Profile.INT)
    assert "tosa.depthwise_conv2d" not in text
    assert "tosa.mul" in text


def test_a_normalization_of_16_bits_is_a_product() -> None:
    assert "tosa.mul" in in_tosa(CHAINS["batch normalization"], Profile.INT, 16)
