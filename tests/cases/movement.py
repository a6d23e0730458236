"""Operators of TFLite that move elements against LiteRT's reference kernels, integer by integer."""

from __future__ import annotations

import numpy as np
import tflite

from tests.support.tflite_cases import Case, Tensor, constant

SHAPE = (2, 4, 6, 8)
KINDS = {"INT8": (0.05, 3), "UINT8": (0.05, 130), "INT16": (0.001, 0), "FLOAT32": (0.0, 0)}
CASES: dict[str, Case] = {}


def sized(kind: str, sizes: tuple[int, ...]) -> Tensor:
    scale, point = KINDS[kind]
    return Tensor(sizes, scale, point, kind)


def movement(
    name: str,
    op: str,
    sizes: tuple[int, ...],
    options: str = "",
    *more: Tensor,
    kinds: tuple[str, ...] = (),
    **fields: int,
) -> None:
    """A case for each kind of elements."""
    for kind in kinds or KINDS:
        given = sized(kind, SHAPE)
        CASES[f"{op} {kind} {name}"] = Case(op, [given, *more], [sized(kind, sizes)], options, fields, version=1)


movement("axis 1", "GATHER", (2, 3, 6, 8), "GatherOptions", constant([3, 0, 3]), Axis=1)
movement("axis -1", "GATHER", (2, 4, 6, 2, 2), "GatherOptions", constant([[3, 0], [7, 7]]), Axis=-1)
movement("scalar", "GATHER", (2, 4, 8), "GatherOptions", constant(5), Axis=2)
movement("reflect", "MIRROR_PAD", (2, 8, 8, 8), "MirrorPadOptions", constant([[0, 0], [3, 1], [0, 2], [0, 0]]), Mode=0)
movement(
    "symmetric", "MIRROR_PAD", (2, 8, 9, 9), "MirrorPadOptions", constant([[0, 0], [3, 1], [3, 0], [0, 1]]), Mode=1
)
_BYTES = ("INT8", "UINT8", "FLOAT32")
movement("2", "SPACE_TO_DEPTH", (2, 2, 3, 32), "SpaceToDepthOptions", BlockSize=2, kinds=_BYTES)
movement("2", "DEPTH_TO_SPACE", (2, 8, 12, 2), "DepthToSpaceOptions", BlockSize=2, kinds=_BYTES)
movement("border", "PAD", (2, 5, 6, 10), "PadOptions", constant([[0, 0], [1, 0], [0, 0], [0, 2]]))
movement("block", "SLICE", (1, 4, 2, 8), "SliceOptions", constant([1, 0, 3, 0]), constant([1, -1, 2, 8]))
movement(
    "masks",
    "STRIDED_SLICE",
    (2, 2, 8),
    "StridedSliceOptions",
    constant([0, 1, 2, 0]),
    constant([0, 4, 3, 0]),
    constant([1, 2, 1, 1]),
    BeginMask=1,
    EndMask=9,
    ShrinkAxisMask=4,
)
for _end, _sizes in ((1, (2, 4, 2, 8)), (0, (2, 4, 3, 8)), (3, (2, 4, 1, 8))):
    movement(
        f"down to {_end}",
        "STRIDED_SLICE",
        _sizes,
        "StridedSliceOptions",
        constant([0, 0, 5, 0]),
        constant([2, 4, _end, 0]),
        constant([1, 1, -2, -1]),
        BeginMask=8,
        EndMask=8,
    )
movement("flat", "RESHAPE", (2, 192), "ReshapeOptions", constant([2, 192]))
movement("order", "TRANSPOSE", (6, 2, 8, 4), "TransposeOptions", constant([2, 0, 3, 1]))
for _kind in KINDS:
    _value = sized(_kind, SHAPE)
    CASES[f"PACK {_kind}"] = Case(
        "PACK",
        [_value, _value],
        [sized(_kind, (2, 4, 2, 6, 8))],
        "PackOptions",
        {"Axis": 2, "ValuesCount": 2},
        version=1,
    )
    CASES[f"UNPACK {_kind}"] = Case(
        "UNPACK", [_value], [sized(_kind, (2, 6, 8))] * 4, "UnpackOptions", {"Axis": 1, "Num": 4}, version=1
    )
    CASES[f"CONCATENATION {_kind}"] = Case(
        "CONCATENATION", [_value, _value], [sized(_kind, (2, 8, 6, 8))], "ConcatenationOptions", {"Axis": 1}, version=1
    )
    CASES[f"SPLIT {_kind}"] = Case(
        "SPLIT", [constant(-1), _value], [sized(_kind, (2, 4, 6, 4))] * 2, "SplitOptions", {"NumSplits": 2}, version=1
    )
    CASES[f"SPLIT_V {_kind}"] = Case(
        "SPLIT_V",
        [_value, constant([1, -1]), constant(1)],
        [sized(_kind, (2, 1, 6, 8)), sized(_kind, (2, 3, 6, 8))],
        "SplitVOptions",
        {"NumSplits": 2},
        version=1,
    )
CASES["GATHER rows of a table"] = Case(
    "GATHER",
    [constant(np.arange(60).reshape(12, 5) - 30, "INT8", 0.1, zero_point=4), Tensor((3, 2), kind="INT32")],
    [Tensor((3, 2, 5), 0.1, 4)],
    "GatherOptions",
    {"Axis": 0},
    version=1,
    low=0,
    high=11,
)
# LiteRT requantizes these in f32.
CASES["CONCATENATION UINT8 scales"] = Case(
    "CONCATENATION",
    [Tensor(SHAPE, 0.031, 12, "UINT8"), Tensor(SHAPE, 0.05, 130, "UINT8")],
    [Tensor((2, 8, 6, 8), 0.05, 130, "UINT8")],
    "ConcatenationOptions",
    {"Axis": 1},
    version=1,
    most=1,
)
CASES["SHAPE"] = Case(
    "SHAPE", [sized("INT8", SHAPE)], [Tensor((4,), kind="INT32")], "ShapeOptions", {"OutType": 2}, version=1
)
for _source, _result in (("FLOAT32", "INT32"), ("INT32", "FLOAT32"), ("BOOL", "FLOAT32"), ("INT32", "BOOL")):
    _codes = {"InDataType": getattr(tflite.TensorType, _source), "OutDataType": getattr(tflite.TensorType, _result)}
    CASES[f"CAST {_source} {_result}"] = Case(
        "CAST", [Tensor((3, 5), kind=_source)], [Tensor((3, 5), kind=_result)], "CastOptions", _codes, version=1
    )
_QUANTIZED = {"INT8": (0.05, 3), "UINT8": (0.04, 130), "INT16": (0.0003, 0)}
for _kind, (_scale, _point) in _QUANTIZED.items():
    _tensor = Tensor(SHAPE, _scale, _point, _kind)
    CASES[f"QUANTIZE FLOAT32 {_kind}"] = Case("QUANTIZE", [Tensor(SHAPE, kind="FLOAT32")], [_tensor])
    CASES[f"DEQUANTIZE {_kind}"] = Case("DEQUANTIZE", [_tensor], [Tensor(SHAPE, kind="FLOAT32")])
    for _other, (_factor, _shift) in _QUANTIZED.items():
        _target = Tensor(SHAPE, _factor * 1.3, _shift, _other)
        if (_kind, _other) != ("INT16", "UINT8"):
            CASES[f"QUANTIZE {_kind} {_other}"] = Case("QUANTIZE", [_tensor], [_target])
