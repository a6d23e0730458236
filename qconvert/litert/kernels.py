"""The element types that LiteRT's kernels take, by operator, but for operators with weights.

Measured with LiteRT 2.3.0: one operator a file on its reference kernels, its optimized kernels and XNNPACK. A type
stands here if one of them computes it rightly and no other does wrongly. On other types the kernels return errors,
wrong numbers, or end the process, as ADD of int8 without scales does.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from tflite import BuiltinOperator as Code
from tflite import TensorType as Type

from qconvert.ir import Storage, UniformQuantizedType

_Types = frozenset[int]


def _types(*types: int) -> _Types:
    return frozenset(types)


_FLOATS = _types(Type.FLOAT16, Type.FLOAT32)
_SIGNED = _types(Type.INT8, Type.INT16)
_BYTES = _types(Type.INT8, Type.UINT8)
_QUANTIZED = _BYTES | _SIGNED
_TRUTHS = _types(Type.BOOL)
_FLOAT = _types(Type.FLOAT32)
_COUNTED = _types(Type.INT32, Type.INT64) | _FLOATS
_COMPARED = _QUANTIZED | _COUNTED
_MOVED = _TRUTHS | _COMPARED
_WIDE = _types(Type.UINT16, Type.UINT32)
_COPIED = _MOVED | _WIDE | _types(Type.UINT64, Type.FLOAT64)
_CAST = _MOVED | _WIDE | _types(Type.FLOAT64, Type.BFLOAT16)
_RANK = 8
"""The dimensions that operators broadcast over."""


class Accepted(NamedTuple):
    """The types that a kernel takes: of plain tensors, of results where they differ, of quantized tensors.

    ``operands`` are the inputs that have the type, the first of which chooses the kernel; None means all inputs.
    ``rank`` is the largest number of dimensions. Operands and result have one scale each unless the kernel
    ``takes_channels``, and no zero point in 16 bits if it ``is_centred``. A kernel that ``moves`` integers does not
    rescale them: operands and result have the same scale and zero point. ``converts`` is True where an operand and the
    result may have different types; ``mixed`` are types of the first and another operand that go together.
    """

    plain: _Types = _FLOAT
    results: _Types | None = None
    quantized: _Types = _QUANTIZED
    quantized_results: _Types | None = None
    operands: tuple[int, ...] | None = (0,)
    rank: int = _RANK
    takes_channels: bool = False
    is_centred: bool = True
    moves: bool = False
    converts: bool = False
    mixed: frozenset[tuple[int, int]] = frozenset()


_NONE = _types()
_BOTH = (0, 1)
_SLOPES = frozenset({(Type.INT16, Type.INT8)})
_FUNCTION = Accepted(quantized=_NONE)
_LOGIC = Accepted(_TRUTHS, quantized=_NONE, operands=_BOTH)
_ORDER = Accepted(_COUNTED | _types(Type.INT16), _TRUTHS, operands=_BOTH, is_centred=False)
_REDUCED = Accepted(_COMPARED - _types(Type.FLOAT16), rank=6, moves=True)
_MOVING = Accepted(_COPIED, quantized=_COPIED, is_centred=False, moves=True)
_PADDED = Accepted(_MOVED, rank=5, is_centred=False, moves=True)
_POSITIONS = Accepted(
    _types(Type.BOOL, Type.INT8, Type.UINT8, Type.INT32, Type.FLOAT32), _types(Type.INT32), _BYTES, converts=True
)
_EXTREME = Accepted(_COMPARED, operands=_BOTH, is_centred=False, moves=True)
_NORMALIZED = Accepted(_FLOAT, quantized=_BYTES)

TAKEN: dict[int, Accepted] = {
    Code.ABS: Accepted(_FLOAT | _types(Type.INT16, Type.INT32), quantized=_SIGNED),
    Code.ADD: Accepted(_COUNTED | _types(Type.INT16), operands=_BOTH),
    Code.ARG_MAX: _POSITIONS,
    Code.ARG_MIN: _POSITIONS,
    Code.ATAN2: Accepted(quantized=_NONE, operands=_BOTH),
    Code.AVERAGE_POOL_2D: Accepted(_FLOAT, is_centred=False, moves=True),
    Code.BATCH_MATMUL: Accepted(
        _FLOAT | _types(Type.INT8), _FLOAT | _types(Type.INT32), _SIGNED, rank=5, converts=True
    ),
    Code.BROADCAST_TO: _MOVING,
    Code.CAST: Accepted(_CAST, quantized=_CAST, is_centred=False, converts=True),
    Code.CEIL: _FUNCTION,
    Code.CONCATENATION: Accepted(_MOVED | _types(Type.UINT32), operands=None, rank=6, moves=True),
    Code.COS: _FUNCTION,
    Code.DEQUANTIZE: Accepted(
        _types(Type.FLOAT16),
        _FLOAT,
        _QUANTIZED | _types(Type.INT4),
        takes_channels=True,
        converts=True,
    ),
    Code.DIV: Accepted(_FLOAT | _types(Type.INT32), operands=_BOTH),
    Code.ELU: Accepted(_FLOAT, quantized=_types(Type.INT8)),
    Code.EQUAL: Accepted(_ORDER.plain | _TRUTHS, _TRUTHS, operands=_BOTH, is_centred=False),
    Code.EXP: Accepted(quantized=_SIGNED),
    Code.FLOOR: _FUNCTION,
    Code.GATHER: Accepted(_MOVED, is_centred=False, moves=True),
    Code.GELU: Accepted(_FLOAT, quantized=_BYTES),
    Code.GREATER: _ORDER,
    Code.GREATER_EQUAL: _ORDER,
    Code.HARD_SWISH: Accepted(_FLOAT, quantized=_BYTES),
    Code.L2_NORMALIZATION: _NORMALIZED,
    Code.LEAKY_RELU: Accepted(),
    Code.LESS: _ORDER,
    Code.LESS_EQUAL: _ORDER,
    Code.LOG: Accepted(quantized=_SIGNED),
    Code.LOGISTIC: Accepted(),
    Code.LOGICAL_AND: _LOGIC,
    Code.LOGICAL_NOT: Accepted(_TRUTHS, quantized=_NONE),
    Code.LOGICAL_OR: _LOGIC,
    Code.LOG_SOFTMAX: _NORMALIZED,
    Code.MAXIMUM: _EXTREME,
    Code.MAX_POOL_2D: Accepted(_QUANTIZED | _FLOAT, is_centred=False, moves=True),
    Code.MEAN: Accepted(rank=6),
    Code.MINIMUM: _EXTREME,
    Code.MUL: Accepted(_COUNTED | _types(Type.INT16, Type.UINT32), operands=_BOTH),
    Code.NEG: Accepted(_COUNTED | _SIGNED, quantized=_SIGNED, is_centred=False),
    Code.NOT_EQUAL: Accepted(_COUNTED | _TRUTHS, _TRUTHS, operands=_BOTH, is_centred=False),
    Code.PAD: _PADDED,
    Code.PADV2: Accepted(_MOVED, operands=(0, 2), rank=5, is_centred=False, moves=True),
    Code.POW: Accepted(_types(Type.INT32, Type.FLOAT32), quantized=_NONE, operands=_BOTH),
    Code.PRELU: Accepted(_FLOAT, operands=_BOTH, is_centred=False, mixed=_SLOPES),
    Code.QUANTIZE: Accepted(
        _FLOAT,
        _types(),
        _QUANTIZED | _types(Type.INT32),
        _QUANTIZED | _types(Type.INT4),
        takes_channels=True,
        is_centred=False,
        converts=True,
    ),
    Code.REDUCE_MAX: _REDUCED,
    Code.REDUCE_MIN: _REDUCED,
    Code.RELU: Accepted(),
    Code.RELU6: Accepted(),
    Code.RELU_N1_TO_1: Accepted(quantized=_BYTES),
    Code.RESHAPE: Accepted(
        _COPIED | _types(Type.BFLOAT16), quantized=_COPIED, takes_channels=True, is_centred=False, moves=True
    ),
    Code.RESIZE_BILINEAR: Accepted(_FLOAT, is_centred=False, moves=True),
    Code.RESIZE_NEAREST_NEIGHBOR: Accepted((_MOVED | _WIDE) - _types(Type.INT64), is_centred=False, moves=True),
    Code.REVERSE_V2: Accepted(_MOVED, is_centred=False, moves=True),
    Code.ROUND: _FUNCTION,
    Code.RSQRT: Accepted(quantized=_SIGNED),
    Code.SELECT_V2: Accepted(_COPIED, quantized=_COPIED, operands=(1, 2), is_centred=False, moves=True),
    Code.SIGN: Accepted(_types(Type.INT32, Type.FLOAT32, Type.FLOAT64), quantized=_NONE),
    Code.SIN: _FUNCTION,
    Code.SLICE: _MOVING,
    Code.SOFTMAX: Accepted(converts=True),
    Code.SQRT: Accepted(quantized=_SIGNED),
    Code.SQUARED_DIFFERENCE: Accepted(_FLOAT | _types(Type.INT32), quantized=_types(Type.INT8), operands=_BOTH),
    Code.STRIDED_SLICE: _MOVING,
    Code.SUB: Accepted(_COUNTED - _types(Type.FLOAT16), operands=_BOTH),
    Code.SUM: Accepted(_COUNTED - _types(Type.FLOAT16), rank=6),
    Code.TANH: Accepted(),
    Code.TRANSPOSE: Accepted(_COPIED | _types(Type.BFLOAT16), quantized=_COPIED, is_centred=False, moves=True),
    Code.UNIDIRECTIONAL_SEQUENCE_LSTM: Accepted(_FLOAT, quantized=_types(Type.INT8)),
}
"""Every operator that is emitted, but for those of ``products``."""

CAST_OF_4_BITS = Accepted(_types(Type.INT4, Type.FLOAT32), quantized=_NONE, converts=True)
"""CAST of integers of 4 bits."""


def _fixed(width: int, scale: float, zero_point: int) -> UniformQuantizedType:
    return UniformQuantizedType.per_tensor(Storage.full(width, signed=True), scale, zero_point)


_SHARE_8, _SHARE_16 = _fixed(8, 2.0**-8, -128), _fixed(16, 2.0**-15, 0)

FIXED: dict[int, dict[int, UniformQuantizedType]] = {
    Code.LOGISTIC: {8: _SHARE_8, 16: _SHARE_16},
    Code.SOFTMAX: {8: _SHARE_8, 16: _SHARE_16},
    Code.L2_NORMALIZATION: {8: _fixed(8, 2.0**-7, 0)},
    Code.LOG_SOFTMAX: {8: _fixed(8, 2.0**-4, 127)},
    Code.TANH: {16: _SHARE_16},
}
"""The result's type by operator and width, for kernels that compute no other; SOFTMAX of 8 bits has others in 16."""

