"""Time that must grow linearly: long chains, ten times as many nodes beside the time of the shorter ones.

``python -m benchmarks.growth`` measures this alone. The ratio of 100,000 nodes to 10,000 may be 12 at most.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from benchmarks.measure import Row, cheapest, module_command, print_rows

_FEW, _TIMES = 10_000, 10
_ADDITIONS = 2_000
_SHAPE = (1, 8)


def relus(count: int) -> ModelProto:
    """A chain of Relu nodes."""
    nodes = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"], f"relu{i}") for i in range(count)]
    return _model(nodes, "v0", f"v{count}")


def additions(count: int) -> ModelProto:
    """A chain of quantized additions, all of which add the same dequantized value."""
    nodes = [_cast("Quantize", "x", "q"), _cast("Dequantize", "q", "d")]
    last = "d"
    for i in range(count):
        nodes += [
            helper.make_node("Add", ["d", last], [f"a{i}"], f"add{i}"),
            _cast("Quantize", f"a{i}", f"q{i}"),
            _cast("Dequantize", f"q{i}", f"d{i}"),
        ]
        last = f"d{i}"
    return _model(nodes, "x", last)


def _cast(kind: str, source: str, target: str) -> NodeProto:
    return helper.make_node(f"{kind}Linear", [source, "scale", "zero"], [target])


def _model(nodes: list[NodeProto], source: str, target: str) -> ModelProto:
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, _SHAPE) for name in (source, target)]
    constants = [numpy_helper.from_array(np.float32(0.05), "scale"), numpy_helper.from_array(np.int8(3), "zero")]
    graph = helper.make_graph(nodes, "growth", ports[:1], ports[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


CASES: tuple[tuple[str, Callable[[int], ModelProto], int, str], ...] = (
    ("Relu nodes to StableHLO", relus, _FEW, "mlir"),
    ("Relu nodes to TOSA", relus, _FEW, "tosa.mlir"),
    ("QDQ additions of one value to TOSA", additions, _ADDITIONS, "tosa.mlir"),
)


def growth_rows(folder: Path) -> list[Row]:
    """One row for each chain, ten times as long as its peer."""
    return [_row(folder, *case) for case in CASES]


def _row(folder: Path, what: str, make: Callable[[int], ModelProto], few: int, suffix: str) -> Row:
    commands = []
    for count in (few * _TIMES, few):
        model = folder / f"{make.__name__}{count}.onnx"
        model.write_bytes(make(count).SerializeToString())
        commands.append(module_command("qconvert", "convert", str(model), "-o", str(folder / f"growth.{suffix}")))
    many, one = cheapest(commands, 1)
    return Row.of_costs(f"convert {few * _TIMES:,} {what}", many, f"{few:,}", one)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print_rows(growth_rows(Path(name)))
