"""A 16-bit exponential in TFLite: LiteRT's kernel interpolates between 513 values, so floats compute it."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from qconvert import EngineName, Format, convert, load
from qconvert.backends.base import Profile
from qconvert.backends.tflite import TfliteOptions
from qconvert.engines.modules import Program
from qconvert.formats import FORMATS
from qconvert.support.errors import EngineError


def exponential(scale: float, result_scale: float) -> bytes:
    """Exp of int16 between a dequantize and a quantize."""
    scales = {"xs": scale, "ys": result_scale}
    constants = [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in scales.items()]
    constants.append(numpy_helper.from_array(np.asarray(0, np.int16), "z"))
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "xs", "z"], ["xf"]),
        helper.make_node("Exp", ["xf"], ["yf"], "exp"),
        helper.make_node("QuantizeLinear", ["yf", "ys", "z"], ["y"]),
    ]
    ports = [helper.make_tensor_value_info(name, TensorProto.INT16, [4001]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "exponential", ports[:1], ports[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString()


@pytest.mark.litert
def test_a_narrow_range_of_16_bits_is_rounded_to_the_nearest_integers() -> None:
    """The integers are a small part of 16 bits: the kernel's 513 values lie 128 integers apart."""
    content, x = exponential(2**-9, 2**-9), np.arange(-2000, 2001).astype(np.int16)
    written = convert(load(content), Format.TFLITE)
    assert written.content is not None
    [answer] = FORMATS[Format.TFLITE].run_programs(EngineName.LITERT, [Program(written.content, [[x]])])
    assert not isinstance(answer, EngineError)
    expected = np.clip(np.rint(np.exp(x * 2.0**-9) * 2**9), -(2**15), 2**15 - 1)
    apart = np.abs(answer[0][0] - expected)
    assert apart.max() <= 1
    assert (apart > 0).mean() <= 0.005, "an exponential in float32 has 0.002 LSB too few or too many"


def test_the_kernel_stays_where_floats_are_refused() -> None:
    written = convert(load(exponential(2**-9, 2**-9)), Format.TFLITE, TfliteOptions(profile=Profile.INT))
    assert [each.name for each in written.operators] == ["EXP"]