_NARROW, _WIDER = _types(Type.INT4), _types(Type.INT32)
_HALF, _BRAIN = _types(Type.FLOAT16), _types(Type.BFLOAT16)
_SPLIT = _types(Type.INT8, Type.UINT8, Type.INT16, Type.INT32, Type.INT64, Type.FLOAT32)
_BLOCKS = _SPLIT - _types(Type.INT16)
_ANY = _COPIED | _BRAIN


def _moving(types: _Types, *operands: int) -> Accepted:
    return Accepted(types, quantized=types, operands=operands or (0,), is_centred=False, moves=True)


def _with(code: int, plain: _Types = _NONE, quantized: _Types = _NONE) -> Accepted:
    taken = TAKEN[code]
    return taken._replace(plain=taken.plain | plain, quantized=taken.quantized | quantized)


READ: dict[int, Accepted] = {
    **TAKEN,
    **{code: _with(code, quantized=_WIDER) for code in (Code.ABS, Code.ADD, Code.SUB)},
    **{
        code: _with(code, quantized=_WIDER)._replace(results=_types(Type.INT32, Type.INT64))
        for code in (Code.ARG_MAX, Code.ARG_MIN)
    },
    **{code: _with(code, quantized=_WIDER) for code in (Code.EQUAL, Code.GREATER_EQUAL, Code.LESS_EQUAL)},
    **{code: _with(code, _BRAIN, _WIDER) for code in (Code.GREATER, Code.LESS, Code.MAXIMUM, Code.MINIMUM, Code.NEG)},
    **{code: _with(code, _BRAIN, _WIDER) for code in (Code.PAD, Code.PADV2, Code.REVERSE_V2)},
    **{code: _with(code, _TRUTHS, _WIDER) for code in (Code.REDUCE_MAX, Code.REDUCE_MIN, Code.SUM)},
    **{code: _with(code, _HALF) for code in (Code.COS, Code.SIN, Code.SOFTMAX)},
    **{code: _with(code, _HALF | _BRAIN) for code in (Code.FLOOR, Code.LOGISTIC, Code.TANH)},
    **{code: _with(code, _BRAIN) for code in (Code.BROADCAST_TO, Code.SELECT_V2, Code.STRIDED_SLICE)},
    **{code: _with(code, _BRAIN | _NARROW, _NARROW | _WIDER) for code in (Code.CONCATENATION, Code.GATHER)},
    **{code: _with(code, _NARROW, _NARROW) for code in (Code.RESHAPE, Code.TRANSPOSE)},
    Code.ATAN2: _with(Code.ATAN2, _HALF | _BRAIN | _types(Type.FLOAT64)),
    Code.DEPTH_TO_SPACE: _moving(_BLOCKS | _HALF),
    Code.EXPAND_DIMS: _moving(_ANY | _NARROW),
    Code.MIRROR_PAD: _moving(_ANY),
    Code.NOT_EQUAL: _with(Code.NOT_EQUAL, quantized=_WIDER),
    Code.PACK: Accepted(_SPLIT | _types(Type.UINT32), quantized=_SPLIT, operands=None, is_centred=False, moves=True),
    Code.RELU_0_TO_1: Accepted(quantized=_BYTES),
    Code.RESIZE_NEAREST_NEIGHBOR: _with(Code.RESIZE_NEAREST_NEIGHBOR, _BRAIN, _WIDER | _types(Type.UINT16)),
    Code.SELECT: _moving(_ANY, 1, 2),
    Code.SLICE: _with(Code.SLICE, _BRAIN | _NARROW, _NARROW),
    Code.SPACE_TO_DEPTH: _moving(_BLOCKS),
    Code.SPLIT: _moving(_SPLIT, 1),
    Code.SPLIT_V: _moving(_SPLIT),
    Code.SQUEEZE: _moving(_ANY | _NARROW),
    Code.UNPACK: _moving((_SPLIT - _types(Type.INT64)) | _TRUTHS | _HALF | _BRAIN),
}
"""Every operator that is read, with all types that a kernel computes rightly, those that are never emitted as well."""


def kernel_read(code: int, types: Collection[int]) -> Accepted | None:
    """Return what the kernel of an operator takes whose tensors have ``types``; None for operators without a row."""
    if code == Code.CAST and Type.INT4 in types:
        return CAST_OF_4_BITS._replace(quantized=CAST_OF_4_BITS.plain)
    return READ.get(code)
