"""Export for targets with fixed kernels: regions become float ops between dequantize and quantize, as in QDQ models.

``legalize-qdq-to-quantized-op`` then makes a quantized op of each.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects.quant_region import RegionOp
from qconvert.quantization.fusion import cast_ports, inline
from qconvert.quantization.refine import refine


def export_fixed(module: ModuleOp) -> None:
    """Replace every ``quant.region`` of a module by its ops, with a quantize and a dequantize at each uniform port.

    A region of several kernels is first split into its kernels, whose parameters are derived
    (:func:`~qconvert.quantization.refine.refine`). The quantizes round in ONNX's order, which TOSA can express and
    onnxruntime has. Raises ConversionError naming the node if a parameter in between cannot be derived, or if a bias
    does not fit 32 bits.
    """
    for region in [op for op in module.walk() if isinstance(op, RegionOp)]:
        refine(region)
    cast_ports(module)
    for region in [op for op in module.walk() if isinstance(op, RegionOp)]:
        inline(region)
