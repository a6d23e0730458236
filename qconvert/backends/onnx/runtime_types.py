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
    **dict.fromkeys(("ArgMax", "ArgMin"), _tensors("int16", "uint16") | _WIDE_UNSIGNED),
    **dict.fromkeys(("Max", "Min"), _tensors("int16", "uint16")),
    **dict.fromkeys(("Gemm", "PRelu"), _tensors("int32", "uint32", "int64", "uint64")),
    **dict.fromkeys(("Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"), _tensors(*_NIBBLES)),
    "BitShift": _tensors("uint16"),
    "Pad": _tensors(*_NIBBLES, "int16", "uint16"),
    "Relu": _tensors("int16", "int64"),
    "Where": _tensors("bool", "int16", "uint16", "uint64"),
}
"""The missing types of the elements of an operator."""

_MOVING = ("Flatten", "Identity", "Pad", "Reshape", "Squeeze", "Unsqueeze", "Where")
_ORDERING = ("ArgMax", "ArgMin", "Max", "Min", "ReduceMax", "ReduceMin", "Relu")
_WIDER = {"uint8": 8, "int8": 8, "int32": 32, "double": 54, "int64": 64}
"""Types that are tried in place of a missing one, with the bits of the integers that they hold.

float64 is tried first, because onnxruntime's ReduceMax and ReduceMin of int64 are wrong beyond 31 bits along the last
dimension.
"""


def wider_types(operator: str, element: str) -> tuple[str, ...]:
    """Return types in which an operator, with a Cast to them and a Cast back, is exact for integers of a type.

    Operators that move elements keep their bits, products wrap around: as many bits are enough. An order needs every
    number of the type. onnxruntime's ReduceSum adds in float64 and saturates: a sum of integers of 32 bits, which wraps
    around, is exact in 64 bits, of up to two million elements.
    """
    if element == "bool":
        return tuple(_WIDER) if operator in _MOVING else ()
    if "int" not in element:
        return ()
    if operator == "ReduceSum":
        return ("int64",) if _bits(element) <= 32 else ()
    if operator not in (*_MOVING, *_ORDERING, "MatMul"):
        return ()
    is_unsigned = element.startswith("u")
    bits = _bits(element) + (operator in _ORDERING and is_unsigned)
    signed = [wide for wide, most in _WIDER.items() if wide != "uint8" and most >= bits]
    return ("uint8", *signed) if is_unsigned and _bits(element) < 8 else tuple(signed)


def _bits(element: str) -> int:
    return int(element.partition("int")[2])
