"""Export for targets with fixed kernels: regions become float ops between dequantize and quantize, as in QDQ models.

``legalize-qdq-to-quantized-op`` then makes a quantized op of each.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects.quant_region import RegionOp
from qconvert.quantization.fusion import cast_ports, inline
from qconvert.quantization.fusion.outline import outline_regions
from qconvert.quantization.refine import refine


def export_fixed(module: ModuleOp, own_ops: Mapping[str, str] | None = None) -> None:
    """Replace every ``quant.region`` of a module by its ops, with a quantize and a dequantize at each uniform port.

    Regions of the kernels in ``own_ops`` become one op of that name (``Target.own_ops``). A region of several kernels
    is first split into its kernels, whose parameters are derived (:func:`~qconvert.quantization.refine.refine`). The
    quantizes round in ONNX's order, which TOSA can express and onnxruntime has. Raises ConversionError naming the node
    if a parameter in between cannot be derived, or if a bias does not fit 32 bits.
    """
    names = own_ops or {}
    for region in [op for op in module.walk() if isinstance(op, RegionOp)]:
        if region.logical_kernel.data not in names:
            refine(region)
    cast_ports(module)
    outline_regions(module, names)
    for region in [op for op in module.walk() if isinstance(op, RegionOp)]:
        inline(region)
