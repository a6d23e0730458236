"""A model made of weights: a chain of quantized MatMuls of a given size."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

WIDTH = 2048


def write_large_model(path: Path, megabytes: int) -> int:
    """Write a QDQ int8 model of about so many megabytes of weights, all inside the file; returns their bytes."""
    generator = np.random.default_rng(0)
    layers = max(1, megabytes * 1_000_000 // (WIDTH * WIDTH))
    nodes: list[NodeProto] = [_linear("QuantizeLinear", "x", "q0", "s", "z")]
    initializers = [_tensor(np.float32(0.05), "s"), _tensor(np.int8(3), "z"), _tensor(np.zeros(WIDTH, np.int8), "wz")]
    for i in range(layers):
        weight = generator.integers(-127, 128, (WIDTH, WIDTH), np.int8)
        scales = generator.uniform(1e-4, 2e-4, WIDTH).astype(np.float32)
        initializers += [_tensor(weight, f"w{i}"), _tensor(scales, f"ws{i}")]
        nodes += [
            _linear("DequantizeLinear", f"q{i}", f"x{i}", "s", "z"),
            _linear("DequantizeLinear", f"w{i}", f"wf{i}", f"ws{i}", "wz", axis=1),
            helper.make_node("MatMul", [f"x{i}", f"wf{i}"], [f"y{i}"], f"matmul{i}"),
            _linear("QuantizeLinear", f"y{i}", f"q{i + 1}", "s", "z"),
        ]
    nodes.append(_linear("DequantizeLinear", f"q{layers}", "y", "s", "z"))
    shape = (1, WIDTH)
    graph = helper.make_graph(
        nodes,
        "large",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    path.write_bytes(model.SerializeToString())
    return layers * WIDTH * WIDTH


def _linear(op_type: str, source: str, target: str, scale: str, zero_point: str, **attributes: int) -> NodeProto:
    return helper.make_node(op_type, [source, scale, zero_point], [target], f"{op_type}:{target}", **attributes)


def _tensor(array: np.typing.ArrayLike, name: str) -> TensorProto:
    return numpy_helper.from_array(np.asarray(array), name)


if __name__ == "__main__":
    write_large_model(Path(sys.argv[1]), int(sys.argv[2]))
