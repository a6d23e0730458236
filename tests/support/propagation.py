"""Small models of fused kernels, what is known of their values, and their propagation held against a target."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp, NoneType, f32

from qconvert.dialects.quant_region import PortSpec, RegionOp
from qconvert.frontends.mlir import load_text
from qconvert.ir.quant import AnyQuantizedType, CalibratedQuantizedType, UniformQuantizedType
from qconvert.ir.quant_parameters import AnyParameters, Storage
from qconvert.quantization.checks import check_target
from qconvert.quantization.constraints import Constraints
from qconvert.quantization.fusion import FuseKernels
from qconvert.quantization.names import values_by_name
from qconvert.quantization.propagation import propagate
from qconvert.quantization.report import Report
from qconvert.quantization.signature import PortType, Signature
from qconvert.quantization.target import Target
from qconvert.quantization.targets import find

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


TFLITE = find("tflite-int8")

JOIN = """
func.func @main(%x: tensor<2x4xf32>) -> tensor<4x4xf32> attributes {input_names = ["x"]} {
  %w = stablehlo.constant
    dense<[[0.5, -1.0, 0.0, 1.0], [0.25, 1.0, 0.0, 2.0], [0.5, 0.0, 0.0, 1.0], [0.5, 1.0, 0.0, 1.0]]>
    : tensor<4x4xf32>
  %l = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32> loc("left")
  %r = "qconvert.hard_swish"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("right")
  %j = stablehlo.concatenate %l, %r, dim = 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32> loc("join")
  return %j : tensor<4x4xf32>
}
"""

RANGES = {
    "x": between(-1.0, 1.0),
    "left": between(-4.0, 4.0),
    "right": between(-0.375, 1.0),
    "join": between(-4.0, 4.0),
}

UI8 = Storage.full(8, signed=False)
PORT = PortType(I8)
SIGNATURE = Signature((PORT,), (PORT,))

DENSE = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {input_names = ["x"]} {
  %w = stablehlo.constant dense<[[0.0, 1.0e-12, 1.0], [0.0, -1.0e-12, 0.5], [0.0, 0.0, -2.0]]> : tensor<3x3xf32>
  %b = stablehlo.constant dense<[3.0, -2.0, 1.0]> : tensor<3xf32>
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %s = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %y = stablehlo.add %d, %s : tensor<2x3xf32> loc("y")
  return %y : tensor<2x3xf32>
}
"""


Specs = dict[str, tuple[list[PortSpec], list[PortSpec]]]


def run(
    text: str,
    specs: Mapping[str, PortSpec],
    target: Target = TFLITE,
    coupled: Mapping[str, Hashable] | None = None,
    excluded: Sequence[str] = (),
) -> tuple[Report, Specs]:
    """Propagate, again with the same result, and hold the result against the target."""
    module = fused(text)
    report = propagate(module, target, annotated(module, specs, coupled), excluded=excluded)
    before = str(module)
    module.verify()
    assert propagate(module, target, annotated(module, specs, coupled), excluded=excluded) == report
    assert str(module) == before
    assert check_target(module, target) == []
    return report, specs_of(module)


def chain(*ops: str, shape: str = "2x4") -> str:
    """A model whose ops, on ``%a``, follow each other; the nodes are ``n0``, ``n1`` and so on."""
    type, value, lines = f"tensor<{shape}xf32>", "%x", []
    for i, op in enumerate(ops):
        composite = op.startswith('"')
        types = f"({type}) -> {type}" if composite else type
        operand = f"({value})" if composite else f" {value}"
        lines.append(f'  %{i} = {op}{operand} : {types} loc("n{i}")')
        value = f"%{i}"
    head = f'func.func @main(%x: {type}) -> {type} attributes {{input_names = ["x"]}} {{'
    return "\n".join([head, *lines, f"  return {value} : {type}", "}"])


LOGISTIC, TANH, SWISH, ABS = "stablehlo.logistic", "stablehlo.tanh", '"qconvert.hard_swish"', "stablehlo.abs"
