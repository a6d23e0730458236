"""Recurrent layers of ONNX between quantizers, computed in integers in TOSA's int profile, beside onnxruntime."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from qconvert import EngineName, Format, convert, load, validate
from qconvert.backends.base import Profile
from qconvert.backends.tosa import TosaOptions
from qconvert.dialects import tosa
from qconvert.support.errors import FloatsRemainError
from qconvert.validation import Settings
from tests.backends.test_tosa_fixed_point import SUM, Chain, in_tosa, node, normal, samples
from tests.support.ethos_u import compile_for
from tests.support.parameters import few


def recurrent(kind: str, steps: int, *, axis: bool = False, **attributes: Any) -> Chain:
    """Return a recurrent layer of 8 units by quantized weights over rows of 'x'; ``axis``: a scale for each row."""
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[kind]
    scales = np.float32(0.004) * (1 + np.arange(8 * gates) % 3) / 2 if axis else np.float32(0.004)
    known = {
        "w_in": np.clip(normal(1, gates * 8, 9) * 40, -127, 127).astype(np.int8),
        "u_in": np.clip(normal(1, gates * 8, 8, seed=1) * 40, -127, 127).astype(np.int8),
        "s": np.asarray(scales, np.float32),
        "z": np.zeros(np.shape(scales), np.int8),
        "bias": normal(1, 16 * gates, seed=2) / 10,
        "zero": np.array([0]),
        "one": np.array([1]),
        "steps": np.array([steps]),
    }
    nodes = [SUM, node("Squeeze", "a zero", "rows"), node("Slice", "rows zero steps zero", "some")]
    nodes += [node("DequantizeLinear", f"{name}_in s z", name, axis=1) for name in ("w", "u")]
    nodes += [node(kind, "some w u bias", "h", hidden_size=8, **attributes), node("Squeeze", "h one")]
    return Chain(tuple(nodes), 1 / 128, 0, known)


def of_steps(kind: str, steps: int, *, gain: float = 1.0, **attributes: Any) -> Chain:
    """Return a recurrent layer over the first rows of 9 numbers of 'x' + 'y'; ``gain`` is a factor on its weights."""
    chain = recurrent(kind, 8, **attributes)
    first = [node("Reshape", "a all", "row"), node("Slice", "row zero count zero", "part")]
    known = {"all": np.array([-1]), "count": np.array([9 * steps]), "sizes": np.array([steps, 1, 9])}
    known["s"] = chain.known["s"] * np.float32(gain)
    nodes = (SUM, *first, node("Reshape", "part sizes", "some"), *chain.nodes[3:])
    return replace(chain, nodes=nodes, known={**chain.known, **known})


RECURRENT: dict[str, Chain] = {
    "RNN of 8 steps": recurrent("RNN", 8),
    "RNN of Relu": recurrent("RNN", 2, activations=["Relu"]),
    "GRU": recurrent("GRU", 3),
    "GRU with scales for each row": recurrent("GRU", 2, axis=True),
    "GRU, linear before reset": recurrent("GRU", 2, linear_before_reset=1),
    "LSTM": recurrent("LSTM", 3),
    "LSTM with scales for each row": recurrent("LSTM", 2, axis=True),
}


@pytest.mark.tosa
@pytest.mark.parametrize("name", few(RECURRENT, 1))
def test_short_recurrent_layers_equal_onnxruntime_but_for_ties(name: str) -> None:
    chain = RECURRENT[name]
    settings = Settings(Format.TOSA, EngineName.TOSA, TosaOptions(Profile.INT))
    report = validate(load(chain.model(8)), inputs=samples(chain, 8), settings=settings)
    assert report.passed, report.failures
    assert [output.max_lsb for output in report.outputs if output.max_lsb and output.max_lsb > 1] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", RECURRENT)
def test_vela_compiles_recurrent_layers(name: str, tmp_path: Path) -> None:
    compile_for("ethos-u85-256", RECURRENT[name].model(8), tmp_path)


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("profile", [Format.STABLEHLO, Format.TOSA])
@pytest.mark.quick(2)
def test_recurrent_layers_between_quantizers_are_read(kind: str, profile: Format) -> None:
    """They were taken for ops on quantized values, which made modules that are not valid."""
    assert "xf32" in convert(load(recurrent(kind, 8).model(8)), profile).text


LONG: dict[str, tuple[Chain, int]] = {
    "GRU of 16 steps": (of_steps("GRU", 16), 6),
    "LSTM of 16 steps": (of_steps("LSTM", 16), 6),
    "GRU of 16 steps, linear before reset": (of_steps("GRU", 16, gain=0.2, linear_before_reset=1), 3),
    "RNN of 64 steps": (of_steps("RNN", 64), 3),
    "GRU of 50 steps": (of_steps("GRU", 50), 3),
    "LSTM of 50 steps": (of_steps("LSTM", 50), 3),
}
"""Layers with the number of samples. Some have a bound, the errors of others are measured."""


@pytest.mark.usual(2)
@pytest.mark.tosa
@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_long_recurrent_layers_equal_onnxruntime_but_for_ties(name: str, tmp_path: Path) -> None:
    chain, count = LONG[name]
    settings = Settings(Format.TOSA, EngineName.TOSA, TosaOptions(Profile.INT))
    report = validate(load(chain.model(8)), inputs=samples(chain, 8, count), settings=settings)
    assert report.passed, report.failures
    assert report.outputs[0].max_lsb == 0
    [layer] = report.layers
    stated = layer.bound if layer.measured is None else layer.measured
    assert stated is not None
    assert stated < 0.25
    if "16 steps" in name:  # more steps are more of the same ops
        compile_for("ethos-u85-256", chain.model(8), tmp_path)


@pytest.mark.slow
def test_steps_share_the_tables_of_their_functions() -> None:
    """Each has four of 1 kB; the first steps, whose states have smaller intervals, have their own."""
    counts = []
    for steps in (12, 15):
        module = convert(load(of_steps("LSTM", steps).model(8)), Format.TOSA, TosaOptions(Profile.INT)).module
        tables = [op.table for op in module.walk() if isinstance(op, tosa.TableOp)]
        assert len(tables) > 18 * steps
        counts.append(len(set(tables)))
    assert counts[0] == counts[1] < 80


@pytest.mark.slow
def test_a_layer_whose_errors_are_too_large_is_refused_with_what_was_measured() -> None:
    """An LSB of 16 bits is 256 times as fine."""
    with pytest.raises(FloatsRemainError) as refused:
        in_tosa(of_steps("LSTM", 16), Profile.INT, 16)
    reason = refused.value.reasons["LSTM_h"]
    assert re.match(r"in integers 'LSTM_h' was 0\.\d+ LSB .* on some input, .*: quantize", reason)


def test_integers_of_functions_are_limited_to_where_results_change() -> None:
    """Far from 0 a sigmoid is 0 or 1: its polynomials need not reach there."""
    steep = Chain((SUM, node("Mul", "a many", "c"), node("Sigmoid", "c")), 1 / 256, -128, {"many": np.float32(1000)})
    assert '"tosa.table"' in in_tosa(steep, Profile.INT)
    assert '"tosa.minimum"' in in_tosa(steep, Profile.INT)
    assert '"tosa.minimum"' not in in_tosa(replace(steep, known={"many": np.float32(0.1)}), Profile.INT)


def test_a_layer_between_floats_is_refused_with_what_to_quantize() -> None:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (4, 1, 9))
    known = {"w": normal(1, 32, 9), "u": normal(1, 32, 8), "s": np.float32(1 / 128), "z": np.int8(0)}
    nodes = [node("LSTM", "x w u", "h", hidden_size=8), node("QuantizeLinear", "h s z")]
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in known.items()]
    graph = helper.make_graph(nodes, "layer", [x], [helper.make_empty_tensor_value_info("r")], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    with pytest.raises(FloatsRemainError) as refused:
        convert(load(model.SerializeToString()), Format.TOSA, TosaOptions(Profile.INT))
    assert refused.value.reasons["LSTM_h"] == "its activations have no scale: quantize them statically"


def of_floats(chain: Chain) -> Chain:
    """Return the layer with float weights, as onnxruntime's quantizer leaves them."""
    nodes = tuple(each for each in chain.nodes if each.op_type != "DequantizeLinear")
    floats = {name: (chain.known[f"{name}_in"] * np.float32(0.0043)).astype(np.float32) for name in ("w", "u")}
    return replace(chain, nodes=nodes, known={**chain.known, **floats})


@pytest.mark.tosa
@pytest.mark.parametrize("kind", few(["GRU", "LSTM"], 1))
def test_float_weights_are_integers_of_24_bits(kind: str, tmp_path: Path) -> None:
    chain = of_floats(of_steps(kind, 4))
    settings = Settings(Format.TOSA, EngineName.TOSA, TosaOptions(Profile.INT))
    report = validate(load(chain.model(8)), inputs=samples(chain, 8, 3), settings=settings)
    assert report.passed, report.failures
    assert report.outputs[0].max_lsb == 0
    compile_for("ethos-u85-256", chain.model(8), tmp_path)
