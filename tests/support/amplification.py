"""Small models that ask for gigabytes, converted in a process that may not have them.

Prints one JSON object: what became of each. Run by ``test_amplification.py``.
"""

from __future__ import annotations

import gc
import json
import resource
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

from qconvert import api
from qconvert.support.errors import QConvertError

ADDRESS_SPACE = 1_500_000_000
node = helper.make_node
PARAMETERS: dict[str, Any] = {"s": np.float32(0.1), "z": np.int8(1), "one": np.float32(1)}


class Sink:
    """Takes text and keeps its length."""

    def __init__(self) -> None:
        self.length = 0

    def write(self, text: str) -> int:
        self.length += len(text)
        return len(text)


def model(
    nodes: Sequence[NodeProto],
    constants: Mapping[str, Any],
    shape: Sequence[int] = (1, 4),
    outputs: Sequence[str] = ("y",),
) -> bytes:
    graph = helper.make_graph(
        nodes,
        "amplifying",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(np.asarray(v), k) for k, v in {**PARAMETERS, **constants}.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString()


def of_splat(size: Sequence[int], *nodes: NodeProto, **constants: Any) -> bytes:
    """Nodes that make ``B`` of ``A``, which is one value ``size`` times, and ``y`` of the sum of ``B`` and ``x``."""
    ends = [node("ReduceSum", ["B"], ["sum"], keepdims=0), node("Add", ["sum", "x"], ["y"])]
    return model([node("ConstantOfShape", ["a"], ["A"]), *nodes, *ends], {"a": np.int64(size), **constants})


def rounded(source: str, target: str, **attributes: int) -> tuple[NodeProto, NodeProto]:
    return (
        node("QuantizeLinear", [source, "s", "z"], [f"{target}_q"], **attributes),
        node("DequantizeLinear", [f"{target}_q", "s", "z"], [target], **attributes),
    )


QUANTIZED = """
func.func @main(%x: tensor<1099511627776x4xf32>) -> tensor<1099511627776x4xf32> {
  %s = stablehlo.constant dense<0.05> : tensor<1099511627776x4xf32>
  %z = stablehlo.constant dense<3.0> : tensor<1099511627776x4xf32>
  %l = stablehlo.constant dense<-128.0> : tensor<1099511627776x4xf32>
  %h = stablehlo.constant dense<127.0> : tensor<1099511627776x4xf32>
  %1 = stablehlo.divide %x, %s : tensor<1099511627776x4xf32>
  %2 = stablehlo.round_nearest_even %1 : tensor<1099511627776x4xf32>
  %3 = stablehlo.add %2, %z : tensor<1099511627776x4xf32>
  %4 = stablehlo.clamp %l, %3, %h : tensor<1099511627776x4xf32>
  %5 = stablehlo.subtract %4, %z : tensor<1099511627776x4xf32>
  %6 = stablehlo.multiply %5, %s : tensor<1099511627776x4xf32>
  return %6 : tensor<1099511627776x4xf32>
}"""
UNARY = ("Exp", "Neg", "Sqrt", "Abs", "Floor", "Ceil", "Log", "Tanh", "Erf", "Sigmoid")
CASES: dict[str, bytes] = {
    "fake quantization of 2^42": QUANTIZED.encode(),
    "quantize 2^26": of_splat([2**26], *rounded("A", "B")),
    "quantize 2^30": of_splat([2**30], *rounded("A", "B")),
    "transpose dequantized 2^31": of_splat([2**16, 2**15], *rounded("A", "d"), node("Transpose", ["d"], ["B"])),
    "Exp 2^24, sixty times": of_splat(
        [2**24],
        *(node("Exp", [f"A{i}" if i else "A"], [f"A{i + 1}"]) for i in range(60)),
        node("Neg", ["A60"], ["B"]),
    ),
    "sixty functions of 2^22": model(
        [
            node("ConstantOfShape", ["a"], ["A"]),
            node("Exp", ["A"], ["B"]),
            *(node(op_type, ["B"], [f"y{i}"]) for i, op_type in enumerate(UNARY * 6)),
        ],
        {"a": np.int64([2**22])},
        outputs=[f"y{i}" for i in range(60)],
    ),
    "Concat by four, six times": of_splat(
        [2**18],
        *(node("Concat", [f"A{i}" if i else "A"] * 4, [f"A{i + 1}"], axis=0) for i in range(6)),
        node("Neg", ["A6"], ["B"]),
    ),
    "MatMul of 2^30": model(
        [
            node("Expand", ["one", "a"], ["A"]),
            node("Expand", ["one", "b"], ["B"]),
            node("MatMul", ["A", "B"], ["C"]),
            node("Add", ["C", "x"], ["y"]),
        ],
        {"a": np.int64([1, 2**30]), "b": np.int64([2**30, 1])},
    ),
    "Softmax of 2^28": of_splat([2**28], node("Softmax", ["A"], ["B"])),
    "2^28 scales": model(
        [
            node("ConstantOfShape", ["a"], ["S"], value=numpy_helper.from_array(np.float32([0.1]))),
            node("QuantizeLinear", ["x", "S"], ["q"], axis=0),
            node("DequantizeLinear", ["q", "S"], ["y"], axis=0),
        ],
        {"a": np.int64([2**28])},
        shape=[2**28],
    ),
    "Gather at 2^28": model(
        [
            node("ConstantOfShape", ["a"], ["I"], value=numpy_helper.from_array(np.int64([0]))),
            node("Gather", ["x", "I"], ["y"], axis=1),
        ],
        {"a": np.int64([2**28])},
    ),
    "Resize to 2^29": model(
        [node("Resize", ["x", "", "k"], ["y"], mode="linear")],
        {"k": np.float32([1, 1, 4096, 8192])},
        shape=(1, 1, 4, 4),
    ),
    "AveragePool over 2^30": model(
        [node("AveragePool", ["x"], ["y"], kernel_shape=[2, 2], pads=[1, 1, 1, 1])], {}, shape=(1, 1, 2**15, 2**15 - 3)
    ),
    "AveragePool with a kernel of 2^14": model(
        [node("AveragePool", ["x"], ["y"], kernel_shape=[2**14], pads=[2**13, 2**13])], {}, shape=(1, 1, 2**15)
    ),
}


def outcome(data: bytes) -> str:
    sink = Sink()
    try:
        api.convert(api.load(data)).write(sink)  # type: ignore[arg-type] # all a conversion does is write
    except QConvertError as error:
        return str(error)
    except MemoryError as error:
        return f"no memory: {error}"
    return "converted" if sink.length < 10_000_000 else f"{sink.length} characters"


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    found = {}
    for name, data in CASES.items():
        found[name] = outcome(data)
        gc.collect()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
