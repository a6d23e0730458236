"""Models of fused kernels, and what is known of their values by name."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from xdsl.dialects.builtin import ModuleOp, NoneType, f32

from qconvert.dialects.quant_region import PortSpec, RegionOp
from qconvert.frontends.mlir import load_text
from qconvert.ir.quant import AnyQuantizedType, CalibratedQuantizedType, UniformQuantizedType
from qconvert.ir.quant_parameters import AnyParameters, Storage
from qconvert.quantization.constraints import Constraints
from qconvert.quantization.fusion import FuseKernels
from qconvert.quantization.names import values_by_name

I8, I16 = Storage.full(8, signed=True), Storage.full(16, signed=True)
NONE = NoneType()


def fused(text: str) -> ModuleOp:
    """A module of float ops with its kernels wrapped."""
    module = load_text(text, "text")
    FuseKernels().apply(module)
    return module


def between(minimum: float, maximum: float) -> CalibratedQuantizedType:
    """A calibrated range."""
    return CalibratedQuantizedType.per_tensor(minimum, maximum)


def uniform(scale: float, zero_point: int = 0, storage: Storage = I8) -> UniformQuantizedType:
    """Per-tensor parameters."""
    return UniformQuantizedType.per_tensor(storage, scale, zero_point)


def stored_as(storage: Storage) -> AnyQuantizedType:
    """A storage, and nothing else known."""
    return AnyQuantizedType(AnyParameters(storage, f32))


def annotated(
    module: ModuleOp, specs: Mapping[str, PortSpec], coupled: Mapping[str, Hashable] | None = None
) -> Constraints:
    """What is said of values by name."""
    values = values_by_name(module)
    groups = {values[name]: key for name, key in (coupled or {}).items()}
    return Constraints({values[name]: spec for name, spec in specs.items()}, groups)


def specs_of(module: ModuleOp) -> dict[str, tuple[list[PortSpec], list[PortSpec]]]:
    """The specs of each kernel's inputs and outputs; a kernel that is there twice has a number."""
    found: dict[str, tuple[list[PortSpec], list[PortSpec]]] = {}
    for region in (op for op in module.walk() if isinstance(op, RegionOp)):
        name, number = region.logical_kernel.data, 2
        while name in found:
            name, number = f"{region.logical_kernel.data}{number}", number + 1
        inputs, outputs = region.specs
        found[name] = (list(inputs), list(outputs))
    return found
