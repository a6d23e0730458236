"""Types of integers and truth values that a schema of ONNX allows and onnxruntime 1.31 has no CPU kernels for.

Measured with models of one node of opset 21, without optimisation.
"""

from __future__ import annotations


def _tensors(*names: str) -> frozenset[str]:
    return frozenset(f"tensor({name})" for name in names)


_NIBBLES = ("int4", "uint4")
_WIDE_UNSIGNED = _tensors("uint32", "uint64")

LACKING: dict[str, frozenset[str]] = {
    **dict.fromkeys(("ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum"), _WIDE_UNSIGNED),
    **dict.fromkeys(("Max", "Min"), _tensors("int16", "uint16")),
    **dict.fromkeys(("Gemm", "PRelu"), _tensors("int32", "uint32", "int64", "uint64")),
    **dict.fromkeys(("Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"), _tensors(*_NIBBLES)),
    "BitShift": _tensors("uint16"),
    "Pad": _tensors(*_NIBBLES, "int16", "uint16"),
    "Relu": _tensors("int16", "int64"),
    "Where": _tensors("bool", "int16", "uint16", "uint64"),
}
"""The missing types of the main type variable of an operator: that of its first output."""
