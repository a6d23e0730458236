"""A model made of weights: a chain of quantized MatMuls of a given size.

``python -m benchmarks.models OUT.onnx MEGABYTES [ROWS]`` writes it, of more than 1 GB with the weights in a file beside
it. ``ROWS`` is the size of each square matrix, 2048 by default.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

WIDTH = 2048
_INSIDE_MEGABYTES = 1000
_SPREAD = 90
"""Each layer's values are as far apart as its inputs, or more, so that the last layer's are no constant."""


def write_large_model(path: Path, megabytes: int, width: int = WIDTH, *, beside: bool = False) -> int:
    """Write a QDQ int8 model of about so many megabytes of weights; returns their bytes.

    Few weights are inside the file, unless they are to be ``beside`` it; more go to a file beside it, one at a time.
    """
    with ExitStack() as stack:
        is_beside = beside or megabytes > _INSIDE_MEGABYTES
        data = stack.enter_context(path.with_suffix(".data").open("wb")) if is_beside else None
        layers = max(1, megabytes * 1_000_000 // (width * width))
        path.write_bytes(_chain(layers, width, data).SerializeToString())
    return layers * width * width


def _chain(layers: int, width: int, data: IO[bytes] | None) -> ModelProto:
    generator = np.random.default_rng(0)
    nodes: list[NodeProto] = [_linear("QuantizeLinear", "x", "q0", "s", "z")]
    initializers = [_tensor(np.float32(0.05), "s"), _tensor(np.int8(3), "z"), _tensor(np.zeros(width, np.int8), "wz")]
    for i in range(layers):
        weight = generator.integers(-127, 128, (width, width), np.int8)
        scales = (generator.uniform(1, 2, width) / (_SPREAD * np.sqrt(width))).astype(np.float32)
        initializers += [_weight(weight, f"w{i}", data), _tensor(scales, f"ws{i}")]
        nodes += [
            _linear("DequantizeLinear", f"q{i}", f"x{i}", "s", "z"),
            _linear("DequantizeLinear", f"w{i}", f"wf{i}", f"ws{i}", "wz", axis=1),
            helper.make_node("MatMul", [f"x{i}", f"wf{i}"], [f"y{i}"], f"matmul{i}"),
            _linear("QuantizeLinear", f"y{i}", f"q{i + 1}", "s", "z"),
        ]
    nodes.append(_linear("DequantizeLinear", f"q{layers}", "y", "s", "z"))
    shape = (1, width)
    graph = helper.make_graph(
        nodes,
        "large",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        initializers,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def _weight(array: NDArray[np.int8], name: str, data: IO[bytes] | None) -> TensorProto:
    """Return a tensor that holds its elements, or has its place in a file, to which they are written."""
    if data is None:
        return _tensor(array, name)
    place = {"location": Path(data.name).name, "offset": str(data.tell()), "length": str(array.nbytes)}
    data.write(array.data)
    proto = TensorProto(name=name, data_type=TensorProto.INT8, dims=array.shape, data_location=TensorProto.EXTERNAL)
    for key, value in place.items():
        proto.external_data.add(key=key, value=value)
    return proto


def _linear(op_type: str, source: str, target: str, scale: str, zero_point: str, **attributes: int) -> NodeProto:
    return helper.make_node(op_type, [source, scale, zero_point], [target], f"{op_type}:{target}", **attributes)


def _tensor(array: np.typing.ArrayLike, name: str) -> TensorProto:
    return numpy_helper.from_array(np.asarray(array), name)


if __name__ == "__main__":
    write_large_model(Path(sys.argv[1]), *map(int, sys.argv[2:4]))
