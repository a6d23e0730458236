"""The options for writing ONNX."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from qconvert.backends.base import QUANTIZED_IO, WriteOptions, option


class Style(StrEnum):
    """The form of quantized operators."""

    QDQ = "qdq"
    """Float operators between DequantizeLinear and QuantizeLinear."""
    QOPERATOR = "qoperator"
    """QLinearConv, QLinearMatMul and onnxruntime's own QLinear operators; QDQ for other operators."""


@dataclass(frozen=True)
class OnnxOptions(WriteOptions):
    """The options for writing ONNX; ``opset`` is the version of the operators.

    The default opset is the source's if the source is ONNX (``following``), raised to the first opset with all element
    types in the module. It is 21 for other sources. ``quantized_io`` gives the model's inputs and outputs quantized
    types: they are storage integers. ``style`` selects the form of quantized operators. ``exact_rounding`` writes
    LiteRT's fixed-point arithmetic as integer operators. ``external_data`` writes constants of 1 KiB and more into a
    second file beside the model, as more than 1.5 GB always are.
    """

    opset: int | None = field(default=None, metadata=option("the version of its operators", "N"))
    quantized_io: bool = field(default=False, metadata=option(QUANTIZED_IO))
    style: Style = field(default=Style.QDQ, metadata=option("how quantized operators are written"))
    exact_rounding: bool = field(
        default=False, metadata=option("write LiteRT's fixed-point arithmetic in integer operators")
    )
    external_data: bool = field(default=False, metadata=option("write the weights into a second file beside the model"))
    source_opset: int | None = None

    @property
    def quantizes_edges(self) -> bool:
        """Return the option ``quantized_io``."""
        return self.quantized_io

    def of_quantization(self) -> OnnxOptions:
        """Return these options but for the opset and the place of the weights."""
        return replace(self, opset=None, external_data=False)

    def following(self, opset: int | None, /) -> OnnxOptions:
        """Return these options for a source in an ONNX opset."""
        return replace(self, source_opset=opset)
