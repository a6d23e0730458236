"""The TOSA target that a module needs: profiles, and the extensions that it uses."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation

from qconvert.dialects import tosa
from qconvert.dialects.tosa.element_types import EXTENSIONS, required_extensions
from qconvert.dialects.tosa.target import TargetEnvAttr
from qconvert.ir import Target, is_float
from qconvert.numerics import Rounding
from qconvert.support.errors import ConversionError

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
    """Return the smallest target for a module: ``pro_fp`` for floats, extensions for element types and roundings."""
    ops = list(module.walk())
    profiles = (
        ("pro_int", "pro_fp") if any(is_float(element) for op in ops for element in elements(op)) else ("pro_int",)
    )
    needed = frozenset[str]().union(*(required_extensions(op) or () for op in ops))
    modes = {op.rounding_mode.data for op in ops if isinstance(op, tosa.RescaleOp)}
    roundings = (name for mode, name in _ROUNDINGS.items() if mode in modes)
    return Target(profiles, (*(name for name in EXTENSIONS if name in needed), *roundings))
