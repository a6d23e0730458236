"""Operators of ONNX that make and change shapes, pad and cast, and the differences allowed to onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper, numpy_helper

from tests.cases.movement import ints, moved
from tests.support.onnx_cases import Array, Known, Quantization, Quantized, one_op, random
from tests.support.operator_rows import Row, spelled

DTYPES: tuple[Any, ...] = (
    np.float32,
    np.float16,
    np.uint8,
    np.int8,
    np.uint16,
    np.int16,
    np.int32,
    np.int64,
    np.bool_,
)
ROWS = Quantization([0.1, 0.2, 0.4, 0.8], [0, 0, 0, 0], axis=0)


def castable(source: Any, target: Any) -> Array:
    """Return elements whose cast is defined: that of a negative float to an unsigned integer is not."""
    data = random(50, dtype=source)
    is_defined = np.dtype(source).kind != "f" or np.dtype(target).kind != "u"
    return data if is_defined else np.abs(data)


def cast(source: Any, target: Any, opset: int) -> Row:
    to = helper.np_dtype_to_tensor_dtype(np.dtype(target))
    return Row(one_op("Cast", [castable(source, target)], opset=opset, to=to))


def with_axes(op_type: str, data: Array, axes: tuple[int, ...] | None, opset: int, rank: int) -> Row:
    """Return a Squeeze or Unsqueeze: its axes are an attribute before opset 13, and not negative."""
    if opset >= 13:
        return moved(op_type, data, *([] if axes is None else [ints(*axes)]), opset=opset)
    attributes = {} if axes is None else {"axes": [axis % rank for axis in axes]}
    return moved(op_type, data, opset=opset, **attributes)


CONSTANTS: dict[str, dict[str, Any]] = {
    "of floats": {"value": numpy_helper.from_array(random(2, 3))},
    "of bytes": {"value": numpy_helper.from_array(np.asarray([1, 2], np.uint8))},
    "of a float": {"value_float": 1.5},
    "of a list of floats": {"value_floats": [1.5, 2.0]},
    "of an integer": {"value_int": -3},
    "of a list of integers": {"value_ints": [1, 2, 3]},
}
PADS = ((1, 2, 3, 1), (0, 1, 0, 2), (-1, 0, 2, -2), (0, 0, 0, 0), (2, -3, 1, 1))
_HALF = Known(np.float32(0.5))
ONNX: dict[str, Row] = {
    **{
        f"Reshape {target} of opset {opset}": moved("Reshape", random(2, 3, 4), ints(*target), opset=opset)
        for opset in (7, 13, 14, 19, 21, 25)
        for target in ((4, 6), (0, -1), (-1,), (2, 0, 4, 1), (1, 1, 24))
    },
    "Reshape with zeros that mean zero": Row(one_op("Reshape", [Known(random(3, 0)), ints(0, 7)], allowzero=1)),
    "Reshape to a scalar": moved("Reshape", random(1, 1), Known(np.zeros(0, np.int64))),
    "Reshape that mixes rows of other scales": moved(
        "Reshape",
        Quantized(random(4, 6, dtype=np.int8), ROWS),
        ints(3, 8),
        in_tosa=False,
        result=Quantization(0.1, -7),
    ),
    **{
        f"Flatten {axis} of opset {opset}": moved("Flatten", random(2, 3, 4), opset=opset, axis=axis)
        for axis in (0, 1, 2, 3, -1)
        for opset in (11, 13, 25)
    },
    **{
        f"Squeeze {axes} of opset {opset}": with_axes("Squeeze", random(1, 3, 1, 4), axes, opset, 4)
        for axes in (None, (0,), (0, -2), (2,))
        for opset in (7, 11, 13, 21)
    },
    **{
        f"Unsqueeze {axes} of opset {opset}": with_axes("Unsqueeze", random(2, 3), axes, opset, 2 + len(axes))
        for axes in ((0,), (0, 3), (-1,), (3, 1))
        for opset in (7, 11, 13, 21)
    },
    **{
        f"Expand {sizes} {target}": moved("Expand", random(*sizes), ints(*target), opset=13)
        for sizes, target in (((3, 1), (2, 3, 4)), ((3, 1), (1, 1)), ((2, 1, 1), (5, 2, 1, 4)), ((2, 1, 1), (4,)))
    },
    **{
        f"{spelled('Shape', bounds)}": moved(
            "Shape", random(2, 3, 4), in_tosa=bounds != {"start": 3}, opset=15, **bounds
        )
        for bounds in ({}, {"start": 1}, {"end": -1}, {"start": -2, "end": 9}, {"start": 3})
    },
    **{f"Size of opset {opset}": moved("Size", random(2, 3, 4), opset=opset) for opset in (7, 13, 21)},
    **{
        f"Dropout of opset {opset}": moved("Dropout", random(2, 3), opset=opset, outputs=2 if opset >= 10 else 1)
        for opset in (7, 10, 12, 13, 22)
    },
    "Dropout of inference": moved("Dropout", random(2, 3), _HALF, Known(np.asarray(False)), outputs=2, seed=3),
    "Dropout that drops nothing": moved(
        "Dropout", random(2, 3), Known(np.float32(0)), Known(np.asarray(True)), outputs=2
    ),
    **{f"Constant {name}": moved("Constant", opset=13, **given) for name, given in CONSTANTS.items()},
    **{
        f"ConstantOfShape {sizes} {value!r}": Row(
            one_op(
                "ConstantOfShape",
                [ints(*sizes)],
                opset=20,
                **({} if value is None else {"value": numpy_helper.from_array(value)}),
            )
        )
        for value in (None, np.asarray([7], np.int8), np.asarray([0.5], np.float32))
        for sizes in ((2, 3), (), (0,))
    },
    **{
        f"Range {bounds} of {np.dtype(dtype)}": Row(one_op("Range", [Known(dtype(one)) for one in bounds], opset=11))
        for bounds, dtype in (
            ((0, 10, 3), np.int64),
            ((10, 0, -4), np.int32),
            ((0, 1, 0.1), np.float32),
            ((5, 0, 1), np.int16),
            ((1, 2, 0.3), np.float64),
        )
    },
    **{
        f"Pad {mode} {pads} of {np.dtype(dtype)}": moved(
            "Pad",
            random(4, 5, dtype=dtype),
            ints(*pads),
            in_tosa=mode != "constant" or min(pads) >= 0,
            opset=19,
            mode=mode,
        )
        for mode in ("constant", "reflect", "edge", "wrap")
        for pads in PADS
        for dtype in (np.float32, np.int8)
    },
    **{
        f"Pad {mode} of opset 9": moved("Pad", random(4, 5), opset=9, mode=mode, pads=[1, 2, 0, 3], value=1.5)
        for mode in ("constant", "reflect", "edge")
    },
    **{
        f"Pad with a {'constant' if known else 'value'} of opset {opset}": moved(
            "Pad",
            random(4, 5),
            ints(1, 0, 0, 2),
            Known(np.float32(2.5)) if known else np.float32(2.5),
            in_tosa=known,
            opset=opset,
        )
        for known in (False, True)
        for opset in (11, 13, 18, 21)
    },
    **{
        f"Pad {mode} of some axes": moved("Pad", random(3, 4, 5), ints(1, 2, 0, 1), None, ints(-1, 0), mode=mode)
        for mode in ("constant", "reflect")
    },
    **{
        f"Cast {np.dtype(source)} {np.dtype(target)} of opset {opset}": cast(source, target, opset)
        for source in DTYPES
        for target in DTYPES
        for opset in (13, 25)
        if opset == 25 or np.float32 in (source, target)
    },
    **{
        f"CastLike of opset {opset}": moved("CastLike", random(2, 3), np.zeros(1, np.int32), in_tosa=False, opset=opset)
        for opset in (15, 19, 24)
    },
}
