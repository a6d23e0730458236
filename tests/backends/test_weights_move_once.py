"""The elements of a convolution's weights move once, however many layouts they have on their way to a file.

ONNX to ONNX, OIHW to HWIO and back, they do not move.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from qconvert import convert, load, save
from qconvert.formats import Format
from qconvert.ir import late

_CHANNELS = 128


def quantized_convolution() -> onnx.ModelProto:
    """Return a convolution of int8 whose weights, 144 KiB, stay in the file until they are written."""
    generator = np.random.default_rng(0)
    weights = generator.integers(-127, 128, (_CHANNELS, _CHANNELS, 3, 3), np.int8)
    constants = {"weights": weights, "weight_scale": np.float32(0.01), "scale": np.float32(0.05)}
    constants |= {"zero": np.int8(3), "no_zero": np.int8(0)}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["x_q"]),
        helper.make_node("DequantizeLinear", ["x_q", "scale", "zero"], ["x_r"]),
        helper.make_node("DequantizeLinear", ["weights", "weight_scale", "no_zero"], ["weights_r"]),
        helper.make_node("Conv", ["x_r", "weights_r"], ["sums"], name="conv"),
        helper.make_node("QuantizeLinear", ["sums", "scale", "zero"], ["y_q"]),
        helper.make_node("DequantizeLinear", ["y_q", "scale", "zero"], ["y"]),
    ]
    sizes = {"x": [1, _CHANNELS, 5, 5], "y": [1, _CHANNELS, 3, 3]}
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in sizes.items()]
    initializers = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "convolution", ports[:1], ports[1:], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def memory(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array that a view is a view of; it owns no memory if this is a file's."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


@pytest.mark.parametrize(("to", "moves"), [(Format.TFLITE, 1), (Format.ONNX, 0)])
def test_weights_move_once(to: Format, moves: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    onnx.save(quantized_convolution(), tmp_path / "model.onnx")
    moved: list[int] = []

    def row_major(array: NDArray[Any]) -> NDArray[Any]:
        ordered = late.row_major(array)
        if not np.shares_memory(ordered, array):
            moved.append(ordered.nbytes)
            assert not memory(array).flags.owndata, "the elements were copied before"
        return ordered

    monkeypatch.setattr(sys.modules["qconvert.ir.byte_pieces"], "row_major", row_major)
    model = load(tmp_path / "model.onnx")
    save(convert(model, to), tmp_path / f"written.{to.value}")
    assert sum(moved) == moves * _CHANNELS * _CHANNELS * 9
