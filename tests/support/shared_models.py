"""Models beside the repository, by what is quantized in them: ``FOLDER/NAME`` of .onnx files, NAME of .tflite files."""

from __future__ import annotations

from pathlib import Path

from qconvert.formats import Format

DIGITS = ("digits_cnn_int8_perchannel", "digits_cnn_uint8", "digits_cnn_int16act")
ONNX = (
    *DIGITS,
    "digits_cnn_qoperator",
    "mnist_int8_perchannel",
    "squeezenet_int8",
    "ultraface_uint8",
    "transformer_block_int8",
    "unet_int8",
)
ZOO = (
    "digits_cnn__qop_u8s8_pc",
    "digits_cnn__qop_u8u8",
    "digits_cnn__s16s8_sym",
    "digits_cnn__s8s8_pc",
    "digits_cnn__s8s8_pc_intio",
    "digits_cnn__s8s8_pt",
    "digits_cnn__s8s8_wpair",
    "digits_cnn__u8s8_pc",
    "digits_cnn__u8u8_pt",
    "digits_cnn_dynbatch__s8s8_pc",
    "digits_mbv2__qop_u8s8_pc",
    "digits_mbv2__s8s8_pc",
    "digits_mbv2__u8s8_pc",
    "digits_pt2e__as_is",
    "digits_qat_pc__as_is",
    "digits_tfm__qop_u8u8",
    "digits_tfm__s8s8_pc_raw",
    "digits_tfm__u8u8_pt",
    "mnist__qop_u8u8",
    "mnist__s8s8_pc",
    "mnist__u8u8_pt",
    "squeezenet__qop_u8u8",
    "squeezenet__u8s8_pc",
    "tfm_block__s8s8_pc",
    "tfm_block__u8s8_pt_raw",
    "vgg19_w8__s8s8_pc",
)
ALL = (*(f"onnx/{name}" for name in ONNX), *(f"zoo/{name}" for name in ZOO))
WIDE = ("onnx/digits_cnn_int16act", "zoo/digits_cnn__s16s8_sym")
"""Models with 16-bit activations."""

WEIGHT_ONLY = ("onnx/digits_cnn_weightonly_int8", "zoo/digits_cnn__wo_s8_pc", "zoo/digits_tfm__wo_s8_pc")
DYNAMIC = (
    "onnx/mnist_dynamic",
    "zoo/digits_cnn__dyn_u8",
    "zoo/digits_tfm__dyn_s8_pc",
    "zoo/mnist__dyn_u8",
    "zoo/tfm_block__dyn_u8_raw",
)
BLOCKS = (
    "onnx/transformer_block_int4_block16",
    "zoo/digits_tfm__blk_s4",
    "zoo/tfm_block__blk_s4",
    "zoo/tfm_block__mnb4",
)
RECURRENT = ("zoo/digits_lstm__dyn_s8", "zoo/digits_lstm__u8s8_pt")

INTEGER = {
    "mlc_kws_ref_model": 21,
    "mlc_model_ToyCar_quant_fullint_micro_intio": 155,
    "mlc_pretrainedResnet_quant": 27,
    "tflm_hello_world_int8": 16,
    "tflm_micro_speech_lstm": 2,
    "tflm_micro_speech_quantized": 40,
    "tflm_seanet_add0": 4550,
    "tflm_seanet_add5": 7170,
    "tflm_seanet_conv0": 21079,
    "tflm_seanet_conv5": 7123,
    "tflm_seanet_conv12": 2473,
    "tflm_seanet_leaky_relu0": 23748,
    "tflm_seanet_leaky_relu7": 7673,
    "tflm_seanet_pad0": 9462,
    "tflm_seanet_pad9": 9462,
    "tflm_seanet_quantize0": 930,
    "tflm_seanet_strided_slice0": 25251,
    "tflm_seanet_strided_slice17": 19074,
    "tflm_seanet_sub0": 13396,
    "tflm_seanet_transpose_conv0": 20929,
    "tflm_seanet_transpose_conv2": 31884,
}
"""How many different values LiteRT's output has over 16 inputs: what is equal among so many."""

FLOAT = ("tflm_sine_float",)
HYBRID = ("mlc_kws_ref_model_float32", "mlc_model_ToyCar_quant")

REORDERED = ("onnx/mnist_dynamic", "zoo/digits_lstm__dyn_s8", "zoo/tfm_block__mnb4")
"""Models whose float sums have another order in our nodes than in the source's."""

_VALIDATED = {
    Format.STABLEHLO: {*ALL, *WEIGHT_ONLY, *DYNAMIC, *BLOCKS, *RECURRENT},
    Format.TOSA: {*ALL, *DYNAMIC, *BLOCKS, *RECURRENT, *INTEGER, *FLOAT, *HYBRID},
}


def is_validated_by_family(path: Path, to: Format) -> bool:
    """Return whether the tests of the model's family validate it in a format, by the same or stricter limits.

    As ONNX, .tflite files are validated by ``test_tflite_to_onnx.py``, and ``test_onnx_round_trip.py`` finds every bit
    of .onnx files again unless the order of sums is another.
    """
    name = path.stem if path.suffix == ".tflite" else f"{path.parent.name}/{path.stem}"
    return name not in REORDERED if to is Format.ONNX else name in _VALIDATED[to]
