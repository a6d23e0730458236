"""The TOSA target that a module needs: profiles, and the extensions that it uses."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import BFloat16Type, Float8E4M3FNType, Float8E5M2Type, IntegerType, ModuleOp, TensorType
from xdsl.ir import Attribute, Operation

from qconvert.dialects import tosa
from qconvert.dialects.tosa.target import TargetEnvAttr
from qconvert.ir import Target, is_float
from qconvert.numerics import Rounding
from qconvert.support.errors import ConversionError

_NARROW, _WIDE = (4,), (16, 48)
_FLOAT8 = {Float8E4M3FNType: "fp8e4m3", Float8E5M2Type: "fp8e5m2"}
_ROUNDINGS = {
    Rounding.DOUBLE_ROUND: "doubleround",
    Rounding.INEXACT_ROUND: "inexactround",
}


def elements(op: Operation) -> Iterator[Attribute]:
    """Return the element type of each tensor that an op returns or its regions take."""
    arguments = [argument.type for region in op.regions for block in region.blocks for argument in block.args]
    for type in (*arguments, *op.result_types):
        if isinstance(type, TensorType):
            yield type.element_type


def attach_target(module: ModuleOp) -> None:
    """Let a module name its target, if it needs extensions: tools assume none."""
    target = target_of(module)
    if target.extensions:
        module.attributes[TargetEnvAttr.name] = TargetEnvAttr.of(target)


def target_errors(module: ModuleOp) -> Iterator[ConversionError]:
    """Yield an error for each profile and extension that a module uses and the target that it names lacks."""
    named = module.attributes.get(TargetEnvAttr.name)
    if not isinstance(named, TargetEnvAttr):
        return
    used = target_of(module)
    kinds = (("profile", used.profiles, named.profiles), ("extension", used.extensions, named.extensions))
    for kind, needed, given in kinds:
        for name in sorted(set(needed) - {entry.data for entry in given}):
            yield ConversionError(f"the module needs the {kind} {name}, which its target lacks", op=module.name)


def target_of(module: ModuleOp) -> Target:
    """Return the smallest target for a module: ``pro_fp`` for floats, extensions for widths and roundings."""
    found = {element for op in module.walk() for element in elements(op)}
    profiles = ("pro_int", "pro_fp") if any(map(is_float, found)) else ("pro_int",)
    widths = {element.width.data for element in found if isinstance(element, IntegerType)}
    extensions = []
    if widths.intersection(_WIDE):
        extensions.append("int16")
    if widths.intersection(_NARROW):
        extensions.append("int4")
    if any(isinstance(element, BFloat16Type) for element in found):
        extensions.append("bf16")
    for kind, extension in _FLOAT8.items():
        if any(isinstance(element, kind) for element in found):
            extensions.append(extension)
    rescales = [op for op in module.walk() if isinstance(op, tosa.RescaleOp)]
    modes = {op.rounding_mode.data for op in rescales}
    return Target(profiles, (*extensions, *(name for mode, name in _ROUNDINGS.items() if mode in modes)))
