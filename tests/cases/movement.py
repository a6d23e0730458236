"""Operators of TFLite and of ONNX that move elements, and the differences allowed to LiteRT and to onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import tflite

from tests.support.onnx_cases import Known, Quantization, Quantized, one_op, random
from tests.support.operator_rows import EXACT, Row, spelled
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
    version: int = 1,
    **fields: int,
) -> None:
    """A case for each kind of elements."""
    for kind in kinds or KINDS:
        given = sized(kind, SHAPE)
        CASES[f"{op} {kind} {name}"] = Case(op, [given, *more], [sized(kind, sizes)], options, fields, version)


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
movement("unit", "EXPAND_DIMS", (2, 4, 1, 6, 8), "ExpandDimsOptions", constant(2))
movement("last", "EXPAND_DIMS", (2, 4, 6, 8, 1), "ExpandDimsOptions", constant(-1))
movement("new", "BROADCAST_TO", (3, 2, 4, 6, 8), "BroadcastToOptions", constant([3, 2, 4, 6, 8]), version=3)
movement("one", "REVERSE_V2", SHAPE, "ReverseV2Options", constant([-1]))
movement("two", "REVERSE_V2", SHAPE, "ReverseV2Options", constant([1, 2]))
movement("order", "TRANSPOSE", (6, 2, 8, 4), "TransposeOptions", constant([2, 0, 3, 1]))
for _kind in ("INT8", "UINT8"):
    _value = sized(_kind, (2, 3, 5))
    CASES[f"PADV2 {_kind}"] = Case(
        "PADV2",
        [_value, constant([[0, 1], [0, 0], [2, 0]]), replace(_value, shape=(1,), data=np.asarray([9], _kind.lower()))],
        [sized(_kind, (3, 3, 7))],
        "PadV2Options",
    )
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
)
CASES["SHAPE"] = Case(
    "SHAPE", [sized("INT8", SHAPE)], [Tensor((4,), kind="INT32")], "ShapeOptions", {"OutType": 2}, version=1
)
for _source, _result in (("FLOAT32", "INT32"), ("INT32", "FLOAT32"), ("BOOL", "FLOAT32"), ("INT32", "BOOL")):
    _codes = {"InDataType": getattr(tflite.TensorType, _source), "OutDataType": getattr(tflite.TensorType, _result)}
    CASES[f"CAST {_source} {_result}"] = Case(
        "CAST", [Tensor((3, 5), kind=_source)], [Tensor((3, 5), kind=_result)], "CastOptions", _codes, version=1
    )
_WHOLE = {"INT8": (0.05, 3), "UINT8": (0.04, 130), "INT16": (0.0003, 0), "INT32": (0.0, 0), "INT64": (0.0, 0)}
for _source, _result in (
    ("INT8", "INT32"),
    ("UINT8", "INT32"),
    ("INT16", "INT32"),
    ("INT32", "INT8"),
    ("INT8", "UINT8"),
    ("INT8", "FLOAT32"),
    ("INT64", "INT32"),
    ("INT32", "INT64"),
):
    _given, _made = (Tensor((3, 200), *_WHOLE.get(kind, (0.0, 0)), kind) for kind in (_source, _result))
    CASES[f"CAST {_source} {_result} integers"] = Case("CAST", [_given], [_made], "CastOptions", version=1)
_QUANTIZED = {"INT8": (0.05, 3), "UINT8": (0.04, 130), "INT16": (0.0003, 0)}
for _kind, (_scale, _point) in _QUANTIZED.items():
    _tensor = Tensor(SHAPE, _scale, _point, _kind)
    CASES[f"QUANTIZE FLOAT32 {_kind}"] = Case("QUANTIZE", [Tensor(SHAPE, kind="FLOAT32")], [_tensor])
    CASES[f"DEQUANTIZE {_kind}"] = Case("DEQUANTIZE", [_tensor], [Tensor(SHAPE, kind="FLOAT32")])
    for _other, (_factor, _shift) in _QUANTIZED.items():
        _target = Tensor(SHAPE, _factor * 1.3, _shift, _other)
        if (_kind, _other) != ("INT16", "UINT8"):
            CASES[f"QUANTIZE {_kind} {_other}"] = Case("QUANTIZE", [_tensor], [_target])
for _kind in ("INT8", "INT16"):
    _channels = Tensor((3, 4, 50), (0.1, 0.02, 0.033, 0.4), 0, _kind, dimension=1)
    CASES[f"QUANTIZE FLOAT32 {_kind} channels"] = Case(
        "QUANTIZE", [Tensor((3, 4, 50), kind="FLOAT32")], [_channels], version=3, in_tosa=False
    )
for _kind in KINDS:
    for _name, _dimensions, _sizes in (("all", (), (4, 6)), ("one", (2,), (1, 4, 6)), ("last", (-2,), (1, 4, 6))):
        CASES[f"SQUEEZE {_kind} {_name}"] = Case(
            "SQUEEZE",
            [sized(_kind, (1, 4, 1, 6))],
            [sized(_kind, _sizes)],
            "SqueezeOptions",
            {"SqueezeDims": _dimensions},
            version=1,
        )

# Operators of ONNX.

LAST = np.iinfo(np.int64).max
DTYPES: tuple[Any, ...] = (np.float32, np.uint8, np.int8, np.int32, np.int64, np.bool_)
BYTES = Quantization(0.1, -7)


def ints(*values: int) -> Known:
    return Known(np.asarray(values, np.int64))


def moved(op_type: str, *inputs: Any, in_tosa: bool = True, **options: Any) -> Row:
    """Return an operator that keeps every element as it is."""
    return Row(one_op(op_type, inputs, **options), tosa=EXACT if in_tosa else None)


def cut(dtype: Any, starts: Sequence[int], ends: Sequence[int], *more: Sequence[int] | None) -> Row:
    """Return a Slice along axes by steps, where they are given. TOSA has no empty tensors."""
    given = [None if values is None else ints(*values) for values in more]
    inputs = [random(4, 3, 6, dtype=dtype), ints(*starts), ints(*ends), *given]
    return moved("Slice", *inputs, in_tosa=starts != ends, opset=13)


def gathered(indices: Any, *, known: bool, opset: int, axis: int) -> Row:
    """Return a Gather. Opset 11 brought negative indices."""
    array = np.asarray(indices, np.int64) % 3 if opset == 7 else np.asarray(indices, np.int64)
    return moved(
        "Gather",
        random(4, 3, 5, dtype=np.uint8),
        Known(array) if known else array,
        in_tosa=known,
        opset=opset,
        axis=axis,
    )


SPLITS: tuple[tuple[int, tuple[int, ...], list[Any], int, dict[str, Any]], ...] = (
    (7, (2, 6, 4), [], 3, {"axis": 1}),
    (7, (2, 6, 4), [], 2, {"axis": 1, "split": [2, 4]}),
    (11, (2, 6, 4), [], 2, {"axis": -1, "split": [1, 3]}),
    (13, (2, 6, 4), [ints(1, 2, 3)], 3, {"axis": 1}),
    (13, (2, 6, 4), [], 2, {}),
    (18, (2, 7, 4), [], 4, {"axis": 1, "num_outputs": 4}),
    (18, (2, 7, 4), [], 3, {"axis": 1, "num_outputs": 3}),
    (25, (2, 6, 4), [ints(4, 2)], 2, {"axis": 1}),
)
SLICES: tuple[tuple[list[int], list[int], list[int] | None, list[int] | None], ...] = (
    ([1], [3], [0], [1]),
    ([0, 1], [LAST, -1], [0, 2], [1, 2]),
    ([-1, 10], [-LAST, -10], [1, 0], [-1, -2]),
    ([-3], [LAST], [-1], [2]),
    ([4], [1], [2], [-2]),
    ([-1], [0], [2], [-(2**63)]),
    ([3], [3], [0], [1]),
    ([LAST], [-LAST], [2], [-3]),
    ([1, 0, 2], [3, 9, 5], None, None),
)
_QUANTIZED_PARTS = [Quantized(random(2, 3, dtype=np.uint8), Quantization(0.05, 131, np.uint8))] * 2
_ROWS = Quantization([0.1, 0.2, 0.4], [0, 0, 0], axis=0)
_PLACES = np.random.default_rng(1).integers(-3, 3, (3, 3, 3))
ONNX: dict[str, Row] = {
    **{
        f"Transpose {perm} of {np.dtype(dtype)} of opset {opset}": moved(
            "Transpose", random(2, 3, 4, dtype=dtype), opset=opset, **({} if perm is None else {"perm": perm})
        )
        for perm in ((0, 2, 1), (2, 0, 1), None)
        for dtype, opset in (*((dtype, 21) for dtype in DTYPES), *((np.float32, opset) for opset in (7, 13, 25)))
    },
    "Transpose of rows with scales of their own": moved(
        "Transpose", Quantized(random(3, 4, dtype=np.int8), _ROWS, known=True), result=BYTES
    ),
    **{
        f"Concat {axis}": moved("Concat", *(random(2, 3, 4, seed=i, dtype=np.int8) for i in range(3)), axis=axis)
        for axis in (0, 1, -1)
    },
    "Concat of uneven parts and a constant": moved(
        "Concat", random(2, 3), Known(random(2, 1, seed=1)), random(2, 5, seed=2), axis=1, opset=7
    ),
    "Concat of other scales": moved(
        "Concat", *_QUANTIZED_PARTS, in_tosa=False, axis=0, result=Quantization(0.02, 3, np.uint8)
    ),
    **{
        f"{spelled(f'Split into {outputs}', attributes)} of opset {opset} {len(given)}": moved(
            "Split",
            random(*sizes, dtype=np.int8 if opset in (13, 25) else np.float32),
            *given,
            outputs=outputs,
            opset=opset,
            **attributes,
        )
        for opset, sizes, given, outputs, attributes in SPLITS
    },
    **{f"Slice {bounds} of {np.dtype(dtype)}": cut(dtype, *bounds) for dtype in DTYPES for bounds in SLICES},
    **{
        f"{spelled('Slice', named)} of opset 9": moved(
            "Slice", random(4, 3, 6), opset=9, starts=[1, -5], ends=[LAST, 3], **named
        )
        for named in ({}, {"axes": [0, 2]})
    },
    **{
        f"Tile {times}": moved("Tile", random(2, 3, 4, dtype=np.int8), ints(*times), opset=13)
        for times in ((1, 1, 1), (2, 1, 3), (1, 4, 1))
    },
    **{
        f"Tile {times} of {len(times)} dimensions": moved(
            "Tile", random(*(2, 3, 1, 2, 1, 2)[: len(times)], dtype=np.int8), ints(*times), opset=13
        )
        for times in (
            (1, 2, 2, 3),
            (3, 2, 1, 2),
            (2, 3, 2, 2, 1),
            (2, 2, 3, 2, 2),
            (1, 1, 2, 1, 1, 2),
            (2, 3, 2, 2, 2, 2),
        )
    },
    **{
        f"Gather {indices} {axis} of opset {opset}{' constant' if known else ''}": gathered(
            indices, known=known, opset=opset, axis=axis
        )
        for opset in (7, 11, 13)
        for axis in (0, 1, -1)
        for known in (False, True)
        for indices in (0, -1, [0, 2, 1], [[1, -2], [0, -3]], [2, 1, 0], [0, 2], [0, 0, 0])
        if opset == 13 or axis == 1
    },
    "Gather with int32 indices": moved("Gather", random(5, 2), np.asarray([-5, 4, 0], np.int32), in_tosa=False),
    **{
        f"GatherElements {axis}": moved(
            "GatherElements", random(3, 4, 5) if axis == 0 else random(4, 3, 3), _PLACES, in_tosa=False, axis=axis
        )
        for axis in (0, 1, -1)
    },
    **{
        f"DepthToSpace {mode} of opset {opset}": moved(
            "DepthToSpace", random(2, 12, 2, 3), opset=opset, blocksize=2, mode=mode
        )
        for mode in ("DCR", "CRD")
        for opset in (11, 13)
    },
    "DepthToSpace of opset 7": moved("DepthToSpace", random(2, 18, 2, 3), opset=7, blocksize=3),
    **{
        f"SpaceToDepth of opset {opset}": moved("SpaceToDepth", random(2, 3, 4, 6), opset=opset, blocksize=2)
        for opset in (7, 13)
    },
}
