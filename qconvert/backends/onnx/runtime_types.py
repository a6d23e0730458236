"""The types in which an operator computes exactly what it would in a type that onnxruntime has no kernel for."""

from __future__ import annotations

_MOVING = ("Expand", "Flatten", "Identity", "Pad", "Reshape", "Squeeze", "Tile", "Unsqueeze", "Where")
_ORDERING = (
    "ArgMax",
    "ArgMin",
    "Clip",
    "Div",
    "Max",
    "Min",
    "Mod",
    "ReduceMax",
    "ReduceMin",
    "Relu",
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "Less",
    "LessOrEqual",
)
_WRAPPING = ("Add", "MatMul", "Mul", "Neg", "Sub")
_WIDER = {"uint8": 8, "int8": 8, "int32": 32, "double": 54, "int64": 64}
"""Types that are tried in place of a missing one, with the bits of the integers that they hold.

float64 is tried before int64, of which onnxruntime's Max and Min are wrong (:mod:`qconvert.backends.onnx.wrapping`).
"""


def wider_types(operator: str, element: str) -> tuple[str, ...]:
    """Return types in which an operator, with a Cast to them and a Cast back, computes exactly what it would in a type.

    bfloat16 has so few bits that a result rounded to float32 first is rounded the same. Operators that move elements
    keep their bits, sums and products wrap around: as many bits are enough. An order needs every number of the type.
    onnxruntime's ReduceSum adds in float64 and saturates: a sum of integers of 32 bits, which wraps around, is exact in
    64 bits, of up to two million elements.
    """
    if element == "bfloat16":
        return ("float",)
    if element == "bool" or element.startswith("float8"):
        narrow = tuple(_WIDER) if element == "bool" else ("float16", "float")
        return narrow if operator in _MOVING else ()
    if "int" not in element:
        return ()
    if operator == "ReduceSum":
        return ("int64",) if _bits(element) <= 32 else ()
    if operator not in (*_MOVING, *_ORDERING, *_WRAPPING):
        return ()
    is_unsigned = element.startswith("u")
    bits = _bits(element) + (operator in _ORDERING and is_unsigned)
    exact = [wide for wide, most in _WIDER.items() if wide != "uint8" and most >= bits]
    exact = [wide for wide in exact if wide != "double" or operator not in _WRAPPING]
    return ("uint8", *exact) if is_unsigned and _bits(element) < 8 else tuple(exact)


def _bits(element: str) -> int:
    return int(element.partition("int")[2])
