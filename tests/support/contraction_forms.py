"""The windows of ONNX's convolutions and the shapes of its matrix products that the tables of operators try."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WINDOWS: tuple[Mapping[str, Any], ...] = (
    {},
    {"strides": [2, 3]},
    {"pads": [1, 0, 2, 1]},
    {"dilations": [2, 3], "pads": [1, 1, 1, 1]},
    {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
    {"auto_pad": "SAME_LOWER", "strides": [2, 3]},
    {"auto_pad": "VALID", "strides": [2, 2]},
    {"kernel_shape": [3, 2]},
)
TRANSPOSED: tuple[Mapping[str, Any], ...] = (
    {},
    {"strides": [2, 3]},
    {"strides": [4, 4]},
    {"strides": [2, 3], "pads": [1, 0, 1, 1]},
    {"strides": [2, 3], "output_padding": [1, 2]},
    {"dilations": [2, 3]},
    {"dilations": [2, 3], "strides": [2, 1], "pads": [2, 1, 0, 1]},
    {"pads": [3, 3, 3, 2]},
    {"auto_pad": "VALID", "strides": [2, 2]},
    *({"auto_pad": mode, "strides": strides} for mode in ("SAME_UPPER", "SAME_LOWER") for strides in ([2, 2], [3, 2])),
    {"auto_pad": "SAME_UPPER", "strides": [4, 3]},
    *({"auto_pad": mode, "strides": [2, 2], "output_shape": [8, 9]} for mode in ("NOTSET", "SAME_UPPER", "SAME_LOWER")),
    {"strides": [2, 2], "output_padding": [1, 1], "output_shape": [10, 11]},
)
SHAPES = (
    ((4, 5), (5, 6)),
    ((3, 4, 5), (5, 6)),
    ((3, 4, 5), (3, 5, 6)),
    ((2, 3, 4, 5), (5, 6)),
    ((2, 3, 4, 5), (3, 5, 6)),
    ((2, 1, 4, 5), (3, 5, 6)),
    ((4, 5), (3, 5, 6)),
    ((5,), (5,)),
    ((5,), (5, 6)),
    ((4, 5), (5,)),
    ((5,), (3, 5, 6)),
    ((3, 4, 5), (5,)),
    ((2, 3, 4, 5), (5,)),
)
