"""Export for targets with fixed kernels: regions become float ops between dequantize and quantize, as QDQ models are.

``legalize-qdq-to-quantized-op`` then makes a quantized op of each.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from qconvert.dialects.quant_region import RegionOp
from qconvert.ir.arithmetic import ONNX_ARITHMETIC
from qconvert.quantization.fusion import cast_ports, inline
from qconvert.quantization.refine import refine


def export_fixed(module: ModuleOp, arithmetic: Attribute | None = ONNX_ARITHMETIC) -> None:
    """Replace every ``quant.region`` of a module by its ops, with a quantize and a dequantize at each uniform port.

    A region of more than one kernel is taken apart into its kernels first, whose parameters are derived
    (:func:`~qconvert.quantization.refine.refine`). ``arithmetic`` is what the quantizes follow: ONNX's order of
    rounding, which TOSA can say and which onnxruntime has. Raises ConversionError naming the node where a parameter in
    between cannot be derived, or where a bias does not fit 32 bits.
    """
    for region in [op for op in module.walk() if isinstance(op, RegionOp)]:
        refine(region)
    cast_ports(module, arithmetic)
    for region in [op for op in module.walk() if isinstance(op, RegionOp)]:
        inline(region)
