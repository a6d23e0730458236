"""The table of faults: the kind, the source and its layer, and the format of the file."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from tests.planted.kinds import Kind
from tests.planted.models import Storage


class Written(StrEnum):
    """The files that faults are planted in."""

    ONNX = "onnx"
    TFLITE = "tflite"
    STABLEHLO = "stablehlo"
    TOSA = "tosa"
    FLATBUFFER = "tosa flatbuffer"


class Fault(NamedTuple):
    """One parameter that is wrong in a file."""

    kind: Kind
    model: str
    layer: str
    storage: Storage
    written: Written

    def __str__(self) -> str:
        return f"{self.kind.name.lower()}, {self.layer} of {self.model} in {self.storage}, {self.written}"


_TOSA = (Written.TOSA, Written.FLATBUFFER)
_NO_TFLITE = tuple(written for written in Written if written is not Written.TFLITE)
_NO_TOSA = tuple(written for written in Written if written not in _TOSA)
_ALL = tuple(Written)

_PLACES = (
    (Kind.SCALE, "mobilenet", "conv_6_node", _ALL),
    (Kind.SCALE, "digits", "conv_3", _ALL),
    (Kind.SCALE, "unet_nearest", "conv_17_node", _ALL),
    (Kind.SCALE, "encoder", "matmul_23_node/MatMulAddFusion", _ALL),
    (Kind.SCALE, "yolo", "conv_27_node", _ALL),
    (Kind.TENSOR_SCALE, "digits", "image_QuantizeLinear", _ALL),
    (Kind.TENSOR_SCALE, "unet_nearest", "sigmoid_29_node", _NO_TOSA),
    (Kind.ZERO_POINT, "mobilenet", "add_7_node", _ALL),
    (Kind.ZERO_POINT, "unet_nearest", "conv_26_node", _ALL),
    (Kind.ZERO_POINT, "yolo", "conv_27_node", _ALL),
    (Kind.BIAS, "mobilenet", "conv_12_node", _ALL),
    (Kind.BIAS, "digits", "gemm_1", _ALL),
    (Kind.BIAS, "encoder", "matmul_19_node/MatMulAddFusion", _ALL),
    (Kind.BIAS, "yolo", "conv_48_node", _ALL),
    (Kind.WEIGHT, "digits", "conv_2", _ALL),
    (Kind.WEIGHT, "unet_nearest", "conv_26_node", _ALL),
    (Kind.WEIGHT, "encoder", "matmul_63_node/MatMulAddFusion", _ALL),
    (Kind.SWAPPED, "mobilenet", "conv_8_node", _ALL),
    (Kind.SWAPPED, "unet_nearest", "conv_5_node", _ALL),
    (Kind.SWAPPED, "encoder", "matmul_1_node/MatMulAddFusion", _ALL),
    (Kind.TRANSPOSED, "digits", "conv_4", _ALL),
    (Kind.TRANSPOSED, "unet_nearest", "conv_12_node", _ALL),
    (Kind.TRANSPOSED, "encoder", "matmul_5_node/MatMulAddFusion", _ALL),
    (Kind.TRANSPOSED, "yolo", "conv_10_node", _ALL),
    (Kind.PAD, "mobilenet", "conv_0_node", _ALL),
    (Kind.PAD, "yolo", "conv_21_node", _ALL),
    (Kind.PAD, "unet_nearest", "conv_24_node", _NO_TFLITE),
    (Kind.POOL, "mobilenet", "maxpool_16_node", _ALL),
    (Kind.POOL, "digits", "maxpool_1", _ALL),
    (Kind.POOL, "digits", "averagepool_1", _NO_TFLITE),
    (Kind.POOL, "unet_nearest", "maxpool_4_node", _ALL),
    (Kind.CLAMP, "mobilenet", "clip_5_node", _ALL),
    (Kind.CLAMP, "mobilenet", "clip_9_node", _ALL),
    (Kind.RELU, "mobilenet", "clip_3_node", _ALL),
    (Kind.RELU, "mobilenet", "relu_15_node", _ALL),
    (Kind.OPERANDS, "unet_nearest", "concat_23_node", _ALL),
    (Kind.OPERANDS, "yolo", "concat_17_node", _ALL),
    (Kind.SHIFT, "mobilenet", "conv_10_node", _TOSA),
    (Kind.SHIFT, "digits", "conv_2", _TOSA),
    (Kind.SHIFT, "encoder", "matmul_30_node/MatMulAddFusion", _TOSA),
    (Kind.SHIFT, "yolo", "conv_38_node", _TOSA),
    (Kind.TABLE, "unet_nearest", "sigmoid_29_node", _TOSA),
    (Kind.TABLE, "yolo", "sigmoid_39_node", _TOSA),
)

FAULTS = tuple(
    Fault(kind, model, layer, tuple(Storage)[(number + list(Written).index(written)) % 2], written)
    for number, (kind, model, layer, files) in enumerate(_PLACES)
    for written in files
)
"""The faults, half of them in sources of each storage."""
